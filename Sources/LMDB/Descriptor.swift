#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
internal import CLMDB

/// An open file that closes with its owner.
package struct Descriptor: ~Copyable {
  package static let reading = O_RDONLY | O_NONBLOCK
  package static let both = O_RDWR
  static let bothMade = O_RDWR | O_CREAT
  package static let newFile = O_RDWR | O_CREAT | O_EXCL
  package static let folder = O_RDONLY | O_DIRECTORY

  package let number: Int32

  /// Opens without following a link in the last place; a file that is made is the owner's alone.
  package init(path: String, flags: Int32) throws(LMDBError) {
    // SAFETY: the C string lives until the call returns.
    number = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if number < 0 { throw LMDBError(status: errno, in: .openFile) }
  }

  deinit { close(number) }

  /// Sets the mode, whatever the process's mask took from it.
  package func setMode(_ mode: UInt16) { _ = fchmod(number, mode_t(mode)) }

  /// Takes the advisory lock that belongs to what was opened, and waits for it; false where the file
  /// system has none.
  ///
  /// Folders are held by it while a file is made in them.
  package func lock() -> Bool {
    while flock(number, LOCK_EX) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  package func unlock() { Self.unlock(number) }

  /// Takes the same lock by number without waiting; nil where the file system has none.
  static func tryLock(_ number: Int32) -> Bool? {
    while flock(number, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { return nil }
    }
    return true
  }

  static func unlock(_ number: Int32) { _ = flock(number, LOCK_UN) }

  /// Takes the process's lock on the first byte, exclusively; false if another process has one.
  func lockFirstByte() -> Bool {
    var range = flock()
    range.l_type = Int16(truncatingIfNeeded: F_WRLCK)
    range.l_whence = Int16(truncatingIfNeeded: SEEK_SET)
    range.l_start = 0
    range.l_len = 1
    // SAFETY: the structure is read before the call returns.
    return unsafe fcntl(number, F_SETLK, &range) == 0
  }

  /// Flushes the file, or the folder's entries, to the medium.
  package func flush() throws(LMDBError) {
    if Self.flushMedium(number) || fsync(number) == 0 { return }
    throw LMDBError(status: errno, in: .flushFile)
  }

  /// Flushes the file's bytes, and of what is known of it only what reading them takes.
  package func flushBytes() throws(LMDBError) {
    #if canImport(Darwin)
      try flush()
    #else
      if fdatasync(number) != 0 { throw LMDBError(status: errno, in: .flushFile) }
    #endif
  }

  /// On Apple's systems, where `fsync` stops at the drive's cache, flushes that too; whether it did.
  static func flushMedium(_ number: Int32) -> Bool {
    #if canImport(Darwin)
      fcntl(number, F_FULLFSYNC) == 0
    #else
      false
    #endif
  }

  // MARK: Bytes, by number, so that the engine's own descriptor can be read without owning it

  package static func size(_ number: Int32) throws(LMDBError) -> Int {
    var information = stat()
    // SAFETY: the structure is filled before the call returns.
    if unsafe fstat(number, &information) != 0 {
      throw LMDBError(status: errno, in: .examineFile)
    }
    return Int(information.st_size)
  }

  /// Up to `count` bytes from `offset`: fewer where the file ends.
  package static func read(_ number: Int32, at offset: Int, count: Int) throws(LMDBError) -> [UInt8]
  {
    var failure: Int32 = 0
    // SAFETY: pread writes only inside the buffer's capacity; what it wrote is counted.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
      while filled < count, let start = buffer.baseAddress {
        let got = unsafe pread(number, start + filled, count - filled, off_t(offset + filled))
        if got == 0 { return }
        if got > 0 {
          filled += got
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    if failure != 0 { throw LMDBError(status: failure, in: .readFile) }
    return bytes
  }

  /// Whether the disk, or the file's allowed size, is at its end: what cut a write short.
  static func limit(_ number: Int32) -> LMDBError.Code? {
    let margin: UInt64 = 1 << 20
    var allowed = rlimit()
    // SAFETY (two calls): the structures are filled before the calls return.
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    if unsafe getrlimit(resource, &allowed) == 0, let size = try? size(number),
      UInt64(size) + margin > UInt64(allowed.rlim_cur)
    {
      return .fileTooLarge
    }
    var space = statvfs()
    guard unsafe fstatvfs(number, &space) == 0 else { return nil }
    return UInt64(space.f_bavail) * UInt64(space.f_frsize) < margin ? .noSpace : nil
  }

  package static func write(_ number: Int32, _ bytes: [UInt8], at offset: Int) throws(LMDBError) {
    var written = 0
    while written < bytes.count {
      // SAFETY: the array's bytes live until the call returns, which reads `count - written` of them.
      let put = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(
          number, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written,
          off_t(offset + written))
      }
      if put < 0, errno != EINTR { throw LMDBError(status: errno, in: .writeFile) }
      written += max(0, put)
    }
  }
}

extension Descriptor {
  #if !canImport(Darwin)
    /// `FALLOC_FL_KEEP_SIZE` and `FALLOC_FL_PUNCH_HOLE`: the second asks for the first.
    private static let holeKeepingSize: Int32 = 0x01 | 0x02
  #endif

  /// Takes the room of bytes from an open file, which then read as zero; whether that went well.
  static func punchHole(_ number: Int32, _ bytes: Range<Int>) -> Bool {
    guard !bytes.isEmpty, bytes.lowerBound >= 0 else { return false }
    #if canImport(Darwin)
      var hole = fpunchhole_t()
      hole.fp_offset = off_t(bytes.lowerBound)
      hole.fp_length = off_t(bytes.count)
      // SAFETY: the structure is read before the call returns.
      return unsafe fcntl(number, F_PUNCHHOLE, &hole) == 0
    #else
      let (offset, length) = (off_t(bytes.lowerBound), off_t(bytes.count))
      while fallocate(number, holeKeepingSize, offset, length) != 0 {
        if errno != EINTR { return false }
      }
      return true
    #endif
  }
}
