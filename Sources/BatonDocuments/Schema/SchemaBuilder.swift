import BatonPlan

/// Builds a schema's types from its sources: definitions first, then what stands in them, then
/// the rules that need all of it.
struct SchemaBuilder {
  /// A root operation type and where it was said.
  struct Root {
    var type: Int
    var place: Place
  }

  /// Syntax and the index of the source it stands in.
  struct Sourced<Syntax> {
    var syntax: Syntax
    var source: Int

    func place(_ name: Name) -> Place { Place(source: source, offset: name.offset) }
  }

  /// The index of the server's schema among `sources`.
  static let server = 1

  /// GraphQL's own definitions, the server's schema, the client extensions.
  let sources: [Source]
  var findings = Findings()
  var suggestions = Suggestions()
  var table = TypeTable()
  var directives: [String: SchemaDirective] = [:]
  var roots: [Plan.Kind: Root] = [:]
  var introspection = NamedList<SchemaField>()
  /// For each type its definition and extensions.
  var bodies: [[Sourced<TypeDefinitionSyntax>]] = []
  var rootDefinitions: [Sourced<RootsSyntax>] = []
  var directiveDefinitions: [Sourced<DirectiveDefinitionSyntax>] = []

  init(sources: [Source]) {
    self.sources = [Builtins.source] + sources
  }

  mutating func build() throws(DiagnosticsError) {
    let documents = try parse()
    register(documents)
    extend(documents)
    for id in bodies.indices { fill(id) }
    addDirectives()
    addRoots()
    addIntrospection()
    table.findObjects()
    try findings.check(in: sources)
    checkTypes()
    checkInterfaces()
    checkInputs()
    readDefaults()
    try findings.check(in: sources)
  }

  private mutating func parse() throws(DiagnosticsError) -> [[SchemaSyntax]] {
    var documents: [[SchemaSyntax]] = []
    for (index, source) in sources.enumerated() {
      do throws(SyntaxError) {
        var parser = try Parser(source)
        documents.append(try parser.schemaDocument())
      } catch {
        findings.add(error.message, at: Place(source: index, offset: error.offset))
      }
    }
    try findings.check(in: sources)
    return documents
  }

  /// Gives every defined type an index.
  private mutating func register(_ documents: [[SchemaSyntax]]) {
    for (source, definitions) in documents.enumerated() {
      for definition in definitions {
        switch definition {
        case .schema(let syntax):
          rootDefinitions.append(Sourced(syntax: syntax, source: source))
        case .directive(let syntax):
          directiveDefinitions.append(Sourced(syntax: syntax, source: source))
        case .type(let syntax) where !syntax.isExtension:
          register(Sourced(syntax: syntax, source: source))
        case .type:
          break
        }
      }
    }
  }

  private mutating func register(_ definition: Sourced<TypeDefinitionSyntax>) {
    let syntax = definition.syntax
    let place = definition.place(syntax.name)
    let isBuiltin = definition.source == 0
    guard let id = table.id(of: syntax.name.text) else {
      checkReserved(syntax.name, "type", at: place)
      _ = table.append(
        SchemaType(kind: syntax.kind, name: syntax.name.text, place: place, isBuiltin: isBuiltin))
      bodies.append([definition])
      return
    }
    let first = table[id]
    guard first.isBuiltin else {
      findings.add(
        "the type '\(first.name)' is defined twice", at: place, related: first.place)
      return
    }
    // A schema may print what every schema has; what it prints holds.
    guard first.kind == syntax.kind else {
      findings.add("'\(first.name)' is \(first.kind.phrase) of GraphQL's own", at: place)
      return
    }
    table.update(id) { type in
      type.place = place
      type.isBuiltin = false
    }
    bodies[id] = [definition]
  }

  /// Adds every extension to the bodies of its type.
  private mutating func extend(_ documents: [[SchemaSyntax]]) {
    for (source, definitions) in documents.enumerated() {
      for case .type(let syntax) in definitions where syntax.isExtension {
        let place = Place(source: source, offset: syntax.name.offset)
        guard let id = table.id(of: syntax.name.text) else {
          unknownType(
            syntax.name.text, at: place, "there is no type '\(syntax.name.text)' to extend")
          continue
        }
        guard table[id].kind == syntax.kind else {
          findings.add(
            "'\(syntax.name.text)' is \(table[id].kind.phrase) and extended as "
              + syntax.kind.phrase, at: place)
          continue
        }
        bodies[id].append(Sourced(syntax: syntax, source: source))
      }
    }
  }

  /// Refuses a name that begins as GraphQL's own do.
  mutating func checkReserved(_ name: Name, _ what: String, at place: Place) {
    guard place.source != 0, name.text.hasPrefix("__") else { return }
    findings.add(
      "the \(what) '\(name.text)' begins with '__', which is kept for GraphQL's own", at: place)
  }

  mutating func unknownType(_ name: String, at place: Place, _ message: String? = nil) {
    let hint = suggestions.phrase(for: name, among: table.names)
    findings.add((message ?? "there is no type '\(name)'") + hint, at: place)
  }

  /// The type that `name` means, or a finding.
  mutating func resolve(_ name: Name, in source: Int) -> Int? {
    if let id = table.id(of: name.text) { return id }
    unknownType(name.text, at: Place(source: source, offset: name.offset))
    return nil
  }
}
