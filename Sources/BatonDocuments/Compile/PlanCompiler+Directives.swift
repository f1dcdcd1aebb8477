import BatonPlan

extension PlanCompiler {
  /// The directives a plan is made of, which are checked where they are read.
  private static let known: [String: [DirectiveLocation]] = [
    "include": [.field, .fragmentSpread, .inlineFragment],
    "skip": [.field, .fragmentSpread, .inlineFragment],
    "defer": [.fragmentSpread, .inlineFragment],
    "connection": [.field],
    "appendEdge": [.field],
    "prependEdge": [.field],
    "appendNode": [.field],
    "prependNode": [.field],
    "deleteEdge": [.field],
    "deleteRecord": [.field],
  ]

  /// Checks directives by what the schema says of them.
  ///
  /// A directive that neither the schema nor a plan knows is left alone: clients have their own.
  mutating func checkDirectives(_ directives: [DirectiveSyntax], at location: DirectiveLocation) {
    var seen: [String: Int] = [:]
    for directive in directives {
      let name = directive.name.text
      let definition = schema?.directives[name]
      checkUnique(directive.arguments)
      let known = Self.known[name]
      if known == nil { read(directive, definition) }
      guard let allowed = known ?? definition?.locations else { continue }
      if !allowed.contains(location) {
        findings.add("'@\(name)' can't stand here", at: place(directive.name.offset))
      }
      if let first = seen[name], !(definition?.isRepeatable ?? false) {
        findings.add(
          "'@\(name)' stands here twice", at: place(directive.name.offset), related: place(first))
      }
      seen[name] = seen[name] ?? directive.name.offset
    }
  }

  /// Reads the arguments of a directive that no plan is made of, for what is wrong in them.
  private mutating func read(_ directive: DirectiveSyntax, _ definition: SchemaDirective?) {
    let what = "'@\(directive.name.text)'"
    for argument in directive.arguments {
      var type = InputType.unknown
      let input = definition?.arguments[argument.name.text]
      if let definition, input == nil {
        refuse(argument, of: what, knowing: Array(definition.arguments.names))
      }
      if let schema, let input { type = InputType(input.type, in: schema.table) }
      _ = reader.template(argument.value, as: type, hasDefault: input?.defaultSyntax != nil)
    }
    guard let definition else { return }
    checkRequired(
      definition.arguments, in: directive.arguments, of: what, at: directive.name.offset)
  }

  mutating func refuse(_ argument: ArgumentSyntax, of what: String, knowing names: [String]) {
    let name = argument.name.text
    let hint = suggestions.phrase(for: name, among: names)
    findings.add("\(what) has no argument '\(name)'\(hint)", at: place(argument.name.offset))
  }

  /// What `@include` and `@skip` ask for.
  mutating func conditions(_ directives: [DirectiveSyntax]) -> [Condition] {
    var conditions: [Condition] = []
    for directive in directives where ["include", "skip"].contains(directive.name.text) {
      let wanted = directive.name.text == "include"
      for argument in directive.arguments where argument.name.text != "if" {
        refuse(argument, of: "'@\(directive.name.text)'", knowing: ["if"])
      }
      guard let value = directive["if"] else {
        findings.add(
          "'@\(directive.name.text)' needs the argument 'if' of type Boolean!",
          at: place(directive.name.offset))
        continue
      }
      switch reader.template(value, as: .condition) {
      case .variable(let name): conditions.append(Condition(variable: name, wanted: wanted))
      case .constant(.boolean(let literal)):
        conditions.append(Condition(literal: literal, wanted: wanted))
      default: break
      }
    }
    return conditions
  }

  /// The label of `@defer`; empty without one, nil when nothing is deferred.
  mutating func deferLabel(_ directives: [DirectiveSyntax]) -> String? {
    guard let directive = directives.first(where: { $0.name.text == "defer" }) else { return nil }
    var label = ""
    var isDeferred = true
    for argument in directive.arguments {
      switch argument.name.text {
      case "label":
        label = text(argument.value, of: "'label'") ?? ""
      case "if":
        let value = reader.template(argument.value, as: .deferral, hasDefault: true)
        if value == .constant(.boolean(false)) { isDeferred = false }
      default:
        refuse(argument, of: "'@defer'", knowing: ["if", "label"])
      }
    }
    return isDeferred ? label : nil
  }

  /// `@connection(key:, filters:)`.
  mutating func connection(_ field: FieldSyntax) -> ConnectionDirective? {
    let directives = field.directives
    guard let directive = directives.first(where: { $0.name.text == "connection" }) else {
      return nil
    }
    if field.selections == nil {
      findings.add(
        "'@connection' belongs on a field with a selection", at: place(directive.name.offset))
    }
    for argument in directive.arguments where !["key", "filters"].contains(argument.name.text) {
      // Relay has further arguments, which say nothing about where pages are kept.
      _ = reader.template(argument.value, as: .unknown)
    }
    let filters = directive["filters"].flatMap { texts($0, of: "'filters'") }
    guard let value = directive["key"] else {
      findings.add(
        "'@connection' needs the argument 'key' of type String!",
        at: place(directive.name.offset))
      return nil
    }
    guard let key = text(value, of: "'key'") else { return nil }
    return ConnectionDirective(key: key, filters: filters)
  }

  /// The edge or record directive of a field.
  mutating func edit(_ field: FieldSyntax) -> EditDirective? {
    var edit: EditDirective?
    for directive in field.directives {
      guard let kind = EditDirective.Kind(rawValue: directive.name.text) else { continue }
      if let edit, edit.kind != kind {
        findings.add(
          "'@\(directive.name.text)' stands beside '@\(edit.kind.rawValue)'; a field has one",
          at: place(directive.name.offset))
        continue
      }
      edit = read(directive, kind)
    }
    return edit
  }

  private mutating func read(
    _ directive: DirectiveSyntax, _ kind: EditDirective.Kind
  ) -> EditDirective {
    var edit = EditDirective(kind: kind)
    var names: [String] = []
    if kind != .deleteRecord { names.append("connections") }
    if kind == .appendNode || kind == .prependNode { names.append("edgeTypeName") }
    for argument in directive.arguments {
      let name = argument.name.text
      guard names.contains(name) else {
        refuse(argument, of: "'@\(kind.rawValue)'", knowing: names)
        continue
      }
      if name == "connections" {
        edit.connections = reader.template(argument.value, as: .connections)
      } else if let type = text(argument.value, of: "'edgeTypeName'") {
        edit.edgeTypeName = type
        checkEdgeType(type, at: argument.value.offset)
      }
    }
    for name in names where directive[name] == nil {
      let type = name == "connections" ? "[ID!]!" : "String!"
      findings.add(
        "'@\(kind.rawValue)' needs the argument '\(name)' of type \(type)",
        at: place(directive.name.offset))
    }
    return edit
  }

  private mutating func checkEdgeType(_ name: String, at offset: Int) {
    guard let table = schema?.table else { return }
    guard let id = table.id(of: name) else {
      let hint = suggestions.phrase(for: name, among: table.names)
      findings.add("there is no type '\(name)'\(hint)", at: place(offset))
      return
    }
    if table[id].kind != .object {
      findings.add(
        "'\(name)' is \(table[id].kind.phrase); an edge is of an object type", at: place(offset))
    }
  }

  /// A string literal that is not empty, or a finding.
  private mutating func text(_ value: ValueSyntax, of what: String) -> String? {
    guard case .string(let text) = value.kind, !text.isEmpty else {
      findings.add("\(what) takes a string that is not empty", at: place(value.offset))
      return nil
    }
    return text
  }

  /// A list of string literals, or a finding; nil for null.
  private mutating func texts(_ value: ValueSyntax, of what: String) -> [String]? {
    if value.isNull { return nil }
    guard case .list(let items) = value.kind else {
      findings.add("\(what) takes a list of strings", at: place(value.offset))
      return nil
    }
    return items.compactMap { text($0, of: what) }
  }
}

extension DirectiveSyntax {
  /// The value of an argument.
  subscript(name: String) -> ValueSyntax? {
    arguments.first { $0.name.text == name }?.value
  }
}

extension Plan.Kind {
  /// Where a directive on such an operation stands.
  var location: DirectiveLocation {
    switch self {
    case .query: .query
    case .mutation: .mutation
    case .subscription: .subscription
    case .fragment: .fragmentDefinition
    }
  }
}
