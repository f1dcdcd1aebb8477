import BatonPlan

extension SchemaBuilder {
  /// Finds the root types: what `schema` says, or the types of the default names.
  mutating func addRoots() {
    var first: Place?
    for definition in rootDefinitions {
      let place = Place(source: definition.source, offset: definition.syntax.offset)
      if !definition.syntax.isExtension {
        if let first { findings.add("the schema is defined twice", at: place, related: first) }
        first = first ?? place
      }
    }
    if first == nil { addDefaultRoots() }
    for definition in rootDefinitions {
      for root in definition.syntax.roots { add(root, in: definition.source) }
    }
  }

  private mutating func addDefaultRoots() {
    for kind in [Plan.Kind.query, .mutation, .subscription] {
      guard let id = table.id(of: kind.rootName), table[id].kind == .object else { continue }
      roots[kind] = Root(type: id, place: table[id].place)
    }
  }

  private mutating func add(_ root: RootSyntax, in source: Int) {
    let place = Place(source: source, offset: root.offset)
    guard let id = resolve(root.type, in: source) else { return }
    if let first = roots[root.kind] {
      findings.add("the \(root.kind.word) type is given twice", at: place, related: first.place)
    } else if table[id].kind != .object {
      findings.add(
        "the \(root.kind.word) type is an object type; '\(root.type.text)' is "
          + table[id].kind.phrase, at: Place(source: source, offset: root.type.offset))
    } else if let other = roots.first(where: { $0.value.type == id }) {
      findings.add(
        "'\(root.type.text)' is the \(other.key.word) type already", at: place,
        related: other.value.place)
    } else {
      roots[root.kind] = Root(type: id, place: place)
    }
  }

  mutating func addDirectives() {
    for definition in directiveDefinitions {
      let syntax = definition.syntax
      let place = definition.place(syntax.name)
      checkReserved(syntax.name, "directive", at: place)
      if let first = directives[syntax.name.text], !first.isBuiltin {
        findings.add(
          "the directive '@\(syntax.name.text)' is defined twice", at: place,
          related: first.place)
        continue
      }
      var directive = SchemaDirective(
        place: place, isBuiltin: definition.source == 0, isRepeatable: syntax.isRepeatable,
        locations: syntax.locations)
      directive.arguments.append(
        contentsOf: syntax.arguments, in: definition.source, of: "@\(syntax.name.text)", &self)
      directives[syntax.name.text] = directive
    }
  }

  /// Makes `__schema: __Schema!` and `__type(name: String!): __Type`.
  mutating func addIntrospection() {
    guard let schema = table.id(of: "__Schema"), let type = table.id(of: "__Type"),
      let string = table.id(of: "String")
    else { return }
    let place = Place(source: 0, offset: 0)
    var lookup = SchemaField(
      name: "__type", place: place, type: ResolvedType(id: type, wrapping: .nullable),
      isClient: false)
    _ = lookup.arguments.append(
      SchemaInput(
        name: "name", place: place, type: ResolvedType(id: string, wrapping: .required)))
    _ = introspection.append(lookup)
    _ = introspection.append(
      SchemaField(
        name: "__schema", place: place, type: ResolvedType(id: schema, wrapping: .required),
        isClient: false))
  }
}
