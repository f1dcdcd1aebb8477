/// Cuts a source into tokens, a token a call.
///
/// Works on bytes and copies none. What the specification ignores (white space, line terminators,
/// comments, commas, byte order marks) is skipped. Escapes of strings are checked here; contents
/// are decoded only when somebody asks for them.
struct Lexer {
  let bytes: [UInt8]
  /// The offset at which the next token is looked for.
  var position: Int

  /// A lexer at the start of `source`, whose bytes must be UTF-8.
  init(_ source: Source) throws(SyntaxError) {
    bytes = source.bytes
    position = source.start
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw SyntaxError(
        offset: error.byteOffsets.lowerBound, message: "the source is not UTF-8: \(error.kind)")
    }
  }

  /// The next token; `.end` at the end, however often it is asked.
  mutating func next() throws(SyntaxError) -> Token {
    let start = endOfIgnored(from: position)
    guard start < bytes.count else { return token(.end, from: start, to: start) }
    let byte = bytes[start]
    if Self.isNameStart(byte) { return token(.name, from: start, to: endOfName(from: start)) }
    if byte == UInt8(ascii: "\"") { return try string(from: start) }
    if byte == UInt8(ascii: "-") || Self.isDigit(byte) { return try number(from: start) }
    if byte == UInt8(ascii: ".") {
      guard self.byte(start + 1) == byte, self.byte(start + 2) == byte else {
        throw SyntaxError(offset: start, message: "unexpected '.'; a spread is written '...'")
      }
      return token(.spread, from: start, to: start + 3)
    }
    guard let kind = Self.punctuator(byte) else {
      throw SyntaxError(offset: start, message: "unexpected character \(character(at: start))")
    }
    return token(kind, from: start, to: start + 1)
  }

  /// The byte at `offset`; nil past the end.
  func byte(_ offset: Int) -> UInt8? {
    offset < bytes.count ? bytes[offset] : nil
  }

  /// Moves to `end` and makes the token that ends there.
  mutating func token(_ kind: Token.Kind, from start: Int, to end: Int) -> Token {
    position = end
    return Token(kind: kind, start: start, end: end)
  }

  static func isNameStart(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10
  }

  private static func punctuator(_ byte: UInt8) -> Token.Kind? {
    switch byte {
    case UInt8(ascii: "!"): .bang
    case UInt8(ascii: "$"): .dollar
    case UInt8(ascii: "&"): .ampersand
    case UInt8(ascii: "("): .leftParenthesis
    case UInt8(ascii: ")"): .rightParenthesis
    case UInt8(ascii: ":"): .colon
    case UInt8(ascii: "="): .equals
    case UInt8(ascii: "@"): .at
    case UInt8(ascii: "["): .leftBracket
    case UInt8(ascii: "]"): .rightBracket
    case UInt8(ascii: "{"): .leftBrace
    case UInt8(ascii: "|"): .pipe
    case UInt8(ascii: "}"): .rightBrace
    default: nil
    }
  }

  /// The offset of the first byte from `start` on that the specification does not ignore.
  private func endOfIgnored(from start: Int) -> Int {
    let bytes = bytes.span
    var offset = start
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: ","):
        offset += 1
      case UInt8(ascii: "#"):
        while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
      case 0xEF where byte(offset + 1) == 0xBB && byte(offset + 2) == 0xBF:
        offset += 3
      default:
        return offset
      }
    }
    return offset
  }

  private func endOfName(from start: Int) -> Int {
    let bytes = bytes.span
    var end = start
    while end < bytes.count, Self.isNameStart(bytes[end]) || Self.isDigit(bytes[end]) { end += 1 }
    return end
  }

  /// The character at `offset` as a message shows it.
  private func character(at offset: Int) -> String {
    let text = String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self)
    guard let scalar = text.unicodeScalars.first else { return "" }
    let code = String(scalar.value, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: max(0, 4 - code.count)) + code
    let isPrintable = scalar.value > 0x20 && scalar.value < 0x7F
    return isPrintable ? "'\(scalar)'" : "U+\(padded)"
  }
}
