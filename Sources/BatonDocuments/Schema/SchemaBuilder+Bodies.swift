extension SchemaBuilder {
  /// Fills in what a type's definition and extensions hold.
  mutating func fill(_ id: Int) {
    var type = table[id]
    var implemented: Set<Int> = []
    var members: Set<Int> = []
    for body in bodies[id] {
      fillInterfaces(of: &type, id, body, &implemented)
      fillFields(of: &type, body)
      fillMembers(of: &type, body, &members)
      for value in body.syntax.values {
        let place = body.place(value)
        if let first = type.values.append(SchemaName(name: value.text, place: place)) {
          findings.add(
            "the enum \(type.name) has '\(value.text)' twice", at: place, related: first.place)
        }
      }
      type.inputs.append(contentsOf: body.syntax.inputs, in: body.source, of: type.name, &self)
      if body.syntax.directives.contains(where: { $0.name.text == "oneOf" }) {
        type.isOneOf = true
      }
    }
    table.update(id) { $0 = type }
  }

  private mutating func fillInterfaces(
    of type: inout SchemaType, _ id: Int, _ body: Sourced<TypeDefinitionSyntax>,
    _ implemented: inout Set<Int>
  ) {
    for name in body.syntax.interfaces {
      let place = body.place(name)
      guard let interface = resolve(name, in: body.source) else { continue }
      if table[interface].kind != .interface {
        findings.add(
          "'\(name.text)' is \(table[interface].kind.phrase), not an interface", at: place)
      } else if interface == id {
        findings.add("'\(name.text)' implements itself", at: place)
      } else if !implemented.insert(interface).inserted {
        findings.add("'\(type.name)' implements '\(name.text)' twice", at: place)
      } else {
        type.interfaces.append(interface)
      }
    }
  }

  private mutating func fillFields(
    of type: inout SchemaType, _ body: Sourced<TypeDefinitionSyntax>
  ) {
    for syntax in body.syntax.fields {
      let place = body.place(syntax.name)
      checkReserved(syntax.name, "field", at: place)
      guard let resolved = resolve(syntax.type, in: body.source) else { continue }
      if !table[resolved.id].kind.isOutput {
        findings.add(
          "'\(syntax.type.name.text)' is an input object and can't be a field's type",
          at: body.place(syntax.type.name))
      }
      var field = SchemaField(
        name: syntax.name.text, place: place, type: resolved,
        isClient: body.source > Self.server)
      let owner = "\(type.name).\(field.name)"
      field.arguments.append(contentsOf: syntax.arguments, in: body.source, of: owner, &self)
      if let first = type.fields.append(field), !field.repeats(first) {
        findings.add(
          "the field '\(owner)' is defined twice", at: place, related: first.place)
      }
    }
  }

  private mutating func fillMembers(
    of type: inout SchemaType, _ body: Sourced<TypeDefinitionSyntax>, _ members: inout Set<Int>
  ) {
    for name in body.syntax.members {
      let place = body.place(name)
      guard let member = resolve(name, in: body.source) else { continue }
      if table[member].kind != .object {
        findings.add(
          "'\(name.text)' is \(table[member].kind.phrase); a union has object types only",
          at: place)
      } else if !members.insert(member).inserted {
        findings.add("the union \(type.name) has '\(name.text)' twice", at: place)
      } else {
        type.members.append(member)
      }
    }
  }

  mutating func resolve(_ type: TypeSyntax, in source: Int) -> ResolvedType? {
    resolve(type.name, in: source).map { ResolvedType(id: $0, wrapping: type.wrapping) }
  }
}

extension SchemaField {
  /// Whether this says again, in the same source, what `first` says: published schemas do so.
  fileprivate func repeats(_ first: SchemaField) -> Bool {
    let mine = arguments.elements
    let others = first.arguments.elements
    return type == first.type && place.source == first.place.source
      && mine.count == others.count
      && zip(mine, others).allSatisfy { $0.name == $1.name && $0.type == $1.type }
  }
}

extension NamedList<SchemaInput> {
  /// Adds arguments, or an input object's fields, with findings for what they break.
  mutating func append(
    contentsOf definitions: [InputDefinitionSyntax], in source: Int,
    of owner: @autoclosure () -> String, _ builder: inout SchemaBuilder
  ) {
    for syntax in definitions {
      let place = Place(source: source, offset: syntax.name.offset)
      builder.checkReserved(syntax.name, "argument or input field", at: place)
      guard let type = builder.resolve(syntax.type, in: source) else { continue }
      let kind = builder.table[type.id].kind
      if !kind.isInput {
        builder.findings.add(
          "'\(syntax.type.name.text)' is \(kind.phrase) and can't be given as input",
          at: Place(source: source, offset: syntax.type.name.offset))
      }
      let input = SchemaInput(
        name: syntax.name.text, place: place, type: type, defaultSyntax: syntax.defaultValue)
      if let first = append(input) {
        builder.findings.add(
          "'\(syntax.name.text)' of \(owner()) is defined twice", at: place, related: first.place)
      }
    }
  }
}
