#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A lock that the thread holding it can take again, and that can be held across a fork.
///
/// The last reference to an environment may go away while its thread holds the registry, whose
/// entry it then removes.
@safe
final class RecursiveLock: @unchecked Sendable {
  // SAFETY (Sendable): a C mutex is made for use by several threads.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    initialize()
  }

  private func initialize() {
    var attributes = pthread_mutexattr_t()
    // SAFETY: memory at a fixed address, given back in deinit; attributes are read by the mutex's
    // initialization.
    unsafe pthread_mutexattr_init(&attributes)
    unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    unsafe pthread_mutex_init(mutex, &attributes)
    unsafe pthread_mutexattr_destroy(&attributes)
  }

  /// Makes the lock free in a forked child, whose one thread isn't the one that took it: it has
  /// another number, and the system would refuse its release.
  func renewAfterFork() { initialize() }

  deinit {
    // SAFETY: nobody can hold a lock that nobody refers to.
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  // SAFETY: the mutex lives as long as self.
  func acquire() { _ = unsafe pthread_mutex_lock(mutex) }

  // SAFETY: the mutex lives as long as self, and the caller holds it.
  func release() { _ = unsafe pthread_mutex_unlock(mutex) }
}
