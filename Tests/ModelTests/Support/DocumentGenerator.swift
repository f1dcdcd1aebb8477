import TestSupport

/// Makes random documents.
struct DocumentGenerator {
  private var generator: SeededGenerator
  private var document = ModelDocument()

  private typealias Selection = ModelDocument.Selection

  static func document(using generator: inout SeededGenerator) -> ModelDocument {
    var maker = DocumentGenerator(generator: generator)
    maker.document.root = maker.selections(of: "Query", depth: 0)
    maker.giveVariables()
    generator = maker.generator
    return maker.document
  }

  private init(generator: SeededGenerator) { self.generator = generator }

  // MARK: Selections

  private mutating func selections(of type: String, depth: Int) -> [Selection] {
    var selections: [Selection] = []
    if ModelSchema.isAbstract(type) {
      selections.append(.typename)
    } else if type == "Query" || generator.oneIn(6) {
      selections.append(.typename)
    }
    let fields = ModelSchema.fields[type] ?? []
    if fields.contains(where: { $0.type == "ID" }), !generator.oneIn(12) {
      selections.append(id)
    }
    // An object that is selected without a field of its own is no document.
    if selections.isEmpty { selections.append(.typename) }
    if type == "Sheet" { return selections + cells() }
    for _ in 0..<Int.random(in: 1...(depth == 0 ? 5 : 4), using: &generator) {
      if let selection = selection(of: type, depth: depth) { selections.append(selection) }
    }
    return selections
  }

  /// So many fields with arguments that a record of a few responses has more than a row holds.
  private mutating func cells() -> [Selection] {
    let fields = ModelSchema.fields["Sheet"] ?? []
    let cell = fields[generator.oneIn(6) ? 2 : 1]
    let first = Int.random(in: 0..<100, using: &generator)
    let count = Int.random(in: 1...60, using: &generator)
    return (first..<first + count).map { number in
      .field(
        .init(
          field: cell, responseKey: "\(cell.name)_\(number)",
          arguments: [("n", .literal(String(number)))],
          selections: ModelSchema.isComposite(cell.type) ? [id] : []))
    }
  }

  private var id: Selection {
    .field(
      .init(
        field: ModelSchema.Field(name: "id", type: "ID"), responseKey: "id", arguments: [],
        selections: []))
  }

  private mutating func selection(of type: String, depth: Int) -> Selection? {
    if ModelSchema.isAbstract(type) || generator.oneIn(8) {
      let types = ModelSchema.objectTypes(of: type)
      let narrow = types[Int.random(in: 0..<types.count, using: &generator)]
      return fragment(on: narrow, depth: depth)
    }
    let fields = (ModelSchema.fields[type] ?? []).filter {
      depth < 4 || !ModelSchema.isComposite($0.type)
    }
    guard let field = fields.randomElement(using: &generator), field.name != "id" else {
      return nil
    }
    return .field(selection(of: field, depth: depth))
  }

  /// An inline fragment, or a named one that is spread here.
  private mutating func fragment(on type: String, depth: Int) -> Selection? {
    guard depth < 5 else { return nil }
    let known = document.fragments.filter { $0.type == type }
    if let fragment = known.randomElement(using: &generator), generator.oneIn(2) {
      return .spread(name: fragment.name, condition: condition())
    }
    let inner = selections(of: type, depth: depth + 1)
    guard generator.oneIn(3) else {
      return .inline(type: type, condition: condition(), inner)
    }
    let name = "F\(document.fragments.count)"
    document.fragments.append(.init(name: name, type: type, selections: inner))
    return .spread(name: name, condition: condition())
  }

  private mutating func selection(
    of field: ModelSchema.Field, depth: Int
  ) -> ModelDocument.FieldSelection {
    var arguments: [(name: String, value: ModelDocument.Argument)] = []
    // One response key always means one field with the same arguments.
    var key = field.name
    for argument in field.arguments where !generator.oneIn(3) {
      let (value, mark) = argumentValue(of: argument.type)
      arguments.append((argument.name, value))
      key += "_\(argument.name)_\(mark)"
    }
    if arguments.isEmpty, generator.oneIn(5) { key = "other_" + field.name }
    if generator.oneIn(2) { arguments.reverse() }
    let inner =
      ModelSchema.isComposite(field.type) ? selections(of: field.type, depth: depth + 1) : []
    return ModelDocument.FieldSelection(
      field: field, responseKey: key, arguments: arguments, condition: condition(),
      selections: inner)
  }

  // MARK: Arguments

  private mutating func argumentValue(of type: String) -> (ModelDocument.Argument, String) {
    if generator.oneIn(2) {
      let name = (type == "Int" ? "n" : "s") + String(Int.random(in: 0...1, using: &generator))
      document.declared[name] = type
      return (.variable(name), name)
    }
    if generator.oneIn(8) { return (.literal("null"), "null") }
    let number = Int.random(in: 0...2, using: &generator)
    return (.literal(Self.literal(type, number)), String(number))
  }

  private static func literal(_ type: String, _ number: Int) -> String {
    type == "Int" ? String(number) : ["\"a\"", "\"b\"", "\"a b\""][number]
  }

  private mutating func condition() -> ModelDocument.Condition? {
    guard generator.oneIn(8) else { return nil }
    let value: ModelDocument.Argument
    if generator.oneIn(2) {
      document.declared["b"] = "Boolean!"
      value = .variable("b")
    } else {
      value = .literal(generator.oneIn(2) ? "true" : "false")
    }
    return ModelDocument.Condition(includes: generator.oneIn(2), value: value)
  }

  private mutating func giveVariables() {
    for (name, type) in document.declared.sorted(by: { $0.key < $1.key }) {
      if type == "Boolean!" {
        document.variables[name] = generator.oneIn(2) ? "true" : "false"
      } else if generator.oneIn(6) {
        if generator.oneIn(2) { document.variables[name] = "null" }
      } else {
        let number = Int.random(in: 0...2, using: &generator)
        document.variables[name] = Self.literal(type, number)
      }
    }
  }
}
