#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The thread that asks.
enum ThisThread {
  /// A number that no other living thread has; never 0.
  static var number: UInt {
    #if canImport(Darwin)
      // SAFETY: the pointer is only a number here.
      unsafe UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}
