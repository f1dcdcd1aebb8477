internal import CLMDB

/// Makes a data file that is whole and private from the first moment it has its name.
///
/// The engine fills a file of another name, unlocked, which then gets the right one: whoever comes
/// second finds a whole file, and a failure leaves nothing under the name. The folder is locked
/// meanwhile, so that a lock file left over from a file that was removed can go: processes that
/// still have the removed file open keep its locks, and those who open the new one share new ones.
struct FileCreation {
  let path: String
  /// How many tables `making` can open.
  let tables: Int

  /// Makes the file with what `making` puts into it, unless somebody else has by now.
  func create(_ making: (Environment) throws(LMDBError) -> Void) throws(LMDBError) {
    let folder = try Descriptor(path: Platform.folder(of: path), flags: Descriptor.folder)
    let isLocked = folder.lock()
    guard try FileInformation(path: path) == nil else { return }
    if try FileInformation(path: path + "-lock") != nil, isLocked {
      Platform.unlink(path + "-lock")
    }
    let draft = path + ".new-" + String(UInt64.random(in: .min ... .max), radix: 16)
    defer { Platform.unlink(draft) }
    try fill(draft, making)
    let status = Platform.link(from: draft, to: path)
    if status == 0 {
      try folder.flush()
    } else if try FileInformation(path: path) == nil {
      throw LMDBError(status: status, in: .createFile)
    }
  }

  private func fill(
    _ draft: String, _ making: (Environment) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    let file = try Descriptor(path: draft, flags: Descriptor.newFile)
    file.setMode(0o600)
    let environment = try open(draft, FileInformation(descriptor: file.number).identity)
    do throws(LMDBError) {
      try making(environment)
    } catch {
      try? environment.close()
      throw error
    }
    try environment.synchronize()
    try environment.close()
  }

  /// An environment over the draft, which nobody else knows of: without locks, in no registry.
  private func open(
    _ draft: String, _ identity: FileIdentity
  ) throws(LMDBError) -> Environment {
    let options = Environment.Options(
      mapSize: 1 << 20, maximumTables: tables, synchronization: .none)
    let environment = try RawEnvironment()
    do throws(LMDBError) {
      // The engine writes the map's size into the file; nobody relies on it, but it says one.
      try environment.configure(tables: tables, readers: 1, mapSize: options.mapSize)
      try environment.open(path: draft, flags: options.flags | MDB_NOLOCK)
    } catch {
      environment.close()
      throw error
    }
    let core = EnvironmentCore(
      environment, identity: identity, path: draft, options: options)
    return Environment(OpenFile(core), isReadOnly: false)
  }
}
