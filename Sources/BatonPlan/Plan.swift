/// A compiled selection: what an operation or a fragment reads, in the form that commits and reads
/// are driven by.
///
/// A plan is immutable and shared; its object identity keys what an image caches for it, so keep
/// one plan per operation instead of compiling it again for each use. Selections are a pool and
/// refer to each other by index; `selections[0]` is the root. Generated code builds plans
/// directly; `BatonDocuments` compiles them from GraphQL documents.
public final class Plan: Sendable {
  /// What the selection hangs off.
  public enum Kind: Sendable, Equatable {
    case query
    case mutation
    case subscription
    case fragment
  }

  /// The operation's or fragment's name; empty for an anonymous operation.
  public let name: String
  public let kind: Kind
  /// The type the root selection is on, as the schema or the fragment's condition names it.
  public let rootType: TypeReference
  /// The declared variables, in the order of the document. A fragment has those its fields use.
  public let variables: [VariableDefinition]
  /// The pool of selections; never empty.
  public let selections: [Selection]
  /// The schema's facts, shared by the plans compiled from it; nil without a schema.
  public let typeSystem: TypeSystem?
  /// The variables that `@include` and `@skip` read, sorted and unique.
  public let conditionVariables: [String]

  /// Makes a plan from parts.
  ///
  /// - Precondition: `selections` is not empty and each index in it lies inside the pool.
  public init(
    name: String, kind: Kind, rootType: TypeReference, variables: [VariableDefinition] = [],
    selections: [Selection], typeSystem: TypeSystem? = nil
  ) {
    precondition(!selections.isEmpty, "a plan has at least its root selection")
    self.name = name
    self.kind = kind
    self.rootType = rootType
    self.variables = variables
    self.selections = selections
    self.typeSystem = typeSystem
    var found: Set<String> = []
    for selection in selections {
      for item in selection.items {
        switch item {
        case .field(let field):
          precondition(field.selection.map { selections.indices.contains($0) } ?? true)
          found.formUnion(field.conditions.compactMap(\.variable))
        case .refinement(let refinement):
          precondition(selections.indices.contains(refinement.selection))
          found.formUnion(refinement.conditions.compactMap(\.variable))
        }
      }
    }
    conditionVariables = found.sorted()
  }
}

/// The fields and refinements between one pair of braces, in the order of the document.
public struct Selection: Sendable {
  public var items: [SelectionItem]

  public init(_ items: [SelectionItem] = []) {
    self.items = items
  }
}

/// One entry of a selection.
public enum SelectionItem: Sendable {
  case field(PlanField)
  case refinement(Refinement)
}

/// An inline fragment or a fragment spread: a selection that holds under conditions.
public struct Refinement: Sendable {
  /// The type the object must be of; nil when the fragment has no condition of its own.
  public var typeCondition: TypeCondition?
  /// `@include` and `@skip`; all must hold.
  public var conditions: [Condition]
  /// The fragment's selection, an index into the plan's pool.
  public var selection: Int
  /// The spread fragment's name; nil for an inline fragment.
  public var fragmentName: String?
  /// The `@defer` label: the fields may come in a later part. Empty when the directive has none;
  /// nil when the fragment is not deferred.
  public var deferLabel: String?

  public init(
    typeCondition: TypeCondition? = nil, conditions: [Condition] = [], selection: Int,
    fragmentName: String? = nil, deferLabel: String? = nil
  ) {
    self.typeCondition = typeCondition
    self.conditions = conditions
    self.selection = selection
    self.fragmentName = fragmentName
    self.deferLabel = deferLabel
  }
}

/// An `@include` or `@skip` on a field or fragment, normalized to the value it wants.
public struct Condition: Sendable, Hashable {
  /// The variable that decides; nil when the directive was given a literal.
  public var variable: String?
  /// What the variable, or the literal, must be for the selection to hold.
  public var wanted: Bool
  /// The literal, when there is no variable.
  public var literal: Bool

  /// `@include(if: $variable)` is `wanted: true`, `@skip(if: $variable)` `wanted: false`.
  public init(variable: String, wanted: Bool) {
    self.variable = variable
    self.wanted = wanted
    literal = false
  }

  /// A condition given a literal.
  public init(literal: Bool, wanted: Bool) {
    variable = nil
    self.wanted = wanted
    self.literal = literal
  }
}

/// One field of a selection.
public struct PlanField: Sendable {
  /// The key in the response: the alias, or the name.
  public var responseKey: String
  /// The field's name in the schema.
  public var name: String
  /// The arguments, sorted by name, without those whose literal is null or equals the schema's
  /// default (they name the same field value as the argument left out).
  public var arguments: [PlanArgument]
  /// `@include` and `@skip`; all must hold.
  public var conditions: [Condition]
  /// What the schema, or the document, says of the value.
  public var type: FieldType
  /// The selection below a composite field, an index into the plan's pool; nil for a leaf.
  public var selection: Int?
  /// `@connection`, when the field carries it.
  public var connection: ConnectionDirective?
  /// An edge or record directive, when the field carries one.
  public var edit: EditDirective?
  /// Whether a client schema extension defines the field: no server answers it, and its absence is
  /// not reported as missing.
  public var isClientField: Bool

  public init(
    responseKey: String, name: String? = nil, arguments: [PlanArgument] = [],
    conditions: [Condition] = [], type: FieldType, selection: Int? = nil,
    connection: ConnectionDirective? = nil, edit: EditDirective? = nil, isClientField: Bool = false
  ) {
    self.responseKey = responseKey
    self.name = name ?? responseKey
    self.arguments = arguments
    self.conditions = conditions
    self.type = type
    self.selection = selection
    self.connection = connection
    self.edit = edit
    self.isClientField = isClientField
  }
}

/// `@connection(key:, filters:)`: the pages of this field merge into one record of the parent.
public struct ConnectionDirective: Sendable, Hashable {
  /// The directive's key, such as `RepositoryIssues_issues`.
  public var key: String
  /// The arguments that tell connections of one key apart; nil is Relay's default: all of them but
  /// `first`, `last`, `before` and `after`.
  public var filters: [String]?

  public init(key: String, filters: [String]? = nil) {
    self.key = key
    self.filters = filters
  }
}

/// An edge or record directive on a mutation's or subscription's field.
public struct EditDirective: Sendable {
  public enum Kind: String, Sendable {
    case appendEdge, prependEdge, appendNode, prependNode, deleteEdge, deleteRecord
  }

  public var kind: Kind
  /// The keys of the connections to edit: a list literal or a variable; nil for `deleteRecord`.
  public var connections: ValueTemplate?
  /// The edge type that `appendNode` and `prependNode` make.
  public var edgeTypeName: String?

  public init(kind: Kind, connections: ValueTemplate? = nil, edgeTypeName: String? = nil) {
    self.kind = kind
    self.connections = connections
    self.edgeTypeName = edgeTypeName
  }
}
