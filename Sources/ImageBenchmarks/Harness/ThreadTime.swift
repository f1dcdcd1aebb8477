import Foundation

/// The time that processors spent on this thread: what others take of a core is not in it.
enum ThreadTime {
  static var now: Duration {
    var time = timespec()
    // SAFETY: the call fills the structure and keeps no pointer to it.
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
