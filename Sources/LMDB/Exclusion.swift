/// The lock that the engine takes to be the first to open a file, taken before the engine does.
///
/// The engine holds the first byte of the lock file shared as long as it has a file open, and
/// exclusively while it prepares the lock file. Closing the descriptor gives the lock up, and with it
/// all locks of this process on the lock file: the registry has to know of no environment over it.
final class Exclusion {
  private let path: String
  private var holder: Holder?

  private struct Holder: ~Copyable {
    let file: Descriptor
  }

  init(path: String) { self.path = path }

  /// Whether the lock is held by this process alone, from now on until self goes.
  func take() throws(LMDBError) -> Bool {
    if holder != nil { return true }
    let file = try Descriptor(path: path, flags: Descriptor.bothMade)
    guard file.lockFirstByte() else { return false }
    holder = Holder(file: file)
    return true
  }
}
