import BatonPlan

/// A type of a schema, its extensions merged in. Other types are named by their index.
struct SchemaType: Sendable, Named {
  var kind: TypeKind
  var name: String
  var place: Place
  /// Whether the type is GraphQL's own and no source defines it.
  var isBuiltin: Bool
  /// What an object or interface implements, in order.
  var interfaces: [Int] = []
  var fields = NamedList<SchemaField>()
  /// A union's members.
  var members: [Int] = []
  /// An enum's values.
  var values = NamedList<SchemaName>()
  /// An input object's fields.
  var inputs = NamedList<SchemaInput>()
  var isOneOf = false

  /// How a scalar's or enum's value is kept; `.unknown` for types that are no leaves.
  var leaf: Leaf {
    switch kind {
    case .enumeration: .enumeration
    case .scalar: Leaf(scalar: name) ?? .custom
    default: .unknown
    }
  }
}

/// A name that a source gives, such as an enum's value.
struct SchemaName: Sendable, Named {
  var name: String
  var place: Place
}

/// A type with its lists and exclamation marks.
struct ResolvedType: Sendable, Hashable {
  /// The type's index.
  var id: Int
  var wrapping: TypeWrapping
}

/// A field of an object or interface.
struct SchemaField: Sendable, Named {
  var name: String
  var place: Place
  var type: ResolvedType
  var arguments = NamedList<SchemaInput>()
  /// Whether a client schema extension defines it.
  var isClient: Bool
}

/// An argument, or a field of an input object.
struct SchemaInput: Sendable, Named {
  var name: String
  var place: Place
  var type: ResolvedType
  /// The default as written.
  var defaultSyntax: ValueSyntax?
  /// The default, coerced to the type; nil when there is none.
  var defaultValue: Value?

  var isRequired: Bool { type.wrapping.isNonNull && defaultSyntax == nil }
}

/// A directive that a schema defines.
struct SchemaDirective: Sendable {
  var place: Place
  var isBuiltin: Bool
  var isRepeatable: Bool
  var locations: [DirectiveLocation]
  var arguments = NamedList<SchemaInput>()
}

extension Leaf {
  /// The kind of GraphQL's own scalar of that name.
  init?(scalar name: String) {
    switch name {
    case "Int": self = .int
    case "Float": self = .float
    case "String": self = .string
    case "Boolean": self = .boolean
    case "ID": self = .id
    default: return nil
    }
  }
}
