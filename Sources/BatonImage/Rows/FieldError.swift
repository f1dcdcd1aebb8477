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
    var text: [UInt8] = []
    var isString = false
    var isEscaped = false
    for byte in pathText.utf8.dropFirst().dropLast() {
      if isEscaped {
        isEscaped = false
        text.append(byte)
      } else if isString, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isString.toggle()
      } else {
        text.append(byte == UInt8(ascii: ",") && !isString ? UInt8(ascii: ".") : byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
