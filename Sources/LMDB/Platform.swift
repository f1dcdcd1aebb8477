#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The few functions of the C library that the package needs, with their pointers kept inside.
package enum Platform {
  /// The number of the last failure on this thread.
  static var lastError: Int32 { errno }

  package static var processID: Int32 { getpid() }

  /// Whether there is a process of this number, whoever's it is.
  package static func isAlive(_ process: Int32) -> Bool {
    kill(process, 0) == 0 || errno != ESRCH
  }

  /// This thread, as a number that no other living thread has.
  static var thread: UInt {
    #if canImport(Darwin)
      // SAFETY: the pointer is only a number here.
      unsafe UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  static var pageSize: Int { Int(sysconf(Int32(_SC_PAGESIZE))) }

  static func pause(microseconds: UInt32) { _ = usleep(microseconds) }

  // SAFETY (four functions): the C strings live until the calls return.
  package static func unlink(_ path: String) {
    #if canImport(Darwin)
      _ = unsafe Darwin.unlink(path)
    #elseif canImport(Musl)
      _ = unsafe Musl.unlink(path)
    #else
      _ = unsafe Glibc.unlink(path)
    #endif
  }

  /// Gives the file at `from` the second name `to`; zero, or the number of the failure.
  package static func link(from: String, to: String) -> Int32 {
    #if canImport(Darwin)
      let answer = unsafe Darwin.link(from, to)
    #elseif canImport(Musl)
      let answer = unsafe Musl.link(from, to)
    #else
      let answer = unsafe Glibc.link(from, to)
    #endif
    return answer == 0 ? 0 : errno
  }

  /// Gives the file at `from` the name `to` in place of its own, and of what had it; zero, or the
  /// number of the failure.
  package static func rename(from: String, to: String) -> Int32 {
    #if canImport(Darwin)
      let answer = unsafe Darwin.rename(from, to)
    #elseif canImport(Musl)
      let answer = unsafe Musl.rename(from, to)
    #else
      let answer = unsafe Glibc.rename(from, to)
    #endif
    return answer == 0 ? 0 : errno
  }

  static func setMode(_ path: String, _ mode: mode_t) { _ = unsafe chmod(path, mode) }

  /// Whether `size` bytes of addresses can be had now.
  static func hasAddresses(for size: Int) -> Bool {
    #if canImport(Darwin)
      let flags = MAP_PRIVATE | MAP_ANON
    #else
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    #endif
    // SAFETY: a mapping of our own at an address of the system's choice, given back at once.
    let probe = unsafe mmap(nil, size, PROT_NONE, flags, -1, 0)
    guard let probe = unsafe probe, unsafe probe != MAP_FAILED else { return false }
    // SAFETY: the mapping made above, whole.
    unsafe munmap(probe, size)
    return true
  }
}

extension Platform {
  /// The path from the root, as the process stands now.
  package static func absolute(_ path: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    // SAFETY: the system allocates the answer, which is copied and given back here.
    guard let folder = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder) + "/" + path
  }

  /// The folder that a path from the root leads through last.
  package static func folder(of path: String) -> String {
    let bytes = path.utf8
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == bytes.startIndex ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
  }
}
