/// Somebody who follows an image's changes and waits for the next: a feed or an observer.
///
/// Touched on the hub's queue alone.
protocol Follower: AnyObject, Sendable {
  /// Takes in what a commit did.
  func take(_ entry: JournalEntry, in snapshot: borrowing Snapshot) throws(ImageError)

  /// Takes in that commits up to the counters' last were made and the journal doesn't tell what
  /// they did.
  func takeUnknown(_ counters: ImageCounters)

  /// Answers who waits, if there is something to answer. Called when all commits were taken in.
  func answer(in snapshot: borrowing Snapshot, of image: Image) throws(ImageError)

  /// Answers who waits, and who waits later, that nothing comes any more.
  func end()
}

/// The one task that waits for a follower's next element, and whether more is to come.
struct Waiting<Element: Sendable> {
  private var continuation: CheckedContinuation<Element?, Never>?
  private(set) var isEnded = false

  var isWaiting: Bool { continuation != nil }

  mutating func wait(_ continuation: CheckedContinuation<Element?, Never>) {
    guard !isEnded else { return continuation.resume(returning: nil) }
    precondition(self.continuation == nil, "an iterator is used by one task at a time")
    self.continuation = continuation
  }

  mutating func answer(_ element: Element) {
    continuation?.resume(returning: element)
    continuation = nil
  }

  mutating func end() {
    isEnded = true
    continuation?.resume(returning: nil)
    continuation = nil
  }
}
