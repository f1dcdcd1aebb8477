/// A type by name, and whether a value of it can be of several concrete types.
public struct TypeReference: Sendable, Hashable {
  /// The type's name; empty when nothing says it.
  public var name: String
  /// Whether the type is an interface or union; nil when no schema says.
  public var isAbstract: Bool?

  public init(_ name: String, isAbstract: Bool? = nil) {
    self.name = name
    self.isAbstract = isAbstract
  }

  /// A type that neither a schema nor the document names.
  public static let unknown = TypeReference("")
}

/// What a field's value is.
public struct FieldType: Sendable, Hashable {
  /// The value without its lists.
  public enum Named: Sendable, Hashable {
    /// A leaf of GraphQL's own scalars, an enum, a custom scalar, or one no schema names.
    case leaf(Leaf)
    /// An object, interface or union.
    case composite(TypeReference)
  }

  public var named: Named
  /// How many lists the value is nested in; nil when no schema says.
  public var listDepth: Int?
  /// Whether the outermost value may be null; true when no schema says.
  public var isNullable: Bool

  public init(_ named: Named, listDepth: Int? = nil, isNullable: Bool = true) {
    self.named = named
    self.listDepth = listDepth
    self.isNullable = isNullable
  }

  public static func leaf(_ leaf: Leaf, listDepth: Int? = 0, isNullable: Bool = true) -> Self {
    FieldType(.leaf(leaf), listDepth: listDepth, isNullable: isNullable)
  }

  public static func composite(
    _ type: TypeReference, listDepth: Int? = 0, isNullable: Bool = true
  ) -> Self {
    FieldType(.composite(type), listDepth: listDepth, isNullable: isNullable)
  }
}

/// The kind of a leaf value, which decides how its token is kept.
public enum Leaf: UInt8, Sendable, Hashable, BitwiseCopyable {
  /// No schema says: a token is kept in the narrowest form that gives its text back.
  case unknown
  case int
  case float
  case string
  case boolean
  case id
  case enumeration
  /// A custom scalar: a string's contents, or the source text of any other token.
  case custom
}

/// The type a fragment asks for.
public struct TypeCondition: Sendable, Hashable {
  /// The type's name.
  public var name: String
  /// Whether it is an interface or union; nil when no schema says.
  public var isAbstract: Bool?

  public init(_ name: String, isAbstract: Bool? = nil) {
    self.name = name
    self.isAbstract = isAbstract
  }
}

/// The facts of a schema that plans need at run time: which types are objects, and which objects
/// an interface or union may be.
public final class TypeSystem: Sendable {
  /// The names of all object types.
  public let objectTypes: Set<String>
  /// An interface's or union's name to the names of the objects it may be.
  public let possibleTypes: [String: Set<String>]

  public init(objectTypes: Set<String>, possibleTypes: [String: Set<String>]) {
    self.objectTypes = objectTypes
    self.possibleTypes = possibleTypes
  }

  /// Whether an object of `type` satisfies `condition`; nil when the schema does not know `type`.
  public func satisfies(_ type: String, _ condition: String) -> Bool? {
    if type == condition { return true }
    guard objectTypes.contains(type) else { return nil }
    return possibleTypes[condition]?.contains(type) ?? false
  }
}
