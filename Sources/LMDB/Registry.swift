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
    let number: UInt32
  }

  private let lock = RecursiveLock()
  private var entries: [FileIdentity: Entry] = [:]

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
    guard let entry = entries[identity] else { return .unknown }
    guard let file = entry.file else { return .closing }
    switch file.core.gate.load(ordering: .acquiring) {
    case EnvironmentCore.Gate.closed: return .unknown
    case EnvironmentCore.Gate.closing: return .closing
    default: return .open(file)
    }
  }

  /// With the lock held.
  func add(_ file: OpenFile) {
    entries[file.core.identity] = Entry(file: file, number: file.core.number)
  }

  func forget(_ core: EnvironmentCore) {
    let (identity, number) = (core.identity, core.number)
    lock.acquire()
    defer { lock.release() }
    if entries[identity]?.number == number { entries[identity] = nil }
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
