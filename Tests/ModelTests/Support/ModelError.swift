import TestSupport

/// An error of a response, and as it is kept.
struct ModelError: Equatable {
  enum Step: Equatable {
    case key(String)
    case index(Int)
  }

  var message: String
  var path: [Step]
  /// The error's own `type`; nil when it has none.
  var type: String?
  /// The `code` within its extensions; nil when they have none.
  var code: String?
  /// The extensions as the text of a JSON object; empty when there are none.
  var extensions = ""

  /// An error with a type, or with extensions that may have a code, or with neither.
  static func random(at path: [Step], using generator: inout SeededGenerator) -> ModelError {
    let codes = ["NOT_FOUND", "FORBIDDEN", "SLOW", ""]
    var error = ModelError(
      message: "e\(Int.random(in: 0...2, using: &generator))", path: path)
    if generator.oneIn(3) { error.type = codes.dropLast().randomElement(using: &generator) }
    guard generator.oneIn(3) else { return error }
    if generator.oneIn(2) { error.code = codes.randomElement(using: &generator) }
    let code = error.code.map { "\"code\":\"\($0)\"," } ?? ""
    error.extensions = "{\(code)\"n\":[\(Int.random(in: 0...2, using: &generator)),{\"a\":null}]}"
    return error
  }

  /// The path as JSON.
  private var pathText: String {
    let steps = path.map { step in
      switch step {
      case .key(let key): "\"\(key)\""
      case .index(let index): String(index)
      }
    }
    return "[\(steps.joined(separator: ","))]"
  }

  /// The error as a response has it.
  var text: String {
    var text = "{\"message\":\"\(message)\",\"path\":\(pathText)"
    if let type { text += ",\"type\":\"\(type)\"" }
    if !extensions.isEmpty { text += ",\"extensions\":\(extensions)" }
    return text + "}"
  }

  /// The error as it is kept: its message, path, code and extensions.
  var line: String {
    [message, pathText, type ?? code ?? "", extensions].joined(separator: " ")
  }

  /// The path as the dump writes it.
  var dottedPath: String {
    path.map { step in
      switch step {
      case .key(let key): key
      case .index(let index): String(index)
      }
    }.joined(separator: ".")
  }
}
