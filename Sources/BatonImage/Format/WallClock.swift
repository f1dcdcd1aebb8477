import Foundation

/// The time as the format keeps it.
enum WallClock {
  /// Milliseconds since 1970.
  static var now: Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
}
