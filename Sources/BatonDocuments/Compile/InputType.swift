import BatonPlan

/// What an argument, an input field or a variable takes, as far as anything says.
struct InputType: Sendable {
  enum Shape: Sendable {
    /// Nothing says; any value is taken as it stands.
    case unknown
    case leaf(Leaf)
    /// An enum, by its index in the table.
    case enumeration(Int)
    /// An input object, by its index in the table.
    case object(Int)
  }

  /// The innermost type's name; empty when nothing says.
  var name: String
  var wrapping: TypeWrapping
  var shape: Shape

  static let unknown = InputType(name: "", wrapping: .nullable, shape: .unknown)
  /// What `@include`, `@skip` ask for.
  static let condition = InputType(name: "Boolean", wrapping: .required, shape: .leaf(.boolean))
  /// What `@defer(if:)` asks for.
  static let deferral = InputType(name: "Boolean", wrapping: .nullable, shape: .leaf(.boolean))

  /// `[ID!]!`, what the edit directives take their connections as.
  static let connections: InputType = {
    let wrapping = TypeWrapping.required.list?.nonNull ?? .required
    return InputType(name: "ID", wrapping: wrapping, shape: .leaf(.id))
  }()

  var isKnown: Bool { !name.isEmpty }

  /// The type as written.
  var text: String { wrapping.text(around: name) }

  /// What the outermost list holds; nil when there is no list.
  var item: InputType? {
    wrapping.item.map { InputType(name: name, wrapping: $0, shape: shape) }
  }

  /// How a value is kept in a storage key.
  var leaf: Leaf {
    switch shape {
    case .unknown, .object: .unknown
    case .leaf(let leaf): leaf
    case .enumeration: .enumeration
    }
  }
}

extension InputType {
  /// The type of an argument or input field; its type must be one for input.
  init(_ type: ResolvedType, in table: TypeTable) {
    let named = table[type.id]
    name = named.name
    wrapping = type.wrapping
    switch named.kind {
    case .enumeration: shape = .enumeration(type.id)
    case .input: shape = .object(type.id)
    default: shape = .leaf(named.leaf)
    }
  }
}
