#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A regular file open for reading, by position and never through a mapping: a file that is cut
/// while it is open ends a read early instead of raising a signal.
///
/// Closes the descriptor at the end of its life unless it was borrowed. A process that holds POSIX
/// locks on the same file loses them when any descriptor of the file is closed, so one that does
/// lends its own descriptor.
struct FileBytes: ~Copyable {
  private let descriptor: CInt
  private let isOwned: Bool

  /// Opens the file at `path`.
  ///
  /// Throws `notFound` when there is none, `foreign` for a symbolic link or anything but a regular
  /// file, `engine` when the system refuses.
  init(opening path: String) throws(ImageError) {
    // A FIFO would hold up an open that waits for its other end.
    // SAFETY: the string is passed as a C string for the call only.
    let opened = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR: throw .notFound(path)
      case ELOOP: throw .foreign("\(path) is a symbolic link")
      default: throw .engine("\(path) can't be opened: \(Self.reason())")
      }
    }
    do throws(ImageError) {
      _ = try Self.length(of: opened)
    } catch {
      _ = close(opened)
      throw error
    }
    descriptor = opened
    isOwned = true
  }

  /// Reads through a descriptor that the caller keeps open for as long as this lives.
  ///
  /// Throws `foreign` when it is not a regular file's.
  init(borrowing descriptor: CInt) throws(ImageError) {
    _ = try Self.length(of: descriptor)
    self.descriptor = descriptor
    isOwned = false
  }

  deinit {
    if isOwned { _ = close(descriptor) }
  }

  /// The file's length now.
  borrowing func length() throws(ImageError) -> UInt64 {
    try Self.length(of: descriptor)
  }

  private static func length(of descriptor: CInt) throws(ImageError) -> UInt64 {
    var status = stat()
    // SAFETY: the system writes one `stat` into the variable during the call.
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw .engine("the file's length can't be read: \(reason())")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .foreign("not a regular file") }
    return UInt64(clamping: status.st_size)
  }

  /// `count` bytes from `offset` on, fewer when the file ends before.
  ///
  /// Callers bound `count` by the file's length. Throws `engine` when the system can't read.
  borrowing func read(_ count: Int, at offset: UInt64) throws(ImageError) -> [UInt8] {
    guard count > 0, let start = off_t(exactly: offset),
      !start.addingReportingOverflow(off_t(count)).overflow
    else { return [] }
    var failure: CInt = 0
    let source = descriptor
    // SAFETY: the system writes at most `count - filled` bytes behind the `filled` ones of a
    // buffer of `count`, which lives for the closure, and `filled` counts what it wrote.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = unsafe pread(
          source, buffer.baseAddress.map { unsafe $0 + filled }, count - filled,
          start + off_t(filled))
        if got > 0 {
          filled += got
        } else if got == 0 {
          return
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    guard failure == 0 else {
      throw .engine("byte \(offset) can't be read: \(Self.reason(failure))")
    }
    return bytes
  }

  private static func reason(_ code: CInt = errno) -> String {
    // SAFETY: the system's text lives at least until the next call; the string copies it.
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}
