extension SchemaBuilder {
  /// Refuses types that hold nothing.
  mutating func checkTypes() {
    for type in table.types {
      switch type.kind {
      case .object, .interface:
        if type.fields.isEmpty { findings.add("'\(type.name)' has no fields", at: type.place) }
      case .input:
        if type.inputs.isEmpty { findings.add("'\(type.name)' has no fields", at: type.place) }
      case .union:
        if type.members.isEmpty { findings.add("'\(type.name)' has no members", at: type.place) }
      case .enumeration:
        if type.values.isEmpty { findings.add("'\(type.name)' has no values", at: type.place) }
      case .scalar:
        break
      }
    }
  }

  /// Checks that every type has what the interfaces it names ask for.
  mutating func checkInterfaces() {
    for type in table.types where !type.interfaces.isEmpty {
      let declared = Set(type.interfaces)
      for id in type.interfaces {
        let interface = table[id]
        for parent in interface.interfaces where !declared.contains(parent) {
          findings.add(
            "'\(type.name)' implements '\(interface.name)' and so must implement "
              + "'\(table[parent].name)'", at: type.place)
        }
        for asked in interface.fields.elements { check(type, asked, of: interface) }
      }
    }
  }

  private mutating func check(_ type: SchemaType, _ asked: SchemaField, of interface: SchemaType) {
    let origin = "\(interface.name).\(asked.name)"
    guard let field = type.fields[asked.name] else {
      // A client extension of an interface needs no extension of every type behind it.
      if asked.isClient { return }
      findings.add(
        "'\(type.name)' lacks the field '\(asked.name)' of the interface '\(interface.name)'",
        at: type.place, related: nil)
      return
    }
    if !table.isCovariant(field.type, with: asked.type) {
      findings.add(
        "'\(type.name).\(field.name)' is \(table.text(of: field.type)), but '\(origin)' is "
          + table.text(of: asked.type), at: field.place)
    }
    for argument in asked.arguments.elements {
      guard let own = field.arguments[argument.name] else {
        findings.add(
          "'\(type.name).\(field.name)' lacks the argument '\(argument.name)' of '\(origin)'",
          at: field.place)
        continue
      }
      guard own.type != argument.type else { continue }
      findings.add(
        "the argument '\(own.name)' is \(table.text(of: own.type)), but that of '\(origin)' is "
          + table.text(of: argument.type), at: own.place)
    }
    for own in field.arguments.elements
    where own.isRequired && asked.arguments[own.name] == nil {
      findings.add(
        "the argument '\(own.name)' is required, but '\(origin)' has none of the name",
        at: own.place)
    }
  }
}
