import Foundation

/// Emphasis in text for people: escape sequences on a terminal that wants them, else nothing.
struct Style {
  private let isColored: Bool

  init(isColored: Bool) {
    self.isColored = isColored
  }

  /// That of standard output, which `NO_COLOR` switches off.
  static let output: Style = {
    let environment = ProcessInfo.processInfo.environment
    let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
    return Style(isColored: !isRefused && isatty(STDOUT_FILENO) != 0)
  }()

  func heading(_ text: String) -> String { wrapped(text, "1") }
  func faint(_ text: String) -> String { wrapped(text, "2") }
  func alarm(_ text: String) -> String { wrapped(text, "31") }

  private func wrapped(_ text: String, _ code: String) -> String {
    isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// Stored text as it can be shown: control characters and what would move a terminal's cursor are
/// escaped, and what is longer than `limit` characters is cut.
func printable(_ text: some StringProtocol, limit: Int = .max) -> String {
  var shown = ""
  for (count, character) in text.enumerated() {
    if count == limit { return shown + "..." }
    for scalar in character.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
        .privateUse:
        shown += "\\u{\(String(scalar.value, radix: 16))}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
  }
  return shown
}
