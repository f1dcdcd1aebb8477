import BatonPlan

extension PlanCompiler {
  /// Compiles a field; what stands below it waits for its turn.
  mutating func compile(
    _ field: FieldSyntax, in parent: ParentType
  ) -> (PlanField, ResolvedType?) {
    let isTypename = field.name.text == "__typename"
    let definition = isTypename ? nil : definition(of: field, in: parent)
    var compiled = PlanField(
      responseKey: field.responseKey.text, name: field.name.text,
      arguments: arguments(of: field, definition, isTypename: isTypename),
      conditions: conditions(field.directives), type: .leaf(.unknown, listDepth: nil),
      connection: connection(field), edit: edit(field),
      isClientField: definition?.isClient ?? false)
    checkDirectives(field.directives, at: .field)
    var inner = ParentType.unknown
    if isTypename {
      compiled.type = .leaf(.string, isNullable: false)
      refuseSelection(of: field, "String!")
    } else if let schema, let definition {
      compiled.type = type(of: definition, in: schema)
      inner = checkSelection(of: field, definition, in: schema)
    } else if field.selections != nil {
      compiled.type = .composite(.unknown, listDepth: nil)
    }
    compiled.selection = field.selections.map { selection(for: $0, in: inner) }
    return (compiled, isTypename ? schema?.typename : definition?.type)
  }

  /// The field's definition; nil without a schema, and with a finding when there is none.
  private mutating func definition(
    of field: FieldSyntax, in parent: ParentType
  ) -> SchemaField? {
    guard let schema, case .type(let id) = parent else { return nil }
    let type = schema.table[id]
    let name = field.name.text
    if let definition = type.fields[name] { return definition }
    if schema.root(.query) == id, let definition = schema.introspection[name] {
      return definition
    }
    let hint =
      type.kind == .union
      ? "; a union's fields are asked for in fragments on its members"
      : suggestions.phrase(for: name, among: type.fields.names)
    findings.add("'\(type.name)' has no field '\(name)'\(hint)", at: place(field.name.offset))
    return nil
  }

  private func type(of definition: SchemaField, in schema: Schema) -> FieldType {
    let id = definition.type.id
    let type = schema.table[id]
    let named: FieldType.Named =
      type.kind.isComposite
      ? .composite(TypeReference(schema.storeName(id), isAbstract: type.kind.isAbstract))
      : .leaf(type.leaf)
    let wrapping = definition.type.wrapping
    return FieldType(named, listDepth: wrapping.listDepth, isNullable: !wrapping.isNonNull)
  }

  private mutating func checkSelection(
    of field: FieldSyntax, _ definition: SchemaField, in schema: Schema
  ) -> ParentType {
    let text = schema.table.text(of: definition.type)
    guard schema.table[definition.type.id].kind.isComposite else {
      refuseSelection(of: field, text)
      return .unknown
    }
    if field.selections == nil {
      findings.add(
        "'\(field.name.text)' is of type \(text) and needs a selection of its fields",
        at: place(field.name.offset))
    }
    return .type(definition.type.id)
  }

  private mutating func refuseSelection(of field: FieldSyntax, _ type: String) {
    guard let selections = field.selections else { return }
    findings.add(
      "'\(field.name.text)' is of type \(type) and has no fields to select",
      at: place(selections.offset))
  }

  private mutating func arguments(
    of field: FieldSyntax, _ definition: SchemaField?, isTypename: Bool
  ) -> [PlanArgument] {
    checkUnique(field.arguments)
    var compiled: [PlanArgument] = []
    for argument in field.arguments {
      let name = argument.name.text
      let input = definition?.arguments[name]
      if input == nil, isTypename || definition != nil {
        let names = definition.map { Array($0.arguments.names) } ?? []
        let hint = suggestions.phrase(for: name, among: names)
        findings.add(
          "'\(field.name.text)' has no argument '\(name)'\(hint)", at: place(argument.name.offset))
      }
      compile(argument, input).map { compiled.append($0) }
    }
    if let definition {
      let what = "'\(field.name.text)'"
      checkRequired(definition.arguments, in: field.arguments, of: what, at: field.name.offset)
    }
    return compiled.sorted { $0.name < $1.name }
  }

  /// Compiles an argument; nil when it says the same as leaving it out.
  private mutating func compile(
    _ argument: ArgumentSyntax, _ input: SchemaInput?
  ) -> PlanArgument? {
    var type = InputType.unknown
    if let schema, let input { type = InputType(input.type, in: schema.table) }
    let value = reader.template(
      argument.value, as: type, hasDefault: input?.defaultSyntax != nil)
    if case .constant(let constant) = value {
      if constant == .null { return nil }
      if let defaultValue = input?.defaultValue, constant.canonical == defaultValue.canonical {
        return nil
      }
    }
    return PlanArgument(
      argument.name.text, value, leaf: type.leaf, defaultValue: input?.defaultValue)
  }

  /// Refuses arguments that are given twice.
  mutating func checkUnique(_ arguments: [ArgumentSyntax]) {
    guard arguments.count > 1 else { return }
    var seen: [String: Int] = [:]
    for argument in arguments {
      if let first = seen[argument.name.text] {
        findings.add(
          "the argument '\(argument.name.text)' is given twice",
          at: place(argument.name.offset), related: place(first))
      } else {
        seen[argument.name.text] = argument.name.offset
      }
    }
  }

  /// Asks for the arguments that must be given.
  mutating func checkRequired(
    _ inputs: NamedList<SchemaInput>, in arguments: [ArgumentSyntax], of what: String,
    at offset: Int
  ) {
    for input in inputs.elements where input.isRequired {
      if arguments.contains(where: { $0.name.text == input.name }) { continue }
      let type = schema.map { $0.table.text(of: input.type) } ?? ""
      findings.add(
        "\(what) needs the argument '\(input.name)' of type \(type)", at: place(offset))
    }
  }
}

extension Value {
  /// The value with the members of every object sorted by name, for comparing.
  var canonical: Value {
    switch self {
    case .list(let items):
      .list(items.map(\.canonical))
    case .object(let members):
      .object(
        members.map { Value.Member($0.name, $0.value.canonical) }.sorted { $0.name < $1.name })
    default:
      self
    }
  }
}
