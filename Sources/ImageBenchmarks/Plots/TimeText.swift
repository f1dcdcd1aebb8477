import Foundation

/// A time for people.
enum TimeText {
  /// Three digits that count and a unit: `2.41 us`.
  static func value(_ nanoseconds: Double) -> String {
    let (amount, unit) = split(nanoseconds)
    let decimals = amount < 9.995 ? 2 : amount < 99.95 ? 1 : 0
    return String(format: "%.\(decimals)f ", amount) + unit
  }

  /// A round time without decimals that say nothing: `10 us`.
  static func tick(_ nanoseconds: Double) -> String {
    if nanoseconds == 0 { return "0" }
    let (amount, unit) = split(nanoseconds)
    return String(format: "%g ", amount) + unit
  }

  private static func split(_ nanoseconds: Double) -> (Double, String) {
    if nanoseconds < 999.5 { return (nanoseconds, "ns") }
    if nanoseconds < 999.5e3 { return (nanoseconds / 1e3, "\u{B5}s") }
    if nanoseconds < 999.5e6 { return (nanoseconds / 1e6, "ms") }
    return (nanoseconds / 1e9, "s")
  }
}
