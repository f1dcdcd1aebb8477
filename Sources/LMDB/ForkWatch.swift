public import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// How often this process is the child of a fork.
///
/// Reader slots, locks and map of an environment belong to the process that opened it. Asking for
/// the process's number at each read would cost more than the read; a handler in the child counts
/// instead, and an environment remembers the count it was opened under. Calls that are slow anyway
/// compare the number too, for children made without handlers.
@usableFromInline
final class ForkWatch: Sendable {
  static let shared = ForkWatch()

  @usableFromInline let count = Atomic<Int>(0)

  private init() {
    // The registry is held across the fork, so that the child finds it whole.
    pthread_atfork(
      { Registry.shared.holdForFork() },
      { Registry.shared.releaseAfterFork() },
      {
        ForkWatch.shared.count.wrappingAdd(1, ordering: .relaxed)
        Registry.shared.abandonAfterFork()
      })
  }
}
