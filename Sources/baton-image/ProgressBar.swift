import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A bar on the terminal that says how far something has come; nothing where there is no terminal.
struct ProgressBar: Sendable {
  /// Whether results and messages both go to a terminal: a bar is for a person who watches.
  private let isShown: Bool
  private static let width = 24

  init() {
    let terminal = ProcessInfo.processInfo.environment["TERM"] ?? ""
    isShown =
      isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1
      && !terminal.isEmpty && terminal != "dumb"
  }

  /// Draws the bar over the last one.
  func draw(_ done: Int, of total: Int, _ text: String) {
    guard isShown, total > 0 else { return }
    let filled = Self.width * done / total
    let bar =
      String(repeating: "#", count: filled) + String(repeating: "-", count: Self.width - filled)
    let count = String(done)
    let padding = String(repeating: " ", count: String(total).count - count.count)
    write("\r[\(bar)] \(padding)\(count)/\(total)  \(text)\u{1B}[K")
  }

  /// Clears the line, for what is printed next.
  func clear() {
    if isShown { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
