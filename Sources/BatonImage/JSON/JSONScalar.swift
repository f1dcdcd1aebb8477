/// Where a string's contents lie in a document, without the quotes.
struct JSONString: Sendable {
  var start: Int
  var end: Int
  /// Whether the contents hold escapes and must be decoded.
  var isEscaped: Bool

  /// Checks the escapes between two offsets; whether there are any.
  static func checkEscapes(
    in bytes: Span<UInt8>, from start: Int, to end: Int
  ) throws(ImageError) -> Bool {
    var index = start
    var isEscaped = false
    while index < end {
      guard bytes[index] == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      isEscaped = true
      let escape = index + 1 < end ? bytes[index + 1] : 0
      switch escape {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
        UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        index += 2
      case UInt8(ascii: "u") where hexadecimal(bytes, at: index + 2, end: end) != nil:
        index += 6
      default:
        throw .response(ResponseProblem("an escape JSON does not have", offset: index))
      }
    }
    return isEscaped
  }

  /// Whether the contents, with their escapes decoded, are a text.
  @inline(__always)
  func spells(_ text: [UInt8], in bytes: Span<UInt8>) -> Bool {
    guard isEscaped else { return text.span.isEqual(to: bytes.extracting(start..<end)) }
    var decoded: [UInt8] = []
    appendDecoded(from: bytes, to: &decoded)
    return decoded == text
  }

  /// Appends the contents with their escapes decoded. A surrogate without its other half becomes
  /// U+FFFD, as it has no UTF-8.
  @inline(__always)
  func appendDecoded<Sink: ByteSink & ~Copyable>(from bytes: Span<UInt8>, to out: inout Sink) {
    guard isEscaped else {
      out.append(bytes.extracting(start..<end))
      return
    }
    appendUnescaped(from: bytes, to: &out)
  }

  @inline(never)
  private func appendUnescaped<Sink: ByteSink & ~Copyable>(
    from bytes: Span<UInt8>, to out: inout Sink
  ) {
    var index = start
    while index < end {
      let byte = bytes[index]
      guard byte == UInt8(ascii: "\\"), index + 1 < end else {
        out.append(byte)
        index += 1
        continue
      }
      index += 2
      switch bytes[index - 1] {
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "r"): out.append(0x0D)
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "u"): index = Self.appendScalar(bytes, at: index, end: end, to: &out)
      case let plain: out.append(plain)
      }
    }
  }

  /// Appends the character of a `\u` escape whose digits start at `index`; where to go on.
  private static func appendScalar<Sink: ByteSink & ~Copyable>(
    _ bytes: Span<UInt8>, at index: Int, end: Int, to out: inout Sink
  ) -> Int {
    let unit = hexadecimal(bytes, at: index, end: end) ?? 0xFFFD
    var next = index + 4
    var scalar = unit
    if unit & 0xFC00 == 0xD800, next + 1 < end, bytes[next] == UInt8(ascii: "\\"),
      bytes[next + 1] == UInt8(ascii: "u"),
      let low = hexadecimal(bytes, at: next + 2, end: end), low & 0xFC00 == 0xDC00
    {
      scalar = 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
      next += 6
    }
    let character = Unicode.Scalar(scalar) ?? "\u{FFFD}"
    for unit in UTF8.encode(character) ?? UTF8.encodedReplacementCharacter { out.append(unit) }
    return next
  }

  private static func hexadecimal(_ bytes: Span<UInt8>, at index: Int, end: Int) -> UInt32? {
    guard index + 4 <= end else { return nil }
    var value: UInt32 = 0
    for offset in index..<index + 4 {
      let byte = bytes[offset]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}

/// A literal or a number, and where its token lies.
struct JSONScalar: Sendable {
  package enum Kind: Sendable {
    case null
    case `true`
    case `false`
    /// A number without fraction and exponent.
    case integer
    case fraction
  }

  var kind: Kind
  var start: Int
  var end: Int

  /// The token between two offsets; nil when it is none of JSON's.
  init?(_ bytes: Span<UInt8>, from start: Int, to end: Int, first: UInt8) {
    self.start = start
    self.end = end
    switch first {
    case UInt8(ascii: "n"):
      guard Self.matches(bytes, start, end, "null") else { return nil }
      kind = .null
    case UInt8(ascii: "t"):
      guard Self.matches(bytes, start, end, "true") else { return nil }
      kind = .true
    case UInt8(ascii: "f"):
      guard Self.matches(bytes, start, end, "false") else { return nil }
      kind = .false
    default:
      guard let kind = Self.number(bytes, start, end) else { return nil }
      self.kind = kind
    }
  }

  private static func matches(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ literal: StaticString
  ) -> Bool {
    guard end - start == literal.utf8CodeUnitCount else { return false }
    // SAFETY: a static string's start is valid for its count, for ever.
    return unsafe bytes.extracting(start..<end).isEqual(
      to: Span(_unsafeStart: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// Checks a number's grammar (RFC 8259 section 6).
  private static func number(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Kind? {
    var index = start
    if index < end, bytes[index] == UInt8(ascii: "-") { index += 1 }
    guard index < end, isDigit(bytes[index]) else { return nil }
    if bytes[index] == UInt8(ascii: "0") {
      index += 1
    } else {
      index = digits(bytes, index, end)
    }
    var kind = Kind.integer
    if index < end, bytes[index] == UInt8(ascii: ".") {
      kind = .fraction
      let first = index + 1
      index = digits(bytes, first, end)
      guard index > first else { return nil }
    }
    if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
      kind = .fraction
      index += 1
      if index < end, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
        index += 1
      }
      let first = index
      index = digits(bytes, first, end)
      guard index > first else { return nil }
    }
    return index == end ? kind : nil
  }

  private static func digits(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var index = start
    while index < end, isDigit(bytes[index]) { index += 1 }
    return index
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// The integer of a token without fraction and exponent, when 64 bits hold it and `-0` isn't it.
  func int(in bytes: Span<UInt8>) -> Int64? {
    guard kind == .integer else { return nil }
    var index = start
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    var value: Int64 = 0
    while index < end {
      let digit = Int64(bytes[index] - UInt8(ascii: "0"))
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflow || carry { return nil }
      value = sum
      index += 1
    }
    return isNegative && value == 0 ? nil : value
  }

  /// The number's nearest float; nil for a literal.
  func float(in bytes: Span<UInt8>) -> Double? {
    switch kind {
    case .integer, .fraction: Double(bytes.extracting(start..<end).text())
    default: nil
    }
  }
}
