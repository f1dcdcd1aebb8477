/// An observer as the hub sees it, whatever it reads.
protocol ObserverFollower: Follower {
  /// Reads for the first time.
  func begin(_ image: Image) throws(ImageError)

  /// What the last read touched; nil when nothing was read since this was asked.
  func takeTrace() -> ReadTrace?
}

/// Follows what a read touches, and reads again when a commit changed some of it.
final class Observer<Value: Sendable & Equatable>: ObserverFollower, WaitingFollower,
  @unchecked Sendable
{
  // SAFETY (Sendable): touched on the hub's queue alone.
  typealias Element = Observed<Value>

  private let reader: ObservedReader<Value>
  private let start: UInt64?
  private var waiting = Waiting<Observed<Value>>()
  private var trace = ReadTrace()
  private var isTraceNew = false
  /// The state that was read last.
  private var last: Observed<Value>?
  /// Whether the last state is to be delivered still.
  private var isUndelivered = false
  /// Whether a commit after the last state changed what was read.
  private var isStale = false

  init(_ reader: ObservedReader<Value>, since commit: UInt64?) {
    self.reader = reader
    start = commit
  }

  func begin(_ image: Image) throws(ImageError) {
    try read(image)
    isUndelivered = true
    guard let start, let commit = last?.commit, start <= commit else { return }
    let snapshot = try image.snapshot()
    let part = try snapshot.journal(since: start)
    guard !part.isCut else { return }
    isUndelivered = false
    for entry in part.entries where entry.commit <= commit {
      if try isTouched(by: entry, in: snapshot) { isUndelivered = true }
    }
  }

  func takeTrace() -> ReadTrace? {
    guard isTraceNew else { return nil }
    isTraceNew = false
    return trace
  }

  // MARK: Commits

  func take(_ entry: JournalEntry, in snapshot: borrowing Snapshot) throws(ImageError) {
    guard !isStale, let last, entry.commit > last.commit else { return }
    isStale = try isTouched(by: entry, in: snapshot)
  }

  func takeUnknown(_ counters: ImageCounters) {
    isStale = true
  }

  private func isTouched(
    by entry: JournalEntry, in snapshot: borrowing Snapshot
  ) throws(ImageError) -> Bool {
    if trace.isOpen { return true }
    for change in entry.changes {
      if change.what == .cleared { return true }
      let isTouched = try trace.isTouched(by: change) { (number) throws(ImageError) in
        guard let name = try snapshot.value(.names, UInt64(number)), name.count > 5 else {
          return nil
        }
        return name.extracting(droppingFirst: 5).copy()
      }
      if isTouched { return true }
    }
    return false
  }

  func answer(in snapshot: borrowing Snapshot, of image: Image) throws(ImageError) {
    if last == nil { try begin(image) }
    guard waiting.isWaiting else { return }
    if isStale { try read(image) }
    guard isUndelivered, let last else { return }
    isUndelivered = false
    waiting.answer(last)
  }

  func wait(_ continuation: CheckedContinuation<Observed<Value>?, Never>) {
    waiting.wait(continuation)
  }

  func end() { waiting.end() }

  // MARK: Reading

  /// Reads the newest state; it is to be delivered when it differs from the last.
  private func read(_ image: Image) throws(ImageError) {
    let trace = ReadTrace()
    let snapshot = try image.snapshot(tracing: trace)
    let state = Observed(
      commit: try snapshot.counters().commit, content: try content(in: snapshot, trace))
    self.trace = trace
    isTraceNew = true
    isStale = false
    if last?.content != state.content { isUndelivered = true }
    last = state
  }

  private func content(
    in snapshot: borrowing Snapshot, _ trace: ReadTrace
  ) throws(ImageError) -> Observed<Value>.Content {
    do throws(ImageError) {
      guard let known = try snapshot.number(ofRecord: reader.key) else {
        // Whether the id is there by now is asked after each commit.
        trace.noteOpen()
        return .missing
      }
      trace.note(known)
      let number = try snapshot.resolved(known)
      trace.note(number)
      guard let row = try snapshot.row(number) else { return .missing }
      if !row.flags.isDisjoint(with: [.deleted, .evicted]) { trace.noteUnsettled(number) }
      if row.flags.contains(.deleted) { return .deleted }
      if row.flags.contains(.evicted) { return .missing }
      return .value(try reader.read(number, snapshot))
    } catch {
      switch error {
      case .closed, .forked, .busy: throw error
      default: return .failed(error)
      }
    }
  }
}
