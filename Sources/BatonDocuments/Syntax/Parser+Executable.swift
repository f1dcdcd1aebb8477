import BatonPlan

extension Parser {
  /// All definitions of an executable document; one at least.
  mutating func executableDocument() throws(SyntaxError) -> [ExecutableSyntax] {
    var definitions = [try executableDefinition()]
    while token.kind != .end { definitions.append(try executableDefinition()) }
    return definitions
  }

  private mutating func executableDefinition() throws(SyntaxError) -> ExecutableSyntax {
    if token.kind == .leftBrace {
      return .operation(
        OperationSyntax(
          kind: .query, name: nil, offset: token.start, variables: [], directives: [],
          selections: try selectionSet()))
    }
    try skipDescription()
    guard token.kind == .name else { throw unexpected(expecting: "an operation or a fragment") }
    let word = text(of: token)
    if word == "fragment" { return .fragment(try fragment()) }
    if let kind = Plan.Kind(operation: word) { return .operation(try operation(kind)) }
    if Self.schemaWords.contains(word) {
      throw SyntaxError(
        offset: token.start,
        message: "'\(word)' belongs in a schema, not in an executable document")
    }
    throw unexpected(expecting: "an operation or a fragment")
  }

  private mutating func operation(_ kind: Plan.Kind) throws(SyntaxError) -> OperationSyntax {
    let offset = token.start
    try advance()
    let name = token.kind == .name ? try name() : nil
    let variables = try optionalMany(.leftParenthesis, .rightParenthesis) {
      (parser: inout Parser) throws(SyntaxError) in try parser.variableDefinition()
    }
    return OperationSyntax(
      kind: kind, name: name, offset: offset, variables: variables,
      directives: try directives(isConstant: false), selections: try selectionSet())
  }

  private mutating func variableDefinition() throws(SyntaxError) -> VariableSyntax {
    try skipDescription()
    let name = try variable()
    try expect(.colon)
    let type = try type()
    let defaultValue = try skip(.equals) ? try value(isConstant: true) : nil
    return VariableSyntax(
      name: name, type: type, defaultValue: defaultValue,
      directives: try directives(isConstant: true))
  }

  private mutating func fragment() throws(SyntaxError) -> FragmentSyntax {
    try advance()
    guard token.kind != .name || text(of: token) != "on" else {
      throw unexpected(expecting: "the fragment's name")
    }
    let name = try name()
    try expect(word: "on")
    let condition = try self.name()
    return FragmentSyntax(
      name: name, condition: condition, directives: try directives(isConstant: false),
      selections: try selectionSet())
  }

  private mutating func selectionSet() throws(SyntaxError) -> SelectionSetSyntax {
    // Loops here, not in `many`: each level of nesting is paid for in stack.
    let offset = token.start
    try enter()
    try expect(.leftBrace)
    var items = [try selection()]
    while try !skip(.rightBrace) { items.append(try selection()) }
    leave()
    return SelectionSetSyntax(offset: offset, items: items)
  }

  private mutating func selection() throws(SyntaxError) -> SelectionSyntax {
    token.kind == .spread ? try refinement() : .field(try field())
  }

  private mutating func field() throws(SyntaxError) -> FieldSyntax {
    var name = try name()
    var alias: Name?
    if try skip(.colon) {
      alias = name
      name = try self.name()
    }
    let arguments = try arguments(isConstant: false)
    let directives = try directives(isConstant: false)
    return FieldSyntax(
      alias: alias, name: name, arguments: arguments, directives: directives,
      selections: token.kind == .leftBrace ? try selectionSet() : nil)
  }

  /// What starts with `...`.
  private mutating func refinement() throws(SyntaxError) -> SelectionSyntax {
    let offset = token.start
    try advance()
    var condition: Name?
    if token.kind == .name {
      guard try skip(word: "on") else {
        let name = try name()
        return .spread(
          SpreadSyntax(
            offset: offset, name: name, directives: try directives(isConstant: false)))
      }
      condition = try name()
    }
    let directives = try directives(isConstant: false)
    return .inline(
      InlineFragmentSyntax(
        offset: offset, condition: condition, directives: directives,
        selections: try selectionSet()))
  }
}

extension Plan.Kind {
  /// The kind of an operation by its keyword.
  init?(operation word: String) {
    switch word {
    case "query": self = .query
    case "mutation": self = .mutation
    case "subscription": self = .subscription
    default: return nil
    }
  }

  /// The name the store calls the operation's root type, whatever the schema calls it.
  var rootName: String {
    switch self {
    case .query: "Query"
    case .mutation: "Mutation"
    case .subscription: "Subscription"
    case .fragment: ""
    }
  }

  /// The operation's keyword.
  var word: String { rootName.lowercased() }
}
