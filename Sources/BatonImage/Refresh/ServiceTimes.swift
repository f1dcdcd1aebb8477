import Foundation

/// When a service says to come back.
enum ServiceTimes {
  /// The time of `retry-after` (seconds or a date), else of `x-ratelimit-reset` (seconds since
  /// 1970); nil when neither says one.
  static func retry(_ response: TransportResponse, _ now: Date) -> Date? {
    if let text = response.headers["retry-after"] {
      if let seconds = Int32(text), seconds >= 0 { return now + TimeInterval(seconds) }
      if let date = date(text) { return date }
    }
    guard let text = response.headers["x-ratelimit-reset"], let seconds = Int64(text),
      seconds >= 0, seconds < Int64(UInt32.max) * 16
    else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(seconds))
  }

  /// A date as HTTP writes it, `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func date(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.date(from: text)
  }
}
