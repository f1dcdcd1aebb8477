/// A recursive-descent parser with one token of lookahead: what all grammars share.
///
/// The first thing that is not GraphQL ends the parse with its offset. Nesting is limited, so
/// that no input can exhaust the stack.
struct Parser {
  /// How deep selections, values and types may nest, taken together.
  ///
  /// A level costs up to 3.5 KB of stack in a debug build; the smallest stacks are 512 KB.
  static let maximumDepth = 100

  private var lexer: Lexer
  /// The token to be consumed next.
  private(set) var token: Token
  private var depth = 0

  init(_ source: Source) throws(SyntaxError) {
    var lexer = try Lexer(source)
    token = try lexer.next()
    self.lexer = lexer
  }

  mutating func advance() throws(SyntaxError) {
    token = try lexer.next()
  }

  /// Consumes a token of `kind`, or says what stands there instead.
  @discardableResult
  mutating func expect(_ kind: Token.Kind) throws(SyntaxError) -> Token {
    guard token.kind == kind else { throw unexpected(expecting: kind.description) }
    let found = token
    try advance()
    return found
  }

  /// Consumes a token of `kind` if one is next.
  mutating func skip(_ kind: Token.Kind) throws(SyntaxError) -> Bool {
    guard token.kind == kind else { return false }
    try advance()
    return true
  }

  /// Consumes a name.
  mutating func name() throws(SyntaxError) -> Name {
    let found = try expect(.name)
    return Name(text: text(of: found), offset: found.start)
  }

  /// Consumes the name `word` if it is next.
  mutating func skip(word: String) throws(SyntaxError) -> Bool {
    guard token.kind == .name, text(of: token) == word else { return false }
    try advance()
    return true
  }

  /// Consumes the name `word`, or says what stands there instead.
  mutating func expect(word: String) throws(SyntaxError) {
    guard try skip(word: word) else { throw unexpected(expecting: "'\(word)'") }
  }

  /// Consumes a description if one is next; its text is not kept.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  mutating func skipDescription() throws(SyntaxError) -> Bool {
    guard token.kind == .string || token.kind == .blockString else { return false }
    try advance()
    return true
  }

  /// `open` item+ `close`; the list of nothing is refused.
  mutating func many<Item>(
    _ open: Token.Kind, _ close: Token.Kind,
    _ item: (inout Parser) throws(SyntaxError) -> Item
  ) throws(SyntaxError) -> [Item] {
    try expect(open)
    var items = [try item(&self)]
    while try !skip(close) { items.append(try item(&self)) }
    return items
  }

  /// `many` if `open` is next, else nothing.
  mutating func optionalMany<Item>(
    _ open: Token.Kind, _ close: Token.Kind,
    _ item: (inout Parser) throws(SyntaxError) -> Item
  ) throws(SyntaxError) -> [Item] {
    token.kind == open ? try many(open, close, item) : []
  }

  /// Enters one more level of nesting; every call is paired with `leave`.
  mutating func enter() throws(SyntaxError) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw SyntaxError(
        offset: token.start, message: "nested deeper than \(Self.maximumDepth) levels")
    }
  }

  mutating func leave() {
    depth -= 1
  }

  func text(of token: Token) -> String {
    String(decoding: lexer.bytes[token.start..<token.end], as: UTF8.self)
  }

  /// The contents of a string token, escapes resolved.
  func contents(of token: Token) throws(SyntaxError) -> String {
    if token.kind == .blockString {
      let value = BlockString.value(of: lexer.bytes[token.start + 3..<token.end - 3])
      return String(decoding: value, as: UTF8.self)
    }
    let raw = lexer.bytes[token.start + 1..<token.end - 1]
    guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
    var contents = ""
    var offset = raw.startIndex
    var start = offset
    while offset < raw.endIndex {
      guard raw[offset] == UInt8(ascii: "\\") else {
        offset += 1
        continue
      }
      contents += String(decoding: raw[start..<offset], as: UTF8.self)
      let escape = try lexer.escape(at: offset)
      contents.unicodeScalars.append(escape.scalar)
      offset = escape.end
      start = offset
    }
    return contents + String(decoding: raw[start...], as: UTF8.self)
  }

  /// The error for a token that does not belong here.
  func unexpected(expecting expected: String) -> SyntaxError {
    let found: String
    switch token.kind {
    case .name, .int, .float:
      let text = text(of: token)
      found = text.utf8.count > 60 ? token.kind.description : "'\(text)'"
    default:
      found = token.kind.description
    }
    return SyntaxError(
      offset: token.start, message: "unexpected \(found), expected \(expected)")
  }
}
