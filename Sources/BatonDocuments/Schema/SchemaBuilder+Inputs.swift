import BatonPlan

extension SchemaBuilder {
  /// Checks `@oneOf` input objects, and that no input object needs itself to be written.
  mutating func checkInputs() {
    var state = Array(repeating: Visit.new, count: table.types.count)
    for (id, type) in table.types.enumerated() where type.kind == .input {
      if type.isOneOf { checkOneOf(type) }
      if state[id] == .new { checkCycles(from: id, &state) }
    }
  }

  private enum Visit {
    case new, open, done
  }

  private mutating func checkOneOf(_ type: SchemaType) {
    for input in type.inputs.elements {
      if input.type.wrapping.isNonNull {
        findings.add(
          "'\(type.name).\(input.name)' must be nullable: the input object is @oneOf",
          at: input.place)
      }
      if input.defaultSyntax != nil {
        findings.add(
          "'\(type.name).\(input.name)' can't have a default: the input object is @oneOf",
          at: input.place)
      }
    }
  }

  /// Walks the required fields depth first, with a stack of its own.
  private mutating func checkCycles(from start: Int, _ state: inout [Visit]) {
    var stack = [(type: start, next: 0)]
    state[start] = .open
    while let (type, next) = stack.last {
      let inputs = table[type].inputs.elements
      guard next < inputs.count else {
        state[type] = .done
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].next += 1
      let input = inputs[next]
      guard input.type.wrapping == .required, table[input.type.id].kind == .input else { continue }
      switch state[input.type.id] {
      case .new:
        state[input.type.id] = .open
        stack.append((input.type.id, 0))
      case .open:
        findings.add(
          "'\(table[type].name).\(input.name)' makes '\(table[input.type.id].name)' need itself",
          at: input.place)
      case .done:
        break
      }
    }
  }

  /// Reads the defaults of arguments and input fields as their types.
  mutating func readDefaults() {
    var reader = LiteralReader(table: table)
    var fields: [(type: Int, field: Int, argument: Int, value: Value)] = []
    var inputs: [(type: Int, input: Int, value: Value)] = []
    for (id, type) in table.types.enumerated() {
      for (position, input) in type.inputs.elements.enumerated() {
        guard let value = readDefault(of: input, &reader) else { continue }
        inputs.append((id, position, value))
      }
      for (position, field) in type.fields.elements.enumerated() {
        for (argument, input) in field.arguments.elements.enumerated() {
          guard let value = readDefault(of: input, &reader) else { continue }
          fields.append((id, position, argument, value))
        }
      }
    }
    for directive in directives.values {
      for input in directive.arguments.elements { _ = readDefault(of: input, &reader) }
    }
    // The reader's copy of the table must go first, or the first update would copy it.
    reader = LiteralReader(table: nil)
    for entry in inputs {
      table.update(entry.type) { type in
        type.inputs.update(entry.input) { $0.defaultValue = entry.value }
      }
    }
    for entry in fields {
      table.update(entry.type) { type in
        type.fields.update(entry.field) { field in
          field.arguments.update(entry.argument) { $0.defaultValue = entry.value }
        }
      }
    }
  }

  private mutating func readDefault(
    of input: SchemaInput, _ reader: inout LiteralReader
  ) -> Value? {
    guard let syntax = input.defaultSyntax else { return nil }
    let value = reader.constant(syntax, as: InputType(input.type, in: table))
    for complaint in reader.complaints {
      findings.add(
        complaint.message, at: Place(source: input.place.source, offset: complaint.offset))
    }
    reader.complaints = []
    return value
  }
}
