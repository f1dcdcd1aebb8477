extension Lexer {
  /// An integer or float; the specification forbids a name or a further number right behind it.
  mutating func number(from start: Int) throws(SyntaxError) -> Token {
    var end = start
    var kind = Token.Kind.int
    if byte(end) == UInt8(ascii: "-") { end += 1 }
    if byte(end) == UInt8(ascii: "0") {
      end += 1
      if let next = byte(end), Self.isDigit(next) {
        throw SyntaxError(offset: end, message: "a number does not start with a zero")
      }
    } else {
      end = try digits(from: end)
    }
    if byte(end) == UInt8(ascii: ".") {
      kind = .float
      end = try digits(from: end + 1)
    }
    if byte(end) == UInt8(ascii: "e") || byte(end) == UInt8(ascii: "E") {
      kind = .float
      end += 1
      if byte(end) == UInt8(ascii: "+") || byte(end) == UInt8(ascii: "-") { end += 1 }
      end = try digits(from: end)
    }
    if let next = byte(end), next == UInt8(ascii: ".") || Self.isNameStart(next) {
      throw SyntaxError(offset: end, message: "a number does not run into what follows it")
    }
    return token(kind, from: start, to: end)
  }

  private func digits(from start: Int) throws(SyntaxError) -> Int {
    var end = start
    while let next = byte(end), Self.isDigit(next) { end += 1 }
    guard end > start else {
      throw SyntaxError(offset: start, message: "a digit is missing")
    }
    return end
  }
}
