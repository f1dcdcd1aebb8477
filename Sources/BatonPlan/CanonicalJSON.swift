/// JSON in the one form that storage keys and stored texts use: no spaces, object members sorted by
/// name as UTF-8 bytes, numbers in their shortest form.
///
/// The rules are Docs/Format.md section 5; a golden test holds them to the byte.
public enum CanonicalJSON {
  /// Appends a value.
  public static func append(_ value: Value, to out: inout [UInt8]) {
    switch value {
    case .null: out.append(contentsOf: "null".utf8)
    case .boolean(let flag): out.append(contentsOf: (flag ? "true" : "false").utf8)
    case .int(let number): out.append(contentsOf: String(number).utf8)
    case .float(let number): append(number, to: &out)
    case .string(let text), .enumeration(let text): append(text, to: &out)
    case .list(let elements):
      out.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        append(element, to: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .object(let members):
      appendObject(members.map { ($0.name, $0.value) }, to: &out)
    }
  }

  /// The text of a value.
  public static func text(of value: Value) -> String {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func appendObject(_ members: [(String, Value)], to out: inout [UInt8]) {
    out.append(UInt8(ascii: "{"))
    let sorted = members.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    for (index, member) in sorted.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      append(member.0, to: &out)
      out.append(UInt8(ascii: ":"))
      append(member.1, to: &out)
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Appends a string with its quotes.
  public static func append(_ text: String, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    // Few strings have what is escaped: they are appended as they are, and looked at there.
    let start = out.count
    out.append(contentsOf: text.utf8)
    if let escaped = firstEscaped(in: out.span, from: start) {
      out.removeSubrange(escaped...)
      for byte in text.utf8.dropFirst(escaped - start) { appendEscaped(byte, to: &out) }
    }
    out.append(UInt8(ascii: "\""))
  }

  /// Whether a string of these bytes has nothing that is escaped, so that it is written as it is.
  public static func isPlain(_ text: Span<UInt8>) -> Bool { firstEscaped(in: text, from: 0) == nil }

  private static func firstEscaped(in bytes: Span<UInt8>, from start: Int) -> Int? {
    for index in start..<bytes.count where isEscaped(bytes[index]) { return index }
    return nil
  }

  /// Appends one byte of a string's UTF-8, escaped where JSON asks for it.
  @inline(__always)
  public static func appendEscaped(_ byte: UInt8, to out: inout [UInt8]) {
    guard isEscaped(byte) else {
      out.append(byte)
      return
    }
    out.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): out.append(byte)
    case 0x0A: out.append(UInt8(ascii: "n"))
    case 0x0D: out.append(UInt8(ascii: "r"))
    case 0x09: out.append(UInt8(ascii: "t"))
    default:
      out.append(contentsOf: "u00".utf8)
      out.append(hexadecimal(byte >> 4))
      out.append(hexadecimal(byte & 0x0F))
    }
  }

  @inline(__always)
  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }

  /// Appends a number: an integer below 2^53 in magnitude without a fraction, anything else as the
  /// shortest decimal that reads back. What JSON has no number for is `null`.
  public static func append(_ number: Double, to out: inout [UInt8]) {
    guard number.isFinite else {
      out.append(contentsOf: "null".utf8)
      return
    }
    if number == number.rounded(.towardZero) && number.magnitude < 0x1p53 {
      if number == 0 && number.sign == .minus { out.append(UInt8(ascii: "-")) }
      out.append(contentsOf: String(Int64(number)).utf8)
    } else {
      out.append(contentsOf: number.description.utf8)
    }
  }
}
