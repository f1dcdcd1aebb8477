import BatonPlan

/// Writes JSON from what the image holds.
enum JSONWriter {
  /// Appends a string of stored text. What is not UTF-8, in a damaged image, becomes U+FFFD.
  static func append(string text: Span<UInt8>, to out: inout [UInt8]) {
    guard (try? UTF8Span(validating: text)) != nil else {
      CanonicalJSON.append(text.text(), to: &out)
      return
    }
    out.append(UInt8(ascii: "\""))
    var start = 0
    for index in text.indices where needsEscape(text[index]) {
      out.append(text.extracting(start..<index))
      CanonicalJSON.appendEscaped(text[index], to: &out)
      start = index + 1
    }
    out.append(text.extracting(start..<text.count))
    out.append(UInt8(ascii: "\""))
  }

  @inline(__always)
  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Appends a scalar as the token it came as. False when the payload has not its kind's form.
  static func append(
    _ kind: CellKind, _ payload: Span<UInt8>, to out: inout [UInt8]
  ) -> Bool {
    switch kind {
    case .null: out.append(contentsOf: "null".utf8)
    case .true: out.append(contentsOf: "true".utf8)
    case .false: out.append(contentsOf: "false".utf8)
    case .int:
      guard let number = CellView.int(payload) else { return false }
      out.append(contentsOf: String(number).utf8)
    case .float:
      guard payload.count >= 8 else { return false }
      if payload.count > 8 {
        out.append(payload.extracting(droppingFirst: 8))
      } else {
        out.append(contentsOf: Double(bitPattern: payload.u64(at: 0)).description.utf8)
      }
    case .string: append(string: payload, to: &out)
    case .source: out.append(payload)
    case .link, .links, .list: return false
    }
    return true
  }
}
