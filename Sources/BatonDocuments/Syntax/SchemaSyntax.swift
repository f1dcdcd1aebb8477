import BatonPlan

/// One definition or extension of a schema document, as written; descriptions are not kept.
enum SchemaSyntax: Sendable {
  case schema(RootsSyntax)
  case type(TypeDefinitionSyntax)
  case directive(DirectiveDefinitionSyntax)
}

/// `schema { }` or its extension.
struct RootsSyntax: Sendable {
  var offset: Int
  var isExtension: Bool
  var roots: [RootSyntax]
}

/// One root operation type.
struct RootSyntax: Sendable {
  var kind: Plan.Kind
  var offset: Int
  var type: Name
}

/// What a type is.
enum TypeKind: Sendable {
  case scalar, object, interface, union, enumeration, input

  /// The kind with its article, for messages.
  var phrase: String {
    switch self {
    case .scalar: "a scalar"
    case .object: "an object type"
    case .interface: "an interface"
    case .union: "a union"
    case .enumeration: "an enum"
    case .input: "an input object"
    }
  }

  var isComposite: Bool { self == .object || self == .interface || self == .union }
  var isAbstract: Bool { self == .interface || self == .union }
  var isInput: Bool { self == .scalar || self == .enumeration || self == .input }
  var isOutput: Bool { self != .input }
}

/// A type's definition or extension; the lists that its kind has no use for are empty.
struct TypeDefinitionSyntax: Sendable {
  var kind: TypeKind
  var isExtension: Bool
  var name: Name
  var interfaces: [Name] = []
  var directives: [DirectiveSyntax] = []
  var fields: [FieldDefinitionSyntax] = []
  var members: [Name] = []
  var values: [Name] = []
  var inputs: [InputDefinitionSyntax] = []
}

/// A field of an object or interface.
struct FieldDefinitionSyntax: Sendable {
  var name: Name
  var arguments: [InputDefinitionSyntax]
  var type: TypeSyntax
}

/// An argument's definition, or an input object's field.
struct InputDefinitionSyntax: Sendable {
  var name: Name
  var type: TypeSyntax
  var defaultValue: ValueSyntax?
}

/// A directive's definition.
struct DirectiveDefinitionSyntax: Sendable {
  var name: Name
  var arguments: [InputDefinitionSyntax]
  var isRepeatable: Bool
  var locations: [DirectiveLocation]
}

/// Where a directive may stand.
enum DirectiveLocation: String, Sendable {
  case query = "QUERY"
  case mutation = "MUTATION"
  case subscription = "SUBSCRIPTION"
  case field = "FIELD"
  case fragmentDefinition = "FRAGMENT_DEFINITION"
  case fragmentSpread = "FRAGMENT_SPREAD"
  case inlineFragment = "INLINE_FRAGMENT"
  case variableDefinition = "VARIABLE_DEFINITION"
  case schema = "SCHEMA"
  case scalar = "SCALAR"
  case object = "OBJECT"
  case fieldDefinition = "FIELD_DEFINITION"
  case argumentDefinition = "ARGUMENT_DEFINITION"
  case interface = "INTERFACE"
  case union = "UNION"
  case enumeration = "ENUM"
  case enumerationValue = "ENUM_VALUE"
  case inputObject = "INPUT_OBJECT"
  case inputFieldDefinition = "INPUT_FIELD_DEFINITION"
}
