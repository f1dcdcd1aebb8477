internal import Dispatch
internal import Foundation
internal import LMDB
internal import Synchronization

/// Makes checkpoints of an open image, and lets nobody write whom none protects.
///
/// The rule everything rests on: a write begins only while the image holds a pin on a state that is
/// not newer than the one a record in the checkpoint file names. The engine then leaves the pages of
/// the recorded state alone, so it can be gone back to. Docs/Durability.md has the whole protocol.
final class Checkpointer: Sendable {
  /// What a checkpointer works for.
  struct Setup: Sendable {
    var imageId: [UInt8]
    var pageSize: Int
    /// The machine's session; nil where it isn't known.
    var boot: [UInt8]?
    /// The time from a commit to the checkpoint that follows it.
    var interval: Duration
    /// How long a writer is waited for.
    var writerWait: Duration?
    var tables: ImageTables
    /// Whether a commit waits until it is on the medium.
    var isDurable: Bool
    /// The bytes of a segment of the log where it isn't what Docs/Format.md says.
    var logSegment: Int?
  }

  let environment: Environment
  let setup: Setup
  /// Where durable commits are written to; nil where none are, and where a later opener couldn't tell
  /// whether the machine's session is this one: commits wait for a checkpoint then.
  let log: CommitLog?
  let state = Mutex(State())
  /// Held by the one checkpoint under way.
  let round = Mutex<Int>(0)
  /// Told the commit of each checkpoint; nil where nobody listens.
  let listener = Mutex<(@Sendable (UInt64) -> Void)?>(nil)
  /// Made for the first commit: an image that is only read from needs no thread.
  private let lazyQueue = Mutex<DispatchQueue?>(nil)
  private let settling = NSCondition()
  /// A checkpoint is late at so many times the pages it is due at.
  private static let lateness = 2

  private var queue: DispatchQueue {
    lazyQueue.withLock { queue in
      if let queue { return queue }
      let made = DispatchQueue(label: "baton-image.checkpoint", qos: .utility)
      queue = made
      return made
    }
  }

  struct State {
    /// A state no newer than the recorded one; nil while nobody may write.
    var pin: HeldPin?
    /// Writes under way or about to be.
    var writers = 0
    /// Whether something was committed that no checkpoint under way has.
    var isDirty = false
    /// Pages written since the last checkpoint began.
    var pages = 0
    var isScheduled = false
    var isHurried = false
    var isClosed = false
    /// The newest transaction this image committed.
    var committed = 0
    /// The transaction of the last checkpoint that was recorded.
    var recorded = 0
    /// The last transaction that the log has on the medium.
    var logged = 0
    var isSettling = false
    /// Why the image takes no more writes.
    var failure: ImageError?
  }

  init(_ environment: Environment, _ setup: Setup) {
    self.environment = environment
    self.setup = setup
    log =
      setup.isDurable && setup.boot != nil
      ? CommitLog(
        of: environment.path, imageId: setup.imageId, tables: setup.tables,
        segmentSize: setup.logSegment)
      : nil
  }

  /// Calls `listener` after each checkpoint with the commit it has, with no lock held.
  func tell(_ listener: @escaping @Sendable (UInt64) -> Void) {
    self.listener.withLock { $0 = listener }
  }

  // MARK: Writers

  /// Lets a write begin, once a checkpoint protects what it may write over.
  ///
  /// A flush is waited for only when the newest state has no checkpoint: after the death of a process,
  /// or beside another one that writes. Throws `closed`, `forked`, and what stopped an earlier flush.
  func begin() throws(ImageError) -> WriteTurn {
    if environment.isForked { throw .forked }
    let isProtected = try state.withLock { (state) throws(ImageError) in
      if let failure = state.failure { throw failure }
      if state.isClosed { throw .closed }
      state.writers += 1
      return state.pin != nil
    }
    let turn = WriteTurn(self)
    if !isProtected { try protect() }
    return turn
  }

  fileprivate func end() {
    state.withLock { $0.writers -= 1 }
  }

  /// Notes a commit; a checkpoint follows.
  func noteCommit(_ transaction: Int) {
    let isNew = state.withLock { state in
      state.committed = max(state.committed, transaction)
      state.isDirty = true
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isNew { schedule() }
  }

  /// Adds a commit to the log, with the writers' turn still held.
  func append(_ transaction: Int) {
    guard let log else { return }
    log.append(transaction, recorded: state.withLock { $0.recorded })
  }

  /// Keeps the promise of a commit that returned from the engine: waits until it is on the medium
  /// where it is to be durable, and sees to it that a checkpoint comes early when much was written.
  func settle(pages: Int) throws(ImageError) {
    if setup.isDurable {
      try waitUntilDurable()
      // What a checkpoint made durable needs no other.
      guard log != nil else { return }
    }
    let sum = state.withLock { state in
      state.pages += pages
      return state.pages
    }
    let isCrowded = log?.isCrowded(recorded: state.withLock { $0.recorded }) ?? false
    guard isCrowded || sum > Self.leastLimit / setup.pageSize else { return }
    let limit = pageLimit
    let (isMuch, isLate) = state.withLock { state in
      guard isCrowded || state.pages > limit, !state.isClosed else { return (false, false) }
      defer { state.isHurried = true }
      return (!state.isHurried, state.pages > limit * Self.lateness)
    }
    if isMuch { queue.async { [self] in tick() } }
    if isLate { catchUp(limit * Self.lateness) }
  }

  /// Makes the checkpoint on the writer's thread where the queue's, on a busy machine, does not come:
  /// the file would grow with every commit until it does.
  private func catchUp(_ limit: Int) {
    // The commit stands whether this succeeds or not; the next checkpoint tries again.
    try? tell(
      round.withLock { (count) throws(ImageError) in
        guard state.withLock({ $0.pages > limit && !$0.isClosed }) else { return nil }
        count += 1
        return try makeCheckpoint(isLast: false)
      })
  }

  /// Pages that are written between two checkpoints at most, about: they can't be used again before
  /// the second, so this is what a busy writer adds to the file, twice.
  private var pageLimit: Int {
    let size = (try? environment.fileSize()) ?? 0
    guard log != nil else { return limit(size / 8) }
    // Flushing the image makes flushes of the log wait, and the less the more it flushes at once. A
    // third of what is in use keeps the file of two such writers within three times that.
    let used = (try? environment.read().pagesInUse(of: setup.tables.handles)) ?? 0
    return limit(min(size, max(0, used) &* setup.pageSize) / 3)
  }

  private func limit(_ bytes: Int) -> Int {
    min(64 << 20, max(Self.leastLimit, bytes)) / setup.pageSize
  }

  /// In bytes.
  private static let leastLimit = 1 << 20

  // MARK: The clock

  private func schedule() {
    let (seconds, attoseconds) = setup.interval.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    // Weakly: an image that was let go is closed at once, not when the clock comes round.
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
      guard let self else { return }
      state.withLock { $0.isScheduled = false }
      tick()
    }
  }

  /// A checkpoint, when something was committed since the last; else an idle image lets go of its pin
  /// and of the clock.
  private func tick() {
    let isDue = state.withLock { state -> Bool? in
      state.isHurried = false
      if state.isClosed || state.failure != nil || environment.isForked { return nil }
      if state.isDirty { return true }
      if state.writers == 0 { state.pin = nil }
      return state.pin == nil ? nil : false
    }
    guard let isDue else { return }
    if isDue {
      _ = try? environment.clearDeadReaders()
      do throws(ImageError) { try checkpoint() } catch {
        // The next one tries again; without the file there is none.
        if error == .removed || error == .closed { return }
      }
    }
    let isNew = state.withLock { state in
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isNew { schedule() }
  }

  // MARK: Durable commits

  /// Waits until the log or a checkpoint has on the medium what this image committed so far. Callers
  /// that come while a flush is under way share the next.
  private func waitUntilDurable() throws(ImageError) {
    let goal = state.withLock { $0.committed }
    settling.lock()
    defer { settling.unlock() }
    while true {
      let (safe, isSettling, failure) = state.withLock { state in
        let (safe, isSettling) = (max(state.recorded, state.logged), state.isSettling)
        if safe < goal, state.failure == nil { state.isSettling = true }
        return (safe, isSettling, state.failure)
      }
      if safe >= goal { return }
      if let failure { throw failure }
      if isSettling {
        settling.wait()
        continue
      }
      settling.unlock()
      let problem = flushFailure(of: goal)
      settling.lock()
      state.withLock { $0.isSettling = false }
      settling.broadcast()
      if let problem { throw problem }
    }
  }

  private func flushFailure(of goal: Int) -> ImageError? {
    do throws(ImageError) {
      if try !flushLog(holding: goal) { try checkpoint() }
    } catch {
      return error
    }
    return nil
  }

  // MARK: The end

  /// Ends writing soon, for an image that is released and was not closed: what it committed gets its
  /// checkpoint, then the pin and the environment's handle go.
  ///
  /// On the checkpointer's own queue: who releases an image doesn't wait for a flush.
  func letGo() {
    // In a forked child the queue has no threads, and the file is the parent's.
    guard !environment.isForked, state.withLock({ !$0.isClosed && $0.committed > 0 }) else {
      return
    }
    queue.async { [self] in try? close(givingRoomBack: false) }
  }

  /// Ends writing: waits for the writes under way, makes a last checkpoint if something was
  /// committed since the last one, gives the room of free pages back, and lets go of the pin.
  func close(givingRoomBack: Bool = true) throws(ImageError) {
    if environment.isForked { throw .forked }
    state.withLock { $0.isClosed = true }
    let deadline = ContinuousClock.now + .seconds(5)
    while state.withLock({ $0.writers }) > 0 {
      if ContinuousClock.now >= deadline { throw .busy("a write of this process is under way") }
      Thread.sleep(forTimeInterval: 0.000_1)
    }
    defer { state.withLock { $0.pin = nil } }
    let hasChanged = state.withLock { $0.committed > 0 && $0.failure == nil }
    guard hasChanged else { return }
    do throws(ImageError) { try checkpoint(isLast: true) } catch {
      // A file that was removed takes its last state with it.
      if error != .removed { throw error }
      return
    }
    if givingRoomBack { giveRoomBack() }
  }
}

/// A pin that can be handed from one place to another.
final class HeldPin: Sendable {
  let pin: Pin

  init(_ pin: consuming Pin) { self.pin = pin }
}

/// A write's leave to begin, held until it has ended.
struct WriteTurn: ~Copyable {
  let checkpointer: Checkpointer

  init(_ checkpointer: Checkpointer) { self.checkpointer = checkpointer }

  /// Where the write is taken down, if it is.
  var record: WriteRecord? { checkpointer.log?.record }

  deinit { checkpointer.end() }

  /// Notes that the write was committed.
  func noteCommit(_ transaction: Int) { checkpointer.noteCommit(transaction) }
}
