extension Lexer {
  /// A string or block string; the escapes are checked, nothing is copied.
  mutating func string(from start: Int) throws(SyntaxError) -> Token {
    let quote = UInt8(ascii: "\"")
    if byte(start + 1) == quote {
      if byte(start + 2) == quote {
        return token(.blockString, from: start, to: try endOfBlockString(from: start))
      }
      return token(.string, from: start, to: start + 2)
    }
    var offset = start + 1
    while let next = byte(offset) {
      switch next {
      case quote:
        return token(.string, from: start, to: offset + 1)
      case UInt8(ascii: "\\"):
        offset = try escape(at: offset).end
      case 0x0A, 0x0D:
        throw SyntaxError(offset: start, message: "the string is not closed on its line")
      default:
        offset += 1
      }
    }
    throw SyntaxError(offset: start, message: "the string is not closed")
  }

  private func endOfBlockString(from start: Int) throws(SyntaxError) -> Int {
    let bytes = bytes.span
    let quote = UInt8(ascii: "\"")
    var offset = start + 3
    while offset < bytes.count {
      guard bytes[offset] == quote else {
        offset += 1
        continue
      }
      guard byte(offset + 1) == quote, byte(offset + 2) == quote else {
        offset += 1
        continue
      }
      // The byte before is inside the string: the opening quotes end at start + 3.
      if offset > start + 3, bytes[offset - 1] == UInt8(ascii: "\\") {
        offset += 3
        continue
      }
      return offset + 3
    }
    throw SyntaxError(offset: start, message: "the block string is not closed")
  }

  /// The scalar that the escape at `offset`, a backslash, stands for, and where the escape ends.
  func escape(at offset: Int) throws(SyntaxError) -> (scalar: Unicode.Scalar, end: Int) {
    switch byte(offset + 1) {
    case UInt8(ascii: "\""): return ("\"", offset + 2)
    case UInt8(ascii: "\\"): return ("\\", offset + 2)
    case UInt8(ascii: "/"): return ("/", offset + 2)
    case UInt8(ascii: "b"): return ("\u{8}", offset + 2)
    case UInt8(ascii: "f"): return ("\u{C}", offset + 2)
    case UInt8(ascii: "n"): return ("\n", offset + 2)
    case UInt8(ascii: "r"): return ("\r", offset + 2)
    case UInt8(ascii: "t"): return ("\t", offset + 2)
    case UInt8(ascii: "u"):
      if byte(offset + 2) == UInt8(ascii: "{") { return try bracedEscape(at: offset) }
      return try fixedEscape(at: offset)
    default:
      throw SyntaxError(offset: offset, message: "no such escape in a string")
    }
  }

  /// `\u{1F600}`: any number of digits that name a Unicode scalar.
  private func bracedEscape(
    at offset: Int
  ) throws(SyntaxError) -> (scalar: Unicode.Scalar, end: Int) {
    var value: UInt32 = 0
    var end = offset + 3
    while let next = byte(end), let digit = Self.hexDigit(next) {
      value = value << 4 | digit
      guard value <= 0x10FFFF else { break }
      end += 1
    }
    guard end > offset + 3, byte(end) == UInt8(ascii: "}"), let scalar = Unicode.Scalar(value)
    else {
      throw SyntaxError(offset: offset, message: "the escape names no Unicode character")
    }
    return (scalar, end + 1)
  }

  /// `\u00E9`, or two of them that are a surrogate pair.
  private func fixedEscape(
    at offset: Int
  ) throws(SyntaxError) -> (scalar: Unicode.Scalar, end: Int) {
    if let unit = fourDigits(at: offset + 2) {
      if let scalar = Unicode.Scalar(unit) { return (scalar, offset + 6) }
      if unit < 0xDC00, byte(offset + 6) == UInt8(ascii: "\\"),
        byte(offset + 7) == UInt8(ascii: "u"), let trail = fourDigits(at: offset + 8),
        (0xDC00...0xDFFF).contains(trail),
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (trail - 0xDC00))
      {
        return (scalar, offset + 12)
      }
    }
    throw SyntaxError(offset: offset, message: "the escape names no Unicode character")
  }

  private func fourDigits(at offset: Int) -> UInt32? {
    var value: UInt32 = 0
    for index in offset..<offset + 4 {
      guard let next = byte(index), let digit = Self.hexDigit(next) else { return nil }
      value = value << 4 | digit
    }
    return value
  }

  private static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
