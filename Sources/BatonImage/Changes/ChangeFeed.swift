/// The commits of an image, of this process and others, as they are made.
///
/// Each is delivered once, in order. A reader that is slow loses nothing and holds nobody up: while
/// the journal has the commits, it gets them one by one, and before they leave the journal they are
/// folded into one change, whose records and fields are the union of theirs. The sequence ends when
/// the image is closed or the task is cancelled. No transaction is held between deliveries.
public struct ChangeFeed: AsyncSequence, Sendable {
  public typealias Element = Change
  public typealias Failure = Never

  let image: Image
  let start: UInt64?

  public func makeAsyncIterator() -> Iterator { Iterator(image, after: start) }

  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription<FeedFollower>?

    init(_ image: Image, after commit: UInt64?) {
      subscription = commit.map { Subscription(FeedFollower(after: $0), to: image) }
    }

    public mutating func next() async -> Change? { await next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
      await subscription?.next(isolation: actor)
    }
  }
}

extension Image {
  /// The commits after number `commit`, as they are made; without it, those made from now on.
  ///
  /// A commit whose changes the journal doesn't tell any more is delivered with the extent `unknown`:
  /// what is shown is to be read again.
  public func changes(since commit: UInt64? = nil) -> ChangeFeed {
    ChangeFeed(image: self, start: commit ?? (try? snapshot().commit))
  }
}

/// Follows all commits after one.
final class FeedFollower: Follower, @unchecked Sendable {
  // SAFETY (Sendable): touched on the hub's queue alone.
  private var waiting = Waiting<Change>()
  /// The last commit that was delivered.
  private var position: UInt64
  /// The commits after it in one, when they will leave the journal before they are asked for.
  private var folded: JournalUnion?

  init(after commit: UInt64) {
    position = commit
  }

  func take(_ entry: JournalEntry, in snapshot: borrowing Snapshot) throws(ImageError) {
    folded?.add(entry)
  }

  func takeUnknown(_ counters: ImageCounters) {
    folded = JournalUnion(unknownAfter: position, to: counters)
  }

  /// Folds the commits not delivered yet when half of what the journal keeps came after them.
  func fold(
    upTo commit: UInt64, limit: UInt64, in snapshot: borrowing Snapshot
  ) throws(ImageError) {
    guard folded == nil, !waiting.isWaiting, position < commit, commit - position > limit / 2 else {
      return
    }
    let part = try snapshot.journal(since: position)
    guard !part.isCut, let first = part.entries.first else {
      return takeUnknown(part.counters)
    }
    var union = JournalUnion(first)
    for entry in part.entries.dropFirst() { union.add(entry) }
    folded = union
  }

  func answer(in snapshot: borrowing Snapshot, of image: Image) throws(ImageError) {
    guard waiting.isWaiting else { return }
    if let union = folded {
      folded = nil
      return try deliver(union, in: snapshot)
    }
    let part = try snapshot.journal(since: position, limit: 1)
    if part.isCut || position > part.counters.commit {
      return try deliver(
        JournalUnion(unknownAfter: position, to: part.counters), in: snapshot)
    }
    if let entry = part.entries.first { try deliver(JournalUnion(entry), in: snapshot) }
  }

  private func deliver(
    _ union: JournalUnion, in snapshot: borrowing Snapshot
  ) throws(ImageError) {
    let change = try snapshot.named(union)
    position = union.last
    waiting.answer(change)
  }

  func wait(_ continuation: CheckedContinuation<Change?, Never>) { waiting.wait(continuation) }

  func end() { waiting.end() }
}
