/// A random document, as what it was made of.
struct ModelDocument {
  /// The variables declared, by name, with their types.
  var declared: [String: String] = [:]
  /// The variables' values as JSON; one that is absent has none.
  var variables: [String: String] = [:]
  var fragments: [Fragment] = []
  var root: [Selection] = []

  struct Fragment {
    var name: String
    var type: String
    var selections: [Selection]
  }

  indirect enum Selection {
    case typename
    case field(FieldSelection)
    /// Selections under an optional type condition.
    case inline(type: String?, condition: Condition?, [Selection])
    case spread(name: String, condition: Condition?)
  }

  struct FieldSelection {
    var field: ModelSchema.Field
    var responseKey: String
    var arguments: [(name: String, value: Argument)]
    var condition: Condition?
    var selections: [Selection]
  }

  /// What an argument or a condition is given.
  enum Argument {
    /// A literal, which is written in a document as in JSON.
    case literal(String)
    case variable(String)
  }

  /// `@include` or `@skip`.
  struct Condition {
    var includes: Bool
    var value: Argument
  }

  /// A field as it is collected for one concrete type: the selections of all its mentions.
  struct Collected {
    var responseKey: String
    /// Nil for `__typename`.
    var field: ModelSchema.Field?
    var storageKey = ""
    var selections: [Selection] = []
  }

  // MARK: Meaning

  /// The fields that selections ask of an object of a type, in the order of their first mention.
  func collect(_ selections: [Selection], type: String) -> [Collected] {
    var fields: [Collected] = []
    collect(selections, type: type, into: &fields)
    return fields
  }

  private func collect(
    _ selections: [Selection], type: String, into fields: inout [Collected]
  ) {
    for selection in selections {
      switch selection {
      case .typename:
        if !fields.contains(where: { $0.field == nil }) {
          fields.append(Collected(responseKey: "__typename"))
        }
      case .field(let field):
        guard holds(field.condition) else { continue }
        if let index = fields.firstIndex(where: { $0.responseKey == field.responseKey }) {
          fields[index].selections += field.selections
        } else {
          fields.append(
            Collected(
              responseKey: field.responseKey, field: field.field, storageKey: storageKey(of: field),
              selections: field.selections))
        }
      case .inline(let condition, let include, let inner):
        guard holds(include), applies(condition, to: type) else { continue }
        collect(inner, type: type, into: &fields)
      case .spread(let name, let include):
        guard holds(include), let fragment = fragments.first(where: { $0.name == name }),
          applies(fragment.type, to: type)
        else { continue }
        collect(fragment.selections, type: type, into: &fields)
      }
    }
  }

  private func applies(_ condition: String?, to type: String) -> Bool {
    guard let condition else { return true }
    return ModelSchema.objectTypes(of: condition).contains(type)
  }

  private func holds(_ condition: Condition?) -> Bool {
    guard let condition else { return true }
    return (value(of: condition.value) == "true") == condition.includes
  }

  /// An argument's value as JSON; nil when it is null or absent.
  private func value(of argument: Argument) -> String? {
    let text: String? =
      switch argument {
      case .literal(let text): text
      case .variable(let name): variables[name]
      }
    return text == "null" ? nil : text
  }

  /// Relay's storage key of a field (R2).
  private func storageKey(of field: FieldSelection) -> String {
    let arguments = field.arguments.sorted { $0.name < $1.name }
      .compactMap { argument in value(of: argument.value).map { "\(argument.name):\($0)" } }
    return arguments.isEmpty
      ? field.field.name : "\(field.field.name)(\(arguments.joined(separator: ",")))"
  }

  // MARK: Text

  /// The variables as a JSON object.
  var variablesText: String {
    "{"
      + variables.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
      .joined(separator: ",") + "}"
  }

  /// The document's text.
  var text: String {
    let variables = declared.sorted { $0.key < $1.key }.map { "$\($0.key): \($0.value)" }
    var text = "query Q"
    if !variables.isEmpty { text += "(\(variables.joined(separator: ", ")))" }
    text += Self.text(of: root)
    for fragment in fragments {
      text += "\nfragment \(fragment.name) on \(fragment.type)" + Self.text(of: fragment.selections)
    }
    return text
  }

  private static func text(of selections: [Selection]) -> String {
    " { " + selections.map { text(of: $0) }.joined(separator: " ") + " }"
  }

  private static func text(of selection: Selection) -> String {
    switch selection {
    case .typename: return "__typename"
    case .spread(let name, let condition): return "...\(name)\(text(of: condition))"
    case .inline(let type, let condition, let inner):
      return "..." + (type.map { " on \($0)" } ?? "") + text(of: condition) + text(of: inner)
    case .field(let field):
      var text = field.responseKey == field.field.name ? "" : field.responseKey + ": "
      text += field.field.name
      let arguments = field.arguments.map { "\($0.name): \(Self.text(of: $0.value))" }
      if !arguments.isEmpty { text += "(\(arguments.joined(separator: ", ")))" }
      text += Self.text(of: field.condition)
      return text + (field.selections.isEmpty ? "" : Self.text(of: field.selections))
    }
  }

  private static func text(of condition: Condition?) -> String {
    guard let condition else { return "" }
    return " @\(condition.includes ? "include" : "skip")(if: \(text(of: condition.value)))"
  }

  private static func text(of argument: Argument) -> String {
    switch argument {
    case .literal(let text): text
    case .variable(let name): "$" + name
    }
  }
}
