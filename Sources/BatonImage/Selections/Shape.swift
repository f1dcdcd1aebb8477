import BatonPlan

/// The fields a group of selections has on objects of one concrete type, in document order: what
/// GraphQL's CollectFields gives for it.
final class Shape {
  /// The concrete type's name; empty when no response said it.
  let type: String
  var typeBytes: [UInt8] { key.bytes }
  /// The type's name, to hold others against.
  let key: ResponseKey
  /// The type's name number in the image; 0 until it is known, and for an unknown type.
  var typeNumber: UInt32 = 0
  /// Which member of the last object held the key field: where it is looked for first.
  var keyPlace = 0
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
  /// What the walk of a response needs of each field, without references.
  let steps: Buffer<ShapeStep>
  /// Whether the objects have leaves alone, whose reading does nothing but write them: the same text
  /// read into the same record again changes nothing.
  let isFlat: Bool

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
    key = ResponseKey(type)
    self.fields = fields
    self.keyFields = keyFields
    self.isTransient = isTransient
    self.openConditions = openConditions
    self.spreads = spreads
    var steps = Buffer<ShapeStep>(capacity: fields.count)
    for field in fields { steps.append(ShapeStep(field)) }
    self.steps = steps
    isFlat =
      openConditions.isEmpty
      && fields.allSatisfy { [.leaf, .typename].contains(ShapeStep($0).kind) }
  }

  /// The field with a response key: the one at `expected` when it matches, else by search.
  ///
  /// `expected` is where the next key is looked for first, as servers answer in document order.
  @inline(__always)
  func index(of key: JSONString, in bytes: Span<UInt8>, expected: inout Int) -> Int? {
    if key.isEscaped {
      let decoded = JSONText.bytes(key, in: bytes)
      return index(of: decoded.span, expected: &expected)
    }
    let words = KeyWords(bytes, from: key.start, to: key.end)
    if expected < steps.count, steps[expected].expected.words == words,
      words.count <= KeyWords.covered
    {
      expected += 1
      return expected - 1
    }
    return search(bytes.extracting(key.start..<key.end), words, &expected)
  }

  /// The field with a response key.
  func index(of key: Span<UInt8>, expected: inout Int) -> Int? {
    search(key, KeyWords(key, from: 0, to: key.count), &expected)
  }

  private func search(_ key: Span<UInt8>, _ words: KeyWords, _ expected: inout Int) -> Int? {
    for offset in 0..<steps.count {
      let sum = expected + offset
      let index = sum < steps.count ? sum : sum - steps.count
      guard steps[index].expected.words == words else { continue }
      if words.count > KeyWords.covered {
        let whole = fields[index].responseKey
        guard whole.span.isEqual(to: key) else { continue }
      }
      expected = index + 1
      return index
    }
    return nil
  }
}

/// What the walk of a response needs of a field that is mostly a leaf.
struct ShapeStep: BitwiseCopyable {
  enum Kind: UInt8, BitwiseCopyable {
    /// A leaf that is written and no more.
    case leaf
    case typename
    /// A field of which nothing may be written.
    case transient
    /// A field whose `ShapeField` says what to do.
    case other
  }

  let expected: ExpectedKey
  /// Which storage key of the binding the field has.
  let slot: Int
  let kind: Kind
  let leaf: Leaf

  init(_ field: ShapeField) {
    expected = field.key.expected
    slot = field.slot
    leaf = field.leaf
    if field.isTypename {
      kind = .typename
    } else if field.isTransient {
      kind = .transient
    } else {
      kind = field.group < 0 && field.edit == nil ? .leaf : .other
    }
  }
}

/// One field of a shape.
///
/// A class, as the walk hands fields down for each object: a copy of the parts would count up and
/// down a dozen references.
final class ShapeField {
  let key: ResponseKey
  /// Which storage key of the binding the field has.
  let slot: Int
  /// The group of selections below the field; -1 for a leaf.
  let group: Int
  let leaf: Leaf
  let composite: TypeReference
  /// The composite type's name.
  let compositeKey: ResponseKey
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

  var responseKey: [UInt8] { key.bytes }

  init(
    responseKey: [UInt8], slot: Int, group: Int, leaf: Leaf, composite: TypeReference,
    listDepth: Int?, isTypename: Bool, isTransient: Bool,
    isClientField: Bool, isDeferred: Bool, isUncertain: Bool, lookup: Lookup?, connectionSlot: Int?,
    edit: EditDirective?, isKeyStep: Bool
  ) {
    key = ResponseKey(responseKey)
    self.slot = slot
    self.group = group
    self.leaf = leaf
    self.composite = composite
    compositeKey = ResponseKey(composite.name)
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
