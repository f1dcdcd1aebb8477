import BatonPlan

extension Parser {
  /// The words that begin a schema's definitions.
  static let schemaWords: Set<String> = [
    "schema", "scalar", "type", "interface", "union", "enum", "input", "directive", "extend",
  ]

  /// All definitions of a schema document; an empty document has none.
  mutating func schemaDocument() throws(SyntaxError) -> [SchemaSyntax] {
    var definitions: [SchemaSyntax] = []
    while token.kind != .end { definitions.append(try schemaDefinition()) }
    return definitions
  }

  private mutating func schemaDefinition() throws(SyntaxError) -> SchemaSyntax {
    let isDescribed = try skipDescription()
    let isExtension = isDescribed ? false : try skip(word: "extend")
    let offset = token.start
    guard token.kind == .name else { throw unexpected(expecting: "a definition") }
    let word = text(of: token)
    if word == "directive", !isExtension { return .directive(try directiveDefinition()) }
    if word == "schema" { return .schema(try roots(isExtension: isExtension)) }
    guard let kind = Self.typeKind(word) else {
      if word == "fragment" || Plan.Kind(operation: word) != nil {
        throw SyntaxError(
          offset: offset, message: "'\(word)' belongs in an executable document, not in a schema")
      }
      throw unexpected(expecting: "a definition")
    }
    try advance()
    return .type(try typeDefinition(kind, isExtension: isExtension))
  }

  private static func typeKind(_ word: String) -> TypeKind? {
    switch word {
    case "scalar": .scalar
    case "type": .object
    case "interface": .interface
    case "union": .union
    case "enum": .enumeration
    case "input": .input
    default: nil
    }
  }

  private mutating func roots(isExtension: Bool) throws(SyntaxError) -> RootsSyntax {
    let offset = token.start
    try advance()
    let directives = try directives(isConstant: true)
    let mayBeBare = isExtension && !directives.isEmpty
    if mayBeBare, token.kind != .leftBrace {
      return RootsSyntax(offset: offset, isExtension: true, roots: [])
    }
    let roots = try many(.leftBrace, .rightBrace) {
      (parser: inout Parser) throws(SyntaxError) in try parser.root()
    }
    return RootsSyntax(offset: offset, isExtension: isExtension, roots: roots)
  }

  private mutating func root() throws(SyntaxError) -> RootSyntax {
    guard token.kind == .name, let kind = Plan.Kind(operation: text(of: token)) else {
      throw unexpected(expecting: "'query', 'mutation' or 'subscription'")
    }
    let offset = token.start
    try advance()
    try expect(.colon)
    return RootSyntax(kind: kind, offset: offset, type: try name())
  }

  private mutating func typeDefinition(
    _ kind: TypeKind, isExtension: Bool
  ) throws(SyntaxError) -> TypeDefinitionSyntax {
    var type = TypeDefinitionSyntax(kind: kind, isExtension: isExtension, name: try name())
    if kind == .object || kind == .interface { type.interfaces = try interfaces() }
    type.directives = try directives(isConstant: true)
    switch kind {
    case .scalar:
      break
    case .object, .interface:
      type.fields = try optionalMany(.leftBrace, .rightBrace) {
        (parser: inout Parser) throws(SyntaxError) in try parser.fieldDefinition()
      }
    case .union:
      if try skip(.equals) { type.members = try names(separatedBy: .pipe) }
    case .enumeration:
      type.values = try optionalMany(.leftBrace, .rightBrace) {
        (parser: inout Parser) throws(SyntaxError) in try parser.enumerationValue()
      }
    case .input:
      type.inputs = try inputDefinitions(.leftBrace, .rightBrace)
    }
    let adds =
      !type.interfaces.isEmpty || !type.directives.isEmpty || !type.fields.isEmpty
      || !type.members.isEmpty || !type.values.isEmpty || !type.inputs.isEmpty
    guard !isExtension || adds else {
      throw unexpected(expecting: "what the extension adds")
    }
    return type
  }

  private mutating func interfaces() throws(SyntaxError) -> [Name] {
    try skip(word: "implements") ? try names(separatedBy: .ampersand) : []
  }

  /// Names with `separator` between them, and perhaps before the first.
  private mutating func names(separatedBy separator: Token.Kind) throws(SyntaxError) -> [Name] {
    _ = try skip(separator)
    var names = [try name()]
    while try skip(separator) { names.append(try name()) }
    return names
  }

  private mutating func fieldDefinition() throws(SyntaxError) -> FieldDefinitionSyntax {
    try skipDescription()
    let name = try name()
    let arguments = try inputDefinitions(.leftParenthesis, .rightParenthesis)
    try expect(.colon)
    let type = try type()
    _ = try directives(isConstant: true)
    return FieldDefinitionSyntax(name: name, arguments: arguments, type: type)
  }

  private mutating func inputDefinitions(
    _ open: Token.Kind, _ close: Token.Kind
  ) throws(SyntaxError) -> [InputDefinitionSyntax] {
    try optionalMany(open, close) {
      (parser: inout Parser) throws(SyntaxError) in try parser.inputDefinition()
    }
  }

  private mutating func inputDefinition() throws(SyntaxError) -> InputDefinitionSyntax {
    try skipDescription()
    let name = try name()
    try expect(.colon)
    let type = try type()
    let defaultValue = try skip(.equals) ? try value(isConstant: true) : nil
    _ = try directives(isConstant: true)
    return InputDefinitionSyntax(name: name, type: type, defaultValue: defaultValue)
  }

  private mutating func enumerationValue() throws(SyntaxError) -> Name {
    try skipDescription()
    let offset = token.start
    let name = try name()
    guard !["true", "false", "null"].contains(name.text) else {
      throw SyntaxError(offset: offset, message: "an enum value is not called '\(name.text)'")
    }
    _ = try directives(isConstant: true)
    return name
  }

  private mutating func directiveDefinition() throws(SyntaxError) -> DirectiveDefinitionSyntax {
    try advance()
    let offset = try expect(.at).start
    let name = Name(text: try name().text, offset: offset)
    let arguments = try inputDefinitions(.leftParenthesis, .rightParenthesis)
    let isRepeatable = try skip(word: "repeatable")
    try expect(word: "on")
    var locations: [DirectiveLocation] = []
    for name in try names(separatedBy: .pipe) {
      guard let location = DirectiveLocation(rawValue: name.text) else {
        throw SyntaxError(
          offset: name.offset, message: "no directive location is called '\(name.text)'")
      }
      locations.append(location)
    }
    return DirectiveDefinitionSyntax(
      name: name, arguments: arguments, isRepeatable: isRepeatable, locations: locations)
  }
}
