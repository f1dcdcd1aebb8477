internal import CLMDB

/// Makes a data file that is whole and private from the first moment it has its name.
///
/// The engine fills a file of another name, unlocked, which then gets the right one: whoever comes
/// second finds a whole file, and a failure leaves nothing under the name. The folder is locked
/// meanwhile, so that a lock file left over from a file that was removed can go: processes that
/// still have the removed file open keep its locks, and those who open the new one share new ones.
struct FileCreation {
  let path: String

  /// Makes the file, unless somebody else has by now.
  func create() throws(LMDBError) {
    let folder = try Descriptor(path: Platform.folder(of: path), flags: Descriptor.folder)
    let isLocked = folder.lock()
    guard try FileInformation(path: path) == nil else { return }
    if try FileInformation(path: path + "-lock") != nil, isLocked {
      Platform.unlink(path + "-lock")
    }
    let draft = path + ".new-" + String(UInt64.random(in: .min ... .max), radix: 16)
    defer { Platform.unlink(draft) }
    try fill(draft)
    let status = Platform.link(from: draft, to: path)
    if status == 0 {
      try folder.flush()
    } else if try FileInformation(path: path) == nil {
      throw LMDBError(status: status, in: .createFile)
    }
  }

  private func fill(_ draft: String) throws(LMDBError) {
    let file = try Descriptor(path: draft, flags: Descriptor.newFile)
    file.setMode(0o600)
    let environment = try RawEnvironment()
    defer { environment.close() }
    // The engine writes the map's size into the file; nobody relies on it, but it says one.
    try environment.configure(tables: 0, readers: 1, mapSize: 1 << 20)
    try environment.open(path: draft, flags: MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOTLS)
    try environment.synchronize()
  }
}
