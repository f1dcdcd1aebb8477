import BatonPlan

/// Reads written values as the types they are given for.
///
/// With a table, values are checked and coerced to the type's own form: `5` for an `ID` is the
/// string, an integer for a `Float` a float, a single value for a list a list of it. Where nothing
/// says the type, values are taken as they stand.
struct LiteralReader {
  /// What is wrong with a value.
  struct Complaint {
    var message: String
    var offset: Int
  }

  /// The schema's types; nil without a schema.
  let table: TypeTable?
  /// What was found since the reader was made.
  var complaints: [Complaint] = []
  /// The variables met since the reader was made.
  var uses: [VariableUse] = []
  private var suggestions = Suggestions()

  init(table: TypeTable?) {
    self.table = table
  }

  /// Reads a value that holds no variables.
  mutating func constant(_ value: ValueSyntax, as type: InputType) -> Value {
    guard case .constant(let constant) = template(value, as: type) else { return .null }
    return constant
  }

  /// Reads a value.
  ///
  /// - Parameter hasDefault: Whether the place of the value has a default.
  mutating func template(
    _ value: ValueSyntax, as type: InputType, hasDefault: Bool = false, isOneOf: Bool = false
  ) -> ValueTemplate {
    switch value.kind {
    case .variable(let name):
      uses.append(
        VariableUse(
          name: name, offset: value.offset, expected: type, hasDefault: hasDefault,
          isOneOf: isOneOf))
      return .variable(name)
    case .null:
      if type.wrapping.isNonNull { complain("\(type.text) does not take null", at: value.offset) }
      return .constant(.null)
    default:
      break
    }
    if let item = type.item {
      guard case .list(let items) = value.kind else {
        return Self.list([template(value, as: item)])
      }
      var read: [ValueTemplate] = []
      for entry in items { read.append(template(entry, as: item)) }
      return Self.list(read)
    }
    switch type.shape {
    case .object(let id):
      guard let table, case .object(let members) = value.kind else {
        return mismatch(value, type)
      }
      return object(members, at: value.offset, as: table[id], in: table)
    case .enumeration(let id):
      guard let table, case .enumeration(let name) = value.kind else {
        return mismatch(value, type)
      }
      if table[id].values[name] == nil {
        let hint = suggestions.phrase(for: name, among: table[id].values.names)
        complain("the enum \(type.name) has no value '\(name)'\(hint)", at: value.offset)
      }
      return .constant(.enumeration(name))
    case .leaf(.custom), .leaf(.unknown), .unknown:
      return untyped(value) ?? scalar(value, type.leaf, type)
    case .leaf(let leaf):
      return scalar(value, leaf, type)
    }
  }

  /// Says what is wrong at an offset.
  mutating func complain(_ message: @autoclosure () -> String, at offset: Int) {
    guard complaints.count < Findings.limit else { return }
    complaints.append(Complaint(message: message(), offset: offset))
  }

  mutating func mismatch(_ value: ValueSyntax, _ type: InputType) -> ValueTemplate {
    complain("expected a value of type \(type.text), found \(value.phrase)", at: value.offset)
    return .constant(.null)
  }

  private static func list(_ items: [ValueTemplate]) -> ValueTemplate {
    var values: [Value] = []
    for item in items {
      guard case .constant(let value) = item else { return .list(items) }
      values.append(value)
    }
    return .constant(.list(values))
  }

  private static func object(_ members: [ValueTemplate.Member]) -> ValueTemplate {
    var values: [Value.Member] = []
    for member in members {
      guard case .constant(let value) = member.value else { return .object(members) }
      values.append(Value.Member(member.name, value))
    }
    return .constant(.object(values))
  }

  /// A list or object of which nothing says the type; nil for other values.
  private mutating func untyped(_ value: ValueSyntax) -> ValueTemplate? {
    switch value.kind {
    case .list(let items):
      var read: [ValueTemplate] = []
      for item in items { read.append(template(item, as: .unknown)) }
      return Self.list(read)
    case .object(let members):
      checkUnique(members)
      var read: [ValueTemplate.Member] = []
      for member in members {
        let value = template(member.value, as: .unknown)
        read.append(ValueTemplate.Member(member.name.text, value))
      }
      return Self.object(read)
    default:
      return nil
    }
  }

  private mutating func object(
    _ members: [ArgumentSyntax], at offset: Int, as type: SchemaType, in table: TypeTable
  ) -> ValueTemplate {
    checkUnique(members)
    var read: [ValueTemplate.Member] = []
    var given: Set<String> = []
    for member in members {
      let name = member.name.text
      given.insert(name)
      guard let input = type.inputs[name] else {
        let hint = suggestions.phrase(for: name, among: type.inputs.names)
        complain(
          "the input object \(type.name) has no field '\(name)'\(hint)", at: member.name.offset)
        continue
      }
      let value = template(
        member.value, as: InputType(input.type, in: table),
        hasDefault: input.defaultSyntax != nil, isOneOf: type.isOneOf)
      read.append(ValueTemplate.Member(name, value))
    }
    for input in type.inputs.elements where input.isRequired && !given.contains(input.name) {
      complain("\(type.name) asks for the field '\(input.name)'", at: offset)
    }
    if type.isOneOf, members.count != 1 || members[0].value.isNull {
      complain("\(type.name) takes exactly one field, and not null", at: offset)
    }
    return Self.object(read)
  }

  private mutating func checkUnique(_ members: [ArgumentSyntax]) {
    var seen: Set<String> = []
    for member in members where !seen.insert(member.name.text).inserted {
      complain("the field '\(member.name.text)' is given twice", at: member.name.offset)
    }
  }
}
