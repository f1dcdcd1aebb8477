import BatonPlan

/// An error a response gave for a field, as it is kept beside the field.
public struct FieldError: Sendable, Hashable {
  public var message: String
  /// The response path as a JSON array, `["nodes",2,"title"]`.
  public var pathText: String
  /// The error's `type`, else `extensions.code`, else empty: `NOT_FOUND`, `FORBIDDEN`.
  public var code: String
  /// The error's `extensions` as the source text of a JSON object; empty when there are none.
  public var extensionsText: String

  public init(
    message: String, pathText: String = "[]", code: String = "", extensionsText: String = ""
  ) {
    self.message = message
    self.pathText = pathText
    self.code = code
    self.extensionsText = extensionsText
  }

  /// Appends the error to an errors block: Docs/Format.md section 7.
  package func append(to block: inout [UInt8]) {
    for text in [message, pathText, code, extensionsText] {
      block.append(varint: UInt64(text.utf8.count))
      block.append(contentsOf: text.utf8)
    }
  }

  /// The errors of a block. Throws `damaged` when it is cut.
  package static func decode(_ block: Span<UInt8>) throws(ImageError) -> [FieldError] {
    var reader = ByteReader(block)
    var errors: [FieldError] = []
    while !reader.isAtEnd {
      var texts: [String] = []
      for _ in 0..<4 {
        guard let text = reader.prefixed() else {
          throw .damaged(Damage("errors", "an error is cut"))
        }
        texts.append(text.text())
      }
      errors.append(
        FieldError(
          message: texts[0], pathText: texts[1], code: texts[2], extensionsText: texts[3]))
    }
    return errors
  }

  /// The response path, joined with dots: `nodes.2.title`.
  public var dottedPath: String {
    guard case .list(let steps)? = try? Value(json: Array(pathText.utf8).span) else {
      return pathText
    }
    let texts = steps.map { step in
      if case .string(let text) = step { text } else { CanonicalJSON.text(of: step) }
    }
    return texts.joined(separator: ".")
  }
}
