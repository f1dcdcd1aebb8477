import BatonPlan

/// The fields a group of selections has on objects of one concrete type, in document order: what
/// GraphQL's CollectFields gives for it.
final class Shape {
  /// The concrete type's name; empty when no response said it.
  let type: String
  let typeBytes: [UInt8]
  /// The type's name number in the image; 0 until it is known, and for an unknown type.
  var typeNumber: UInt32 = 0
  let fields: [ShapeField]
  /// The fields that hold the key fields' values, in the key's order; nil when the selection lacks
  /// one, so that the object is keyed by its path.
  let keyFields: [Int]?
  /// Whether records of the type are never written.
  let isTransient: Bool
  /// Conditions that nothing says about the type yet, with the fields only they bring.
  let openConditions: [OpenCondition]
  /// The selections of the fragments spread on objects of the type, by name, when the binding
  /// doesn't follow spreads.
  let spreads: [String: Int]
  /// The response keys one after another, and where each ends.
  private let keyBytes: [UInt8]
  private let keyEnds: [Int]

  struct OpenCondition {
    var name: String
    /// Indexes of fields that stand under this condition and nowhere else.
    var fields: [Int]
  }

  init(
    type: String, fields: [ShapeField], keyFields: [Int]?, isTransient: Bool,
    openConditions: [OpenCondition], spreads: [String: Int] = [:]
  ) {
    self.type = type
    typeBytes = Array(type.utf8)
    self.fields = fields
    self.keyFields = keyFields
    self.isTransient = isTransient
    self.openConditions = openConditions
    self.spreads = spreads
    var keyBytes: [UInt8] = []
    var keyEnds: [Int] = []
    for field in fields {
      keyBytes.append(contentsOf: field.responseKey)
      keyEnds.append(keyBytes.count)
    }
    self.keyBytes = keyBytes
    self.keyEnds = keyEnds
  }

  /// Whether a type's name is this shape's.
  @inline(__always)
  func isOf(type name: Span<UInt8>) -> Bool {
    let own = typeBytes
    return own.span.isEqual(to: name)
  }

  /// The field with a response key: the one at `expected` when it matches, else by search.
  ///
  /// `expected` is where the next key is looked for first, as servers answer in document order.
  @inline(__always)
  func index(of key: Span<UInt8>, expected: inout Int) -> Int? {
    if expected < keyEnds.count, matches(expected, key) {
      expected += 1
      return expected - 1
    }
    for index in keyEnds.indices where matches(index, key) {
      expected = index + 1
      return index
    }
    return nil
  }

  @inline(__always)
  private func matches(_ index: Int, _ key: Span<UInt8>) -> Bool {
    let start = index == 0 ? 0 : keyEnds[index - 1]
    let keys = keyBytes
    return keys.span.extracting(start..<keyEnds[index]).isEqual(to: key)
  }
}

/// One field of a shape.
///
/// A class, as the walk hands fields down for each object: a copy of the parts would count up and
/// down a dozen references.
final class ShapeField {
  let responseKey: [UInt8]
  /// Which storage key of the binding the field has.
  let slot: Int
  /// The group of selections below the field; -1 for a leaf.
  let group: Int
  let leaf: Leaf
  let composite: TypeReference
  /// The composite type's name.
  let compositeBytes: [UInt8]
  /// How many lists the value is nested in; nil when no schema says.
  let listDepth: Int?
  let isTypename: Bool
  /// Whether nothing of the field may be written.
  let isTransient: Bool
  /// Whether no server answers the field.
  let isClientField: Bool
  /// Whether all places that select the field are deferred.
  let isDeferred: Bool
  /// Whether all places that select the field stand under a condition nothing is known about.
  let isUncertain: Bool
  /// The lookup a field of the query root is.
  let lookup: Lookup?
  /// The connection the field's pages merge into: its slot.
  let connectionSlot: Int?
  let edit: EditDirective?
  /// Whether the field has arguments and is no lookup, so that it is a step of a natural key.
  let isKeyStep: Bool

  init(
    responseKey: [UInt8], slot: Int, group: Int, leaf: Leaf, composite: TypeReference,
    compositeBytes: [UInt8], listDepth: Int?, isTypename: Bool, isTransient: Bool,
    isClientField: Bool, isDeferred: Bool, isUncertain: Bool, lookup: Lookup?, connectionSlot: Int?,
    edit: EditDirective?, isKeyStep: Bool
  ) {
    self.responseKey = responseKey
    self.slot = slot
    self.group = group
    self.leaf = leaf
    self.composite = composite
    self.compositeBytes = compositeBytes
    self.listDepth = listDepth
    self.isTypename = isTypename
    self.isTransient = isTransient
    self.isClientField = isClientField
    self.isDeferred = isDeferred
    self.isUncertain = isUncertain
    self.lookup = lookup
    self.connectionSlot = connectionSlot
    self.edit = edit
    self.isKeyStep = isKeyStep
  }
}

/// A storage key of a binding: rendered once per execution, numbered once per image.
struct StorageKeySlot {
  let name: String
  let arguments: [PlanArgument]
  let isConstant: Bool
  /// The rendered key of this execution; empty until it is asked for.
  var text: [UInt8] = []
  /// The name number in the image; 0 until it is known.
  var number: UInt32 = 0
}
