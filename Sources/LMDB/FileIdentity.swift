#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Which file it is, by whatever path it was reached.
package struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
}

/// What changes with a file's bytes: who finds both as they were may take it that nobody wrote.
package struct FileStamp: Equatable, Sendable {
  /// Bytes of the file.
  package var size: UInt64
  /// When its bytes changed last, in nanoseconds since 1970.
  package var modified: Int64
  /// When its bytes or what is known of it changed last; a program can't set it.
  package var changed: Int64

  package init(size: UInt64, modified: Int64, changed: Int64) {
    self.size = size
    self.modified = modified
    self.changed = changed
  }
}

/// What the system says of a file without opening it.
package struct FileInformation {
  package var identity: FileIdentity
  package var size: Int
  package var links: Int
  package var mode: UInt32
  package var stamp: FileStamp
  package var room: FileRoom

  /// The regular file at `path`, or nil where there is nothing.
  ///
  /// A symbolic link in the last place is refused, and so is what isn't a regular file. Folders on
  /// the way may be links.
  package init?(path: String) throws(LMDBError) {
    var information = stat()
    // SAFETY: the C string lives until the call returns, the structure is filled before it does.
    if unsafe lstat(path, &information) != 0 {
      if errno == ENOENT { return nil }
      throw LMDBError(status: errno, in: .examineFile)
    }
    switch information.st_mode & S_IFMT {
    case S_IFREG: self.init(information)
    case S_IFLNK: throw LMDBError(.symbolicLink, in: .examineFile)
    default: throw LMDBError(.notRegularFile, in: .examineFile)
    }
  }

  /// The file behind an open descriptor.
  package init(descriptor: Int32) throws(LMDBError) {
    var information = stat()
    // SAFETY: the structure is filled before the call returns.
    if unsafe fstat(descriptor, &information) != 0 {
      throw LMDBError(status: errno, in: .examineFile)
    }
    self.init(information)
  }

  private init(_ information: stat) {
    identity = FileIdentity(
      device: UInt64(truncatingIfNeeded: information.st_dev),
      inode: UInt64(truncatingIfNeeded: information.st_ino))
    size = Int(information.st_size)
    links = Int(information.st_nlink)
    mode = UInt32(information.st_mode)
    #if canImport(Darwin)
      let (modified, changed) = (information.st_mtimespec, information.st_ctimespec)
    #else
      let (modified, changed) = (information.st_mtim, information.st_ctim)
    #endif
    stamp = FileStamp(
      size: UInt64(clamping: information.st_size), modified: Self.nanoseconds(modified),
      changed: Self.nanoseconds(changed))
    room = FileRoom(
      allocated: Int(information.st_blocks) * Self.blockUnit, block: Int(information.st_blksize))
  }

  /// Bytes that the system counts blocks in, however large they are.
  private static let blockUnit = 512

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
