import BatonPlan

extension PlanCompiler {
  /// Compiles an operation's variables.
  mutating func declare(_ variables: [VariableSyntax]) -> [VariableDefinition] {
    var definitions: [VariableDefinition] = []
    var first: [String: Int] = [:]
    for variable in variables {
      let name = variable.name.text
      if let other = first[name] {
        findings.add(
          "the variable $\(name) is declared twice", at: place(variable.name.offset),
          related: place(other))
      }
      first[name] = first[name] ?? variable.name.offset
      checkDirectives(variable.directives, at: .variableDefinition)
      checkType(of: variable)
      let type = inputType(of: variable.type)
      definitions.append(
        VariableDefinition(
          name, type: variable.type.text, leaf: type.leaf,
          defaultValue: variable.defaultValue.map { reader.constant($0, as: type) }))
    }
    return definitions
  }

  private mutating func checkType(of variable: VariableSyntax) {
    guard let table = schema?.table else { return }
    let name = variable.type.name
    guard let id = table.id(of: name.text) else {
      let hint = suggestions.phrase(for: name.text, among: table.names)
      findings.add("there is no type '\(name.text)'\(hint)", at: place(name.offset))
      return
    }
    if !table[id].kind.isInput {
      findings.add(
        "'\(name.text)' is \(table[id].kind.phrase) and can't be a variable's type",
        at: place(name.offset))
    }
  }

  /// What a declared type takes, as far as its name or the schema says.
  private func inputType(of type: TypeSyntax) -> InputType {
    let name = type.name.text
    if let table = schema?.table, let id = table.id(of: name), table[id].kind.isInput {
      return InputType(ResolvedType(id: id, wrapping: type.wrapping), in: table)
    }
    let shape = Leaf(scalar: name).map(InputType.Shape.leaf) ?? .unknown
    return InputType(name: name, wrapping: type.wrapping, shape: shape)
  }

  /// Checks that every variable in use is declared, and of a type that will do there.
  mutating func checkUses(against operation: OperationSyntax) {
    let declared = Dictionary(
      operation.variables.map { ($0.name.text, $0) }, uniquingKeysWith: { one, _ in one })
    let owner =
      operation.name.map { "the \(operation.kind.word) '\($0.text)'" }
      ?? "the \(operation.kind.word)"
    for use in reader.uses {
      guard let variable = declared[use.name] else {
        let hint = suggestions.phrase(for: use.name, among: declared.keys)
        findings.add("\(owner) does not declare $\(use.name)\(hint)", at: place(use.offset))
        continue
      }
      check(use, against: variable)
    }
  }

  private mutating func check(_ use: VariableUse, against variable: VariableSyntax) {
    guard use.expected.isKnown else { return }
    var wanted = use.expected.wrapping
    let hasDefault = use.hasDefault || variable.defaultValue.map { !$0.isNull } ?? false
    if wanted.isNonNull, hasDefault { wanted = wanted.nullable }
    let type = variable.type
    guard type.name.text == use.expected.name, type.wrapping.satisfies(wanted) else {
      findings.add(
        "$\(use.name) is of type \(type.text), but \(use.expected.text) is asked for",
        at: place(use.offset))
      return
    }
    if use.isOneOf, !type.wrapping.isNonNull {
      findings.add(
        "$\(use.name) must be non-null to be a field of a @oneOf input object",
        at: place(use.offset))
    }
  }

  /// The variables that a fragment's fields use, with the strictest type any of the uses asks for.
  func inferVariables() -> [VariableDefinition] {
    var names: [String] = []
    var types: [String: InputType] = [:]
    for use in reader.uses {
      var type = use.expected
      if use.hasDefault { type.wrapping = type.wrapping.nullable }
      if use.isOneOf { type.wrapping = type.wrapping.nonNull }
      guard let known = types[use.name] else {
        names.append(use.name)
        types[use.name] = type
        continue
      }
      if !known.isKnown {
        types[use.name] = type
      } else if known.name == type.name,
        let wrapping = known.wrapping.strengthened(by: type.wrapping)
      {
        types[use.name]?.wrapping = wrapping
      }
    }
    return names.map { name in
      let type = types[name] ?? .unknown
      return VariableDefinition(name, type: type.isKnown ? type.text : "", leaf: type.leaf)
    }
  }
}
