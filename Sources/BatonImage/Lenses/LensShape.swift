import BatonPlan
import Synchronization

/// The fields that a lens's own selection has on records of one type: without those of the
/// fragments it spreads, which have lenses of their own.
final class LensShape: Sendable {
  let fields: [LensField]
  /// The selections of the fragments spread on records of the type, by name.
  let spreads: [String: Int]
  /// Whether the fields depend on what responses say of types no schema knows.
  let isOpen: Bool
  /// Field numbers of the image, by field; 0 until one is known.
  private let numbers: LensNumbers

  init(_ shape: Shape, texts: [[UInt8]], spreads: [String: Int]) {
    fields = zip(shape.fields, texts).map { LensField($0, text: $1) }
    self.spreads = spreads
    isOpen = !shape.openConditions.isEmpty
    numbers = LensNumbers(count: shape.fields.count)
  }

  /// The field with a response key; nil when the selection lacks it.
  @inline(__always)
  func index(of key: FieldKey) -> Int? {
    let count = key.count
    for index in fields.indices
    where fields[index].prefix == key.prefix && fields[index].keyCount == count {
      if count <= 8 || key.matches(fields[index].responseKey) { return index }
    }
    return nil
  }

  /// Has the number of a field's storage key looked up again.
  func forgetNumber(of index: Int) { numbers[index] = 0 }

  /// The name number of a field's storage key; nil while the image has no such name.
  @inline(__always)
  func number<Source: RecordSource & ~Copyable>(
    of index: Int, in source: borrowing Source
  ) throws(ImageError) -> UInt32? {
    let known = numbers[index]
    if known != 0 { return known }
    guard let number = try source.number(ofName: fields[index].storageKey, .storageKey) else {
      return nil
    }
    numbers[index] = number
    return number
  }
}

/// One field of a lens.
struct LensField: Sendable {
  let responseKey: [UInt8]
  let prefix: UInt64
  let keyCount: Int
  /// The storage key's text; a connection's own for a paged field.
  let storageKey: String
  /// The group of selections below; -1 for a leaf.
  let group: Int
  let isTypename: Bool

  init(_ field: ShapeField, text: [UInt8]) {
    responseKey = field.responseKey
    prefix = FieldKey.prefix(of: field.responseKey)
    keyCount = field.responseKey.count
    storageKey = String(decoding: text, as: UTF8.self)
    group = field.group
    isTypename = field.isTypename
  }
}

/// Numbers that threads fill in as they learn them; those who write one
/// at the same time write the same.
final class LensNumbers: Sendable {
  private let numbers: [AtomicNumber]

  private final class AtomicNumber: Sendable {
    let value = Atomic<UInt32>(0)
  }

  init(count: Int) {
    numbers = (0..<count).map { _ in AtomicNumber() }
  }

  subscript(index: Int) -> UInt32 {
    get { numbers[index].value.load(ordering: .relaxed) }
    set { numbers[index].value.store(newValue, ordering: .relaxed) }
  }
}

/// A plan prepared for lenses under one set of variables.
final class LensPlan: Sendable {
  let plan: Plan
  /// The variables the plan was prepared for.
  let variables: Variables
  private let state: Mutex<State>
  private let knowledge: TypeMemberships

  private struct State {
    var binding: PlanBinding
    var shapes: [Key: LensShape] = [:]
  }

  private struct Key: Hashable {
    var group: Int
    var type: UInt32
  }

  init(
    plan: Plan, variables: Variables, identity: IdentityRules, knowledge: TypeMemberships
  ) {
    self.plan = plan
    self.variables = variables
    self.knowledge = knowledge
    let binding = PlanBinding(
      plan: plan, identity: identity,
      conditions: PlanBinding.conditions(of: plan, variables: variables), followsSpreads: false)
    binding.begin(variables)
    state = Mutex(State(binding: binding))
  }

  /// The shape of a group's records of a type; `type` is its name number, `name` its name.
  func shape(
    of group: Int, type: UInt32, name: () throws(ImageError) -> String
  ) throws(ImageError) -> LensShape {
    let key = Key(group: group, type: type)
    if let shape = state.withLock({ $0.shapes[key] }) { return shape }
    let name = try name()
    return state.withLock { state in
      let binding = state.binding
      let shape = binding.shape(of: group, type: Array(name.utf8).span, knowledge: knowledge)
      let texts = shape.fields.map { binding.text(of: $0.connectionSlot ?? $0.slot) }
      let made = LensShape(shape, texts: texts, spreads: shape.spreads)
      state.shapes[key] = made
      return made
    }
  }
}

extension LensPlan {
  /// The group of one selection of the plan.
  func group(of selection: Int) -> Int {
    state.withLock { $0.binding.group(of: [selection]) }
  }
}

/// The plans an image prepared for lenses.
final class LensCache: Sendable {
  private let plans = Mutex<[ObjectIdentifier: LensPlan]>([:])

  /// The prepared form of a plan without variables, made when it is new.
  func plan(
    _ plan: Plan, make: () throws(ImageError) -> LensPlan
  ) throws(ImageError) -> LensPlan {
    let key = ObjectIdentifier(plan)
    if let known = plans.withLock({ $0[key] }) { return known }
    let made = try make()
    plans.withLock { $0[key] = made }
    return made
  }
}
