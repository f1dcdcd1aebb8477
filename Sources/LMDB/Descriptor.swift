#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// An open file that closes with its owner.
struct Descriptor: ~Copyable {
  static let reading = O_RDONLY
  static let both = O_RDWR
  static let bothMade = O_RDWR | O_CREAT
  static let newFile = O_WRONLY | O_CREAT | O_EXCL
  static let folder = O_RDONLY | O_DIRECTORY

  let number: Int32

  /// Opens without following a link in the last place; a file that is made is the owner's alone.
  init(path: String, flags: Int32) throws(LMDBError) {
    // SAFETY: the C string lives until the call returns.
    number = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if number < 0 { throw LMDBError(status: errno, in: .openFile) }
  }

  deinit { close(number) }

  /// Sets the mode, whatever the process's mask took from it.
  func setMode(_ mode: mode_t) { _ = fchmod(number, mode) }

  /// Takes the advisory lock that folders are held by while a file is made in them; false where the
  /// file system has none.
  func lock() -> Bool {
    while flock(number, LOCK_EX) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

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

  func flush() throws(LMDBError) {
    if Self.flush(number) != 0 { throw LMDBError(status: errno, in: .flushFile) }
  }

  private static func flush(_ number: Int32) -> Int32 {
    #if canImport(Darwin)
      if fcntl(number, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(number)
  }

  // MARK: Bytes, by number, so that the engine's own descriptor can be read without owning it

  static func size(_ number: Int32) throws(LMDBError) -> Int {
    var information = stat()
    // SAFETY: the structure is filled before the call returns.
    if unsafe fstat(number, &information) != 0 {
      throw LMDBError(status: errno, in: .examineFile)
    }
    return Int(information.st_size)
  }

  /// Up to `count` bytes from `offset`: fewer where the file ends.
  static func read(_ number: Int32, at offset: Int, count: Int) throws(LMDBError) -> [UInt8] {
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

  static func write(_ number: Int32, _ bytes: [UInt8], at offset: Int) throws(LMDBError) {
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
