/// Makes a data file that is whole and private from the first moment it has its name.
///
/// The engine fills a file of another name, unlocked, which then gets the right one: whoever comes
/// second finds a whole file, and a failure leaves nothing under the name. The folder is locked
/// meanwhile, so that a lock file left over from a file that was removed can go: processes that
/// still have the removed file open keep its locks, and those who open the new one share new ones.
struct FileCreation {
  let path: String
  /// How it will be opened: as many tables, and as large a map, `making` has as well.
  let options: Environment.Options

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
    let environment = try Environment.unlocked(
      draft, FileInformation(descriptor: file.number).identity, options)
    do throws(LMDBError) {
      try making(environment)
    } catch {
      try? environment.close()
      throw error
    }
    try environment.synchronize()
    try environment.close()
  }
}
