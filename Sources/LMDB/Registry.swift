internal import Synchronization

/// The open files of the process, by identity: an environment a file, whatever paths lead to it.
///
/// The engine's locks belong to the process, and a second environment over the same file would lose
/// them for both. All opening and closing happens under one lock, which is also held across a fork.
final class Registry: @unchecked Sendable {
  // SAFETY (Sendable): the entries are touched with the lock held.
  static let shared = Registry()

  private struct Entry {
    weak var file: OpenFile?
    let identity: FileIdentity
    let number: UInt32
  }

  private let lock = RecursiveLock()
  /// Few, so a list: a dictionary's first use costs a process more memory than its entries.
  private var entries: [Entry] = []

  /// Before the lock is first held, it has to be known to the handlers of a fork.
  private init() { _ = ForkWatch.shared }

  /// What is known of a file.
  enum Finding {
    case unknown
    case open(OpenFile)
    /// It closes with its last transaction, or now: ask again.
    case closing
  }

  /// Runs `work` while nobody else opens or closes.
  func locked<Result: ~Copyable, Failure: Error>(
    _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.acquire()
    defer { lock.release() }
    return try work()
  }

  /// With the lock held.
  func find(_ identity: FileIdentity) -> Finding {
    guard let entry = entries.first(where: { $0.identity == identity }) else { return .unknown }
    guard let file = entry.file else { return .closing }
    switch file.core.gate.load(ordering: .acquiring) {
    case EnvironmentCore.Gate.closed: return .unknown
    case EnvironmentCore.Gate.closing: return .closing
    default: return .open(file)
    }
  }

  /// With the lock held.
  func add(_ file: OpenFile) {
    let core = file.core
    entries.removeAll { $0.identity == core.identity }
    entries.append(Entry(file: file, identity: core.identity, number: core.number))
  }

  func forget(_ core: EnvironmentCore) {
    let number = core.number
    lock.acquire()
    defer { lock.release() }
    entries.removeAll { $0.number == number }
  }

  // MARK: Fork

  func holdForFork() { lock.acquire() }

  func releaseAfterFork() { lock.release() }

  /// In the child: what the parent has open isn't open here.
  func abandonAfterFork() {
    entries.removeAll()
    lock.renewAfterFork()
  }
}
