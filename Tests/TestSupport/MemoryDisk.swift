#if os(Linux)
  import Foundation

  /// A small disk of memory, which only the process that mounts it sees; mounting takes root.
  public enum MemoryDisk {
    /// Mounts so many megabytes over a folder; whether that went well.
    public static func mount(at path: String, megabytes: Int) -> Bool {
      let newNamespace: Int32 = 0x0002_0000
      // SAFETY: the C library's unshare has this type; the C strings live until the calls return.
      guard let symbol = unsafe dlsym(nil, "unshare") else { return false }
      let unshare = unsafe unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
      guard unshare(newNamespace) == 0,
        unsafe Glibc.mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0
      else { return false }
      return unsafe Glibc.mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0
    }

    /// Lets nobody write to it any more; whether that went well.
    public static func forbidWriting(at path: String) -> Bool {
      // SAFETY: the C strings live until the call returns.
      unsafe Glibc.mount("none", path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
    }
  }
#endif
