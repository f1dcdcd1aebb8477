import Foundation

/// Numbers, sizes and times as people read them.
enum Quantity {
  /// `139.3 KiB`.
  static func bytes(_ count: UInt64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    guard count >= 1024 else { return counted(count, "byte", "bytes") }
    var size = Double(count) / 1024
    var unit = 0
    while size >= 1024, unit + 1 < units.count {
      size /= 1024
      unit += 1
    }
    return "\((size * 10).rounded() / 10) \(units[unit])"
  }

  /// `2026-03-01T08:17:00Z`, of milliseconds since 1970.
  static func time(_ milliseconds: Int64) -> String {
    // Ten thousand years from 1970 on, which is what the formatter writes well.
    guard (0..<253_402_300_800_000).contains(milliseconds) else { return "\(milliseconds) ms" }
    return Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601)
  }

  /// `3 min ago`, of milliseconds since 1970.
  static func age(_ milliseconds: Int64, now: Date = Date()) -> String {
    let seconds = now.timeIntervalSince1970 - Double(milliseconds) / 1000
    return switch seconds {
    case ..<(-1): "in the future"
    case ..<60: "\(Int(max(0, seconds))) s ago"
    case ..<3600: "\(Int(seconds / 60)) min ago"
    case ..<172_800: "\(Int(seconds / 3600)) h ago"
    case ..<(1e12): "\(Int(seconds / 86_400)) days ago"
    default: "long ago"
    }
  }
}
