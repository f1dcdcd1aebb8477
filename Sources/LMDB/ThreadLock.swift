#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A lock that belongs to a thread, knows it, and can be waited for up to a limit.
///
/// `Mutex` of the standard library has neither an owner to ask for nor a limit; LMDB's own writer
/// lock blocks without end. The inner C mutex is held for a few instructions only.
@safe
final class ThreadLock: @unchecked Sendable {
  // SAFETY (Sendable): everything below is touched with the inner mutex held.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var owner: UInt?

  enum Outcome {
    case acquired, timedOut, heldByThisThread
  }

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    // SAFETY: fresh memory at a fixed address, given back in deinit.
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
  }

  deinit {
    // SAFETY: no thread can wait on a lock that nobody refers to.
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Takes the lock, waiting until `deadline`; without one, as long as it takes.
  func acquire(until deadline: ContinuousClock.Instant?) -> Outcome {
    let thread = Platform.thread
    // SAFETY: the mutex lives as long as self; each lock has its unlock in this function.
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    if owner == thread { return .heldByThisThread }
    while owner != nil {
      guard wait(until: deadline) else { return .timedOut }
    }
    owner = thread
    return .acquired
  }

  func release() {
    // SAFETY: as above.
    unsafe pthread_mutex_lock(mutex)
    owner = nil
    unsafe pthread_cond_signal(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  var isHeldByThisThread: Bool {
    // SAFETY: as above.
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return owner == Platform.thread
  }

  /// Waits once, with the inner mutex held; false when the deadline has passed.
  private func wait(until deadline: ContinuousClock.Instant?) -> Bool {
    guard let deadline else {
      // SAFETY: the mutex is held; the wait gives it up and takes it again.
      unsafe pthread_cond_wait(condition, mutex)
      return true
    }
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { return false }
    // The condition's clock is the wall's: a limit of half a second a round keeps a step of that
    // clock from becoming the wait.
    let (seconds, attoseconds) = min(left, .milliseconds(500)).components
    var moment = timespec()
    // SAFETY: the structure is filled before the call returns.
    unsafe clock_gettime(CLOCK_REALTIME, &moment)
    let nanoseconds = moment.tv_nsec + Int(attoseconds / 1_000_000_000)
    moment.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    moment.tv_nsec = nanoseconds % 1_000_000_000
    // SAFETY: the mutex is held; the wait gives it up and takes it again.
    unsafe pthread_cond_timedwait(condition, mutex, &moment)
    return true
  }
}
