extension Parser {
  /// A value; with `isConstant` a variable in it is an error.
  mutating func value(isConstant: Bool) throws(SyntaxError) -> ValueSyntax {
    let start = token
    switch start.kind {
    case .leftBracket:
      return try list(isConstant: isConstant)
    case .leftBrace:
      return try object(isConstant: isConstant)
    case .dollar:
      let name = try variable()
      guard !isConstant else {
        throw SyntaxError(
          offset: start.start, message: "the variable $\(name.text) stands where a constant must")
      }
      return ValueSyntax(kind: .variable(name.text), offset: start.start)
    case .int, .float, .string, .blockString, .name:
      let kind = try scalar(start)
      try advance()
      return ValueSyntax(kind: kind, offset: start.start)
    default:
      throw unexpected(expecting: "a value")
    }
  }

  private func scalar(_ token: Token) throws(SyntaxError) -> ValueSyntax.Kind {
    switch token.kind {
    case .int: return .int(text(of: token))
    case .float: return .float(text(of: token))
    case .string, .blockString: return .string(try contents(of: token))
    default: break
    }
    let text = text(of: token)
    switch text {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    default: return .enumeration(text)
    }
  }

  private mutating func list(isConstant: Bool) throws(SyntaxError) -> ValueSyntax {
    let start = try expect(.leftBracket).start
    try enter()
    var items: [ValueSyntax] = []
    while try !skip(.rightBracket) { items.append(try value(isConstant: isConstant)) }
    leave()
    return ValueSyntax(kind: .list(items), offset: start)
  }

  private mutating func object(isConstant: Bool) throws(SyntaxError) -> ValueSyntax {
    let start = try expect(.leftBrace).start
    try enter()
    var members: [ArgumentSyntax] = []
    while try !skip(.rightBrace) { members.append(try argument(isConstant: isConstant)) }
    leave()
    return ValueSyntax(kind: .object(members), offset: start)
  }

  private mutating func argument(isConstant: Bool) throws(SyntaxError) -> ArgumentSyntax {
    let name = try name()
    try expect(.colon)
    return ArgumentSyntax(name: name, value: try value(isConstant: isConstant))
  }

  /// `(name: value ...)`, or nothing.
  mutating func arguments(isConstant: Bool) throws(SyntaxError) -> [ArgumentSyntax] {
    try optionalMany(.leftParenthesis, .rightParenthesis) {
      (parser: inout Parser) throws(SyntaxError) in try parser.argument(isConstant: isConstant)
    }
  }

  /// `$name`; the offset is the dollar's.
  mutating func variable() throws(SyntaxError) -> Name {
    let start = try expect(.dollar).start
    return Name(text: try name().text, offset: start)
  }

  /// A type such as `[ID!]!`.
  mutating func type() throws(SyntaxError) -> TypeSyntax {
    var type: TypeSyntax
    if token.kind == .leftBracket {
      let start = token.start
      try enter()
      try advance()
      type = try self.type()
      try expect(.rightBracket)
      leave()
      guard let list = type.wrapping.list else {
        throw SyntaxError(
          offset: start, message: "a list nested deeper than \(TypeWrapping.maximumDepth) levels")
      }
      type.wrapping = list
    } else {
      type = TypeSyntax(name: try name(), wrapping: .nullable)
    }
    if try skip(.bang) { type.wrapping = type.wrapping.nonNull }
    return type
  }

  /// Any number of `@name(...)`.
  mutating func directives(isConstant: Bool) throws(SyntaxError) -> [DirectiveSyntax] {
    var directives: [DirectiveSyntax] = []
    while token.kind == .at {
      let start = token.start
      try advance()
      let name = Name(text: try name().text, offset: start)
      directives.append(
        DirectiveSyntax(name: name, arguments: try arguments(isConstant: isConstant)))
    }
    return directives
  }
}
