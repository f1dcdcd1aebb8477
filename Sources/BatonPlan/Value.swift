/// A value of GraphQL's input side: what a variable holds or an argument is given.
public enum Value: Sendable, Hashable {
  case null
  case boolean(Bool)
  /// Any number without fraction or exponent that fits 64 bits.
  case int(Int64)
  case float(Double)
  case string(String)
  /// An enum value, by name.
  case enumeration(String)
  case list([Value])
  /// Members in the order given; storage keys sort them.
  case object([Member])

  /// One member of an input object.
  public struct Member: Sendable, Hashable {
    public var name: String
    public var value: Value

    public init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }
}

/// The variables an operation runs with, by name without the `$`.
public typealias Variables = [String: Value]

/// A declared variable of an operation or of a fragment's fields.
public struct VariableDefinition: Sendable, Hashable {
  public var name: String
  /// The type as written, `[ID!]!`.
  public var type: String
  /// How a value of the type is kept in a storage key, as far as the type's name or a schema says.
  public var leaf: Leaf
  /// The default; nil when there is none.
  public var defaultValue: Value?

  public init(_ name: String, type: String, leaf: Leaf = .unknown, defaultValue: Value? = nil) {
    self.name = name
    self.type = type
    self.leaf = leaf
    self.defaultValue = defaultValue
  }

  /// Whether a value must be given: the type is non-null and there is no default.
  public var isRequired: Bool { type.hasSuffix("!") && defaultValue == nil }
}

/// An argument's value with the places where variables go.
public indirect enum ValueTemplate: Sendable, Hashable {
  /// A value without variables.
  case constant(Value)
  case variable(String)
  case list([ValueTemplate])
  case object([Member])

  /// One member of an input object that has variables below.
  public struct Member: Sendable, Hashable {
    public var name: String
    public var value: ValueTemplate

    public init(_ name: String, _ value: ValueTemplate) {
      self.name = name
      self.value = value
    }
  }
}

/// One argument of a field.
public struct PlanArgument: Sendable, Hashable {
  public var name: String
  public var value: ValueTemplate
  /// The type the schema gives the argument's innermost value, which decides how numbers are
  /// written: an `ID` given as 5 is the string "5". Unknown without a schema.
  public var leaf: Leaf
  /// The schema's default for the argument: a value equal to it is left out of the storage key.
  public var defaultValue: Value?

  public init(
    _ name: String, _ value: ValueTemplate, leaf: Leaf = .unknown, defaultValue: Value? = nil
  ) {
    self.name = name
    self.value = value
    self.leaf = leaf
    self.defaultValue = defaultValue
  }
}
