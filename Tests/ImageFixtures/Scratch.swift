import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder of one test and the files in it.
package final class Scratch {
  private let files: TemporaryFolder

  package init() {
    do { files = try TemporaryFolder() } catch { fatalError("no folder: \(error)") }
  }

  /// A path in the folder.
  package func path(_ name: String) -> String { files.file(name) }

  /// Writes a file, over the one of that name, and returns its path.
  @discardableResult
  package func write(_ bytes: [UInt8], as name: String = "harmed.image") -> String {
    let path = path(name)
    let descriptor = unsafe open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0)
    defer { close(descriptor) }
    // SAFETY: the buffer is valid for its count while the call runs.
    unsafe bytes.withUnsafeBytes { _ = unsafe writeAll(descriptor, $0.baseAddress, $0.count) }
    return path
  }

  /// Removes a file of the folder and the lock file beside it.
  package func remove(_ path: String) {
    // SAFETY: the strings are passed as C strings for the calls only.
    _ = unsafe unlink(path)
    _ = unsafe unlink(path + "-lock")
  }

  /// Removes every file of the folder.
  package func clear() {
    do {
      for name in try files.contents {
        // SAFETY: the string is passed as a C string for the call only.
        _ = unsafe unlink(path(name))
      }
    } catch {
      fatalError("no folder: \(error)")
    }
  }

  package func read(_ path: String) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0)
    defer { close(descriptor) }
    let count = Int(lseek(descriptor, 0, SEEK_END))
    // SAFETY: the system writes at most `count` bytes into a buffer of `count`.
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = unsafe pread(descriptor, buffer.baseAddress, count, 0)
    }
  }
}

/// The system's `write`, which a method's name hides.
@unsafe
private func writeAll(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
