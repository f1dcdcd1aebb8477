import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Tells when somebody, in this process or another, wrote to a file.
///
/// On Linux by inotify, on Apple's systems by a vnode event source. Nothing is polled.
final class FileWatch: @unchecked Sendable {
  // SAFETY (Sendable): a source may be used from all threads; it is made here and ended here.
  private let source: any DispatchSourceProtocol

  /// Calls `handler` on `queue` after writes. Nil where the system refuses to watch.
  init?(path: String, on queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
    #if canImport(Darwin)
      // Opened for events only. The engine's locks are on the lock file, not on this one.
      // SAFETY: the C string lives until the call returns.
      let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
      source.setEventHandler(handler: handler)
    #else
      let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      // SAFETY: the C string lives until the call returns.
      guard unsafe inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
        close(descriptor)
        return nil
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler {
        Self.drain(descriptor)
        handler()
      }
    #endif
    source.setCancelHandler { close(descriptor) }
    self.source = source
    source.activate()
  }

  deinit { source.cancel() }

  #if !canImport(Darwin)
    /// Reads the events away: what they say is known.
    private static func drain(_ descriptor: Int32) {
      var room = [UInt8](repeating: 0, count: 4096)
      var count = 1
      while count > 0 {
        // SAFETY: read writes at most `$0.count` bytes into the array's own.
        count = unsafe room.withUnsafeMutableBytes {
          unsafe read(descriptor, $0.baseAddress, $0.count)
        }
      }
    }
  #endif
}

/// Calls a handler at a fixed pace, where a file can't be watched.
final class Pace: @unchecked Sendable {
  // SAFETY (Sendable): as above.
  private let source: any DispatchSourceTimer

  init(milliseconds: Int, on queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(
      deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds),
      leeway: .milliseconds(milliseconds / 5))
    source.setEventHandler(handler: handler)
    self.source = source
    source.activate()
  }

  deinit { source.cancel() }
}
