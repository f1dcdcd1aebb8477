#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Time that processors spent on the calling thread: what other tests take of them is not in it.
public enum ThreadTime {
  /// What `body` takes.
  public static func measure(_ body: () throws -> Void) rethrows -> Duration {
    let start = now
    try body()
    return now - start
  }

  private static var now: Duration {
    var time = timespec()
    // SAFETY: the call fills the structure and keeps no pointer to it.
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
