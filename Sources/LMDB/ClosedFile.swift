/// A data file that is about to be opened, looked at before the engine maps it.
///
/// No environment of this process has it open; another process may, and `isAlone()` tells. It goes
/// with the examination it was made for.
public struct ClosedFile: ~Copyable {
  private let file: Descriptor
  private let exclusion: Exclusion

  init(path: String, isReadOnly: Bool) throws(LMDBError) {
    exclusion = Exclusion(path: path + "-lock")
    file = try Descriptor(path: path, flags: isReadOnly ? Descriptor.reading : Descriptor.both)
  }

  /// Which file it is.
  func identity() throws(LMDBError) -> FileIdentity {
    try FileInformation(descriptor: file.number).identity
  }

  /// Whether another descriptor is the same file's.
  package func isSame(as other: borrowing Descriptor) throws(LMDBError) -> Bool {
    try FileInformation(descriptor: other.number).identity == identity()
  }

  /// The descriptor it is read through, for as long as the examination lasts.
  package var descriptor: Int32 { file.number }

  /// Its size and times.
  package func stamp() throws(LMDBError) -> FileStamp {
    try FileInformation(descriptor: file.number).stamp
  }

  /// The file's size in bytes.
  public func size() throws(LMDBError) -> Int { try Descriptor.size(file.number) }

  /// Up to `count` bytes from `offset`: fewer where the file ends.
  public func read(at offset: Int, count: Int) throws(LMDBError) -> [UInt8] {
    try Descriptor.read(file.number, at: offset, count: count)
  }

  /// Overwrites bytes from `offset` on; the file must be opened for writing.
  public func write(_ bytes: [UInt8], at offset: Int) throws(LMDBError) {
    try Descriptor.write(file.number, bytes, at: offset)
  }

  /// Whether no other process has the file open; if so, none can open it until the examination ends:
  /// they wait.
  ///
  /// Asking makes the lock file, if there is none.
  public func isAlone() throws(LMDBError) -> Bool { try exclusion.take() }

  /// Flushes the file to the medium.
  public func synchronize() throws(LMDBError) { try file.flush() }
}

extension ClosedFile {
  /// Whether it begins as a file of the engine's does; an empty one is nobody's yet.
  ///
  /// The engine refuses the others too, but only after it made a lock file beside them.
  func hasHeader() throws(LMDBError) -> Bool {
    let start = try read(at: 0, count: 20)
    if start.isEmpty { return true }
    // Behind the 16 bytes of a page's header: the engine's mark, in the machine's byte order.
    var mark: [UInt8] = [0xDE, 0xC0, 0xEF, 0xBE]
    if 1.bigEndian == 1 { mark.reverse() }
    return start.count == 20 && Array(start[16...]) == mark
  }
}

extension ClosedFile {
  /// Gives the file the name `to` in place of `from`, if it still has that.
  ///
  /// The folder is locked meanwhile, as it is while a file is made. Throws `fileRemoved` where the
  /// file has lost its name.
  package func rename(from: String, to: String) throws(LMDBError) {
    let folder = try Descriptor(path: Platform.folder(of: from), flags: Descriptor.folder)
    _ = folder.lock()
    guard try FileInformation(path: from)?.identity == identity() else {
      throw LMDBError(.fileRemoved, in: .open)
    }
    let status = Platform.rename(from: from, to: to)
    if status != 0 { throw LMDBError(status: status, in: .createFile) }
    try folder.flush()
  }

  /// Removes the file's name, under the same conditions.
  package func remove(from path: String) throws(LMDBError) {
    let folder = try Descriptor(path: Platform.folder(of: path), flags: Descriptor.folder)
    _ = folder.lock()
    guard try FileInformation(path: path)?.identity == identity() else {
      throw LMDBError(.fileRemoved, in: .open)
    }
    Platform.unlink(path)
  }
}
