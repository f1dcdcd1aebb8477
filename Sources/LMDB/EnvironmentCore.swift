internal import Synchronization

/// One open file of the process: what all `Environment`s over it share.
///
/// It owns the engine's environment and ends it once: when the last `Environment` closes and no
/// transaction runs, or, with transactions that outlive them, when the last of those lets go of it.
@usableFromInline
final class EnvironmentCore: @unchecked Sendable {
  // SAFETY (Sendable): the engine's environment may be used from all threads; the rest is constant,
  // atomic or a lock.

  /// Who may begin a transaction.
  ///
  /// A reader makes its slot busy and then looks at the gate; who shuts the gate does so first and
  /// then looks at the slots. Both orders are sequentially consistent, so one sees the other.
  enum Gate {
    static let open = 0
    /// The map is being exchanged: begin later.
    static let exclusive = 1
    /// The last owner is closing: begin no more.
    static let closing = 2
    static let closed = 3
    /// The map was lost while it was exchanged: only closing is left.
    static let broken = 4
  }

  let environment: RawEnvironment
  let identity: FileIdentity
  let options: Environment.Options
  let path: String

  /// The core's own number: a table of another one is told apart by it.
  @usableFromInline let number: UInt32

  let gate = Atomic<Int>(Gate.open)
  let slots = ReadSlots()
  /// Readers beyond the slots, copies, and tables being opened.
  let extraReaders = Atomic<Int>(0)
  let pins = Atomic<Int>(0)

  /// Held by the one writer of this process, and by who exchanges the map or closes.
  let writer = ThreadLock()

  /// The tables opened so far; handles stay open as long as the environment.
  let tables = Mutex<[OpenTable]>([])
  /// Held while tables are opened: the engine allows one such transaction at a time.
  let opening = ThreadLock()

  /// When the path was last seen to lead to the file; of the writer.
  let nameSeen = Mutex<ContinuousClock.Instant?>(nil)

  private let process = Platform.processID
  @usableFromInline let forks: Int
  @usableFromInline let watch = ForkWatch.shared

  private static let numbers = Atomic<UInt32>(1)

  init(
    _ environment: RawEnvironment, identity: FileIdentity, path: String,
    options: Environment.Options
  ) {
    self.environment = environment
    self.identity = identity
    self.path = path
    self.options = options
    forks = watch.count.load(ordering: .relaxed)
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  deinit {
    // In a forked child everything below belongs to the parent: nothing is touched.
    guard !isForked, process == Platform.processID else { return }
    if gate.load(ordering: .acquiring) != Gate.closed { end() }
    Registry.shared.forget(self)
  }

  /// Ends the engine's environment; no transaction but idle ones is left.
  func end() {
    slots.endIdle()
    environment.close()
    gate.store(Gate.closed, ordering: .sequentiallyConsistent)
  }

  // MARK: What is checked before anything is begun

  /// Whether this process is a child of the one that opened the file.
  @usableFromInline var isForked: Bool { watch.count.load(ordering: .relaxed) != forks }

  /// The quick check, of what handlers in the child noted.
  func checkProcess(_ operation: LMDBError.Operation) throws(LMDBError) {
    if isForked { throw LMDBError(.forked, in: operation) }
  }

  /// The thorough check, which also finds children made without handlers, for calls that are slow
  /// anyway.
  func checkUsable(_ operation: LMDBError.Operation) throws(LMDBError) {
    if isForked || process != Platform.processID { throw LMDBError(.forked, in: operation) }
    switch gate.load(ordering: .sequentiallyConsistent) {
    case Gate.open, Gate.exclusive: return
    case Gate.broken: throw LMDBError(.panic, in: operation)
    default: throw LMDBError(.closed, in: operation)
    }
  }

  /// Waits while the map is being exchanged; throws when nothing may begin any more.
  func passGate(
    _ operation: LMDBError.Operation, until deadline: ContinuousClock.Instant
  ) throws(LMDBError) {
    while true {
      try checkUsable(operation)
      if gate.load(ordering: .sequentiallyConsistent) == Gate.open { return }
      if ContinuousClock.now >= deadline {
        throw LMDBError(.transactionsRunning, in: operation)
      }
      Platform.pause(microseconds: 50)
    }
  }

  var deadline: ContinuousClock.Instant { .now + options.waitLimit }

  /// Whether a reader of this process runs that the map can't be exchanged under.
  var hasReaders: Bool {
    slots.areBusy || extraReaders.load(ordering: .sequentiallyConsistent) != 0
  }

  /// Takes the writer's lock of this process.
  func acquireWriter(
    _ operation: LMDBError.Operation, until deadline: ContinuousClock.Instant?
  ) throws(LMDBError) {
    switch writer.acquire(until: deadline) {
    case .acquired: return
    case .timedOut: throw LMDBError(.transactionsRunning, in: operation)
    case .heldByThisThread: throw LMDBError(.wouldDeadlock, in: operation)
    }
  }
}
