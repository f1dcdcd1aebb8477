/// Renders the storage key of a field: its name and its arguments, as Relay does.
///
/// The source of the rules is Docs/Format.md section 5; they are versioned with the format.
public enum StorageKey {
  /// Appends the key of a field under a set of variables.
  ///
  /// `variables` hold values with defaults applied. A variable that is null or absent leaves its
  /// argument out, and so does a value equal to the schema's default.
  public static func append(
    name: String, arguments: [PlanArgument], variables: Variables, to out: inout [UInt8]
  ) {
    out.append(contentsOf: name.utf8)
    appendArguments(arguments, variables: variables, to: &out)
  }

  /// Appends the parenthesized arguments, or nothing when all are left out.
  public static func appendArguments(
    _ arguments: [PlanArgument], variables: Variables, to out: inout [UInt8]
  ) {
    var isOpen = false
    for argument in arguments {
      guard let value = value(of: argument, variables: variables) else { continue }
      out.append(UInt8(ascii: isOpen ? "," : "("))
      isOpen = true
      out.append(contentsOf: argument.name.utf8)
      out.append(UInt8(ascii: ":"))
      CanonicalJSON.append(value, to: &out)
    }
    if isOpen { out.append(UInt8(ascii: ")")) }
  }

  /// The key's text.
  public static func text(
    name: String, arguments: [PlanArgument] = [], variables: Variables = [:]
  ) -> String {
    var bytes: [UInt8] = []
    append(name: name, arguments: arguments, variables: variables, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the key is the same under all variables.
  public static func isConstant(_ arguments: [PlanArgument]) -> Bool {
    arguments.allSatisfy { !$0.value.hasVariables }
  }

  /// The value an argument has under a set of variables; nil when the key leaves it out.
  public static func value(of argument: PlanArgument, variables: Variables) -> Value? {
    guard let value = argument.value.value(under: variables) else { return nil }
    let coerced = value.coerced(to: argument.leaf)
    if coerced == .null { return nil }
    if let defaultValue = argument.defaultValue, isSame(coerced, defaultValue) { return nil }
    return coerced
  }

  /// Whether two values are one in a key: object members in any order, numbers in any form.
  private static func isSame(_ value: Value, _ other: Value) -> Bool {
    if value == other { return true }
    switch value {
    case .list, .object: return CanonicalJSON.text(of: value) == CanonicalJSON.text(of: other)
    default: return false
    }
  }
}

extension ValueTemplate {
  /// Whether a variable stands anywhere in the value.
  public var hasVariables: Bool {
    switch self {
    case .constant: false
    case .variable: true
    case .list(let elements): elements.contains(where: \.hasVariables)
    case .object(let members): members.contains { $0.value.hasVariables }
    }
  }

  /// The value under a set of variables; nil when it is a variable without a value.
  ///
  /// Inside a list an absent variable is null; inside an object it leaves its member out
  /// (GraphQL, "Input Objects: Input Coercion").
  public func value(under variables: Variables) -> Value? {
    switch self {
    case .constant(let value): value
    case .variable(let name): variables[name]
    case .list(let elements): .list(elements.map { $0.value(under: variables) ?? .null })
    case .object(let members):
      .object(
        members.compactMap { member in
          member.value.value(under: variables).map { Value.Member(member.name, $0) }
        })
    }
  }
}

extension Value {
  /// The value as an input of the leaf type takes it: an `ID` given as a number is its decimal
  /// text, a `Float` given as an integer is that float. Lists are coerced element by element.
  public func coerced(to leaf: Leaf) -> Value {
    switch (self, leaf) {
    // Mostly as it is, and then no list is made.
    case (.list(let elements), _):
      elements.contains { $0.isCoerced(to: leaf) }
        ? .list(elements.map { $0.coerced(to: leaf) }) : self
    case (.int(let number), .id): .string(String(number))
    case (.int(let number), .float): .float(Double(number))
    case (.string(let text), .enumeration): .enumeration(text)
    default: self
    }
  }

  /// Whether `coerced` changes it.
  fileprivate func isCoerced(to leaf: Leaf) -> Bool {
    switch (self, leaf) {
    case (.list(let elements), _): elements.contains { $0.isCoerced(to: leaf) }
    case (.int, .id), (.int, .float), (.string, .enumeration): true
    default: false
    }
  }
}

extension Plan {
  /// The variables an execution runs with: those given, coerced to their declared types, and the
  /// defaults of those left out.
  ///
  /// Throws a message that names the variable when one is not declared, or none is given for a
  /// variable that must have one. A fragment's variables may all be left out.
  public func resolvedVariables(_ given: Variables) throws(VariableProblem) -> Variables {
    // Mostly they are as they should be: then nothing is made.
    var resolved = given
    var known = 0
    for definition in variables {
      if let value = given[definition.name] {
        known += 1
        if value == .null && definition.isRequired && kind != .fragment {
          throw VariableProblem(variable: definition.name, "must not be null")
        }
        if value.isCoerced(to: definition.leaf) {
          resolved[definition.name] = value.coerced(to: definition.leaf)
        }
      } else if let value = definition.defaultValue {
        resolved[definition.name] = value.coerced(to: definition.leaf)
      } else if definition.isRequired && kind != .fragment {
        throw VariableProblem(variable: definition.name, "has no value and no default")
      }
    }
    if known < given.count {
      let unknown = Set(given.keys).subtracting(variables.map(\.name))
      if let name = unknown.min() {
        throw VariableProblem(variable: name, "is not declared by the operation")
      }
    }
    return resolved
  }
}

/// What is wrong with the variables given to an operation.
public struct VariableProblem: Error, Sendable, Equatable, CustomStringConvertible {
  public var variable: String
  public var message: String

  public init(variable: String, _ message: String) {
    self.variable = variable
    self.message = message
  }

  public var description: String { "variable $\(variable) \(message)" }
}
