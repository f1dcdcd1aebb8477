import BatonPlan

/// Walks a response by a plan and turns it into a change set: bytes in, encoded cells out.
///
/// The walk checks the whole document's grammar, in members it doesn't read too, so that a change
/// set is only ever made of a sound response. It writes nothing: numbers of names and records come
/// from the store.
struct Normalizer: ~Copyable {
  let binding: PlanBinding
  let identity: IdentityRules
  var changes: ChangeSet
  var errors: ErrorTree
  var findings = ResponseFindings()
  /// The links of the lists being read, the innermost last.
  var links = Buffer<UInt32>(capacity: 64)
  /// The list indexes of the elements being read; each place knows where its own start.
  var indexes = Buffer<UInt32>(capacity: 16)
  /// The id that the next object was asked for by.
  var askedId = AskedId.none
  /// The natural key that leads to the object being read; nil when none does.
  var naturalKey: [UInt8]?
  /// The fields that the objects being read have had so far, of those whose types are to be learnt.
  private var present = Buffer<Int>(capacity: 16)
  /// Set when a record was reached by an alias: it may be touched under two keys from then on.
  var sawAlias = false
  /// What objects said of their types already.
  private var told: Set<ToldFact> = []
  /// The name numbers of the binding's slots, as far as they are known: a copy that is read without
  /// the checks that a class's properties need.
  private var numbers: Buffer<UInt32>
  /// The shape each group had last.
  private var shapes: [Shape?] = []
  /// Whether the objects of each group may repeat each other.
  private var repeating = Buffer<Bool>(capacity: 16)
  /// Whether the last object a list lookup was answered with has the id that was asked for.
  var isAskedId = false
  /// Which touched record the object read last is.
  private(set) var lastObject = 0

  private struct ToldFact: Hashable {
    var shape: ObjectIdentifier
    var condition: Int
    var isMember: Bool
  }

  init(binding: PlanBinding, identity: IdentityRules, changes: consuming ChangeSet) {
    self.binding = binding
    self.identity = identity
    self.changes = changes
    errors = ErrorTree(binding.transientFields)
    var numbers = Buffer<UInt32>(capacity: binding.slots.count)
    for slot in binding.slots { numbers.append(slot.number) }
    self.numbers = numbers
  }

  /// Gives back the change set, with its room.
  consuming func takeChanges() -> ChangeSet { changes }

  /// Where an object lies: what its path key is made of.
  struct Place {
    var parent: UInt32
    var slot: Int
    /// Where the object's list indexes start in `indexes`.
    var indexBase: Int
  }

  // MARK: Objects

  /// Reads the data of a response against the plan's root selection.
  @_lifetime(reader: copy reader)
  mutating func root<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store
  ) throws(ImageError) {
    let number: UInt32
    switch binding.plan.kind {
    case .mutation: number = RowLayout.mutationRoot
    case .subscription: number = RowLayout.subscriptionRoot
    default: number = RowLayout.queryRoot
    }
    naturalKey = binding.plan.kind == .query ? [] : nil
    let type = Array(binding.plan.rootType.name.utf8)
    let shape = binding.shape(of: PlanBinding.rootGroup, type: type.span, knowledge: store)
    let index = touchRoot(number)
    try members(&reader, &store, shape: shape, index: index, node: errors.root)
  }

  mutating func touchRoot(_ number: UInt32) -> Int {
    if let index = changes.index(number: number) { return index }
    // The roots' numbers are their type names' numbers: Docs/Format.md section 5.
    return changes.append(
      ChangeSet.Touched(
        number: number, isNew: false, isPath: true, type: number, hash: UInt64(number), key: 0..<0))
  }

  /// Reads an object; its record's number, or 0 when the record is transient.
  @_lifetime(reader: copy reader)
  mutating func object<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store, field: ShapeField, place: Place, node: Int
  ) throws(ImageError) -> UInt32 {
    // One author of many subjects comes many times in one response, mostly word for word.
    var digest: UInt64 = 0
    if node == ErrorTree.none, mayRepeat(field) {
      digest = reader.digestOfBeginning
      if let index = changes.pass(repeated: digest, of: field.group, &reader) {
        lastObject = index
        return changes.touched[index].number
      }
    }
    let shape = try shape(of: field, ahead: reader, &store)
    if shape.isTransient {
      findings.sawTransient = true
      askedId = .none
      try reader.skip()
      return 0
    }
    let index = try identify(reader, &store, shape: shape, field: field, place: place)
    let number = changes.touched[index].number
    lastObject = index
    guard shape.isFlat, node == ErrorTree.none else {
      // Before and after, as the record may be met again below itself.
      changes.readings[index] = ChangeSet.Reading()
      try members(&reader, &store, shape: shape, index: index, node: node)
      changes.readings[index] = ChangeSet.Reading()
      lastObject = index
      return number
    }
    let last = changes.readings[index]
    if last.shape == ObjectIdentifier(shape), reader.pass(again: last.text) { return number }
    let start = reader.cursor
    try members(&reader, &store, shape: shape, index: index, node: node)
    let reading = ChangeSet.Reading(
      shape: ObjectIdentifier(shape), group: field.group, text: reader.passed(since: start))
    changes.note(reading, of: index, digest: changes.touched[index].isPath ? 0 : digest)
    repeating[field.group] = !changes.touched[index].isPath
    return number
  }

  /// Whether objects of a field are such that the same text means the same record, as far as those
  /// before tell: they have leaves alone and an id, and nothing but their text leads to them.
  @inline(__always)
  private func mayRepeat(_ field: ShapeField) -> Bool {
    guard field.group < repeating.count, repeating[field.group], naturalKey == nil else {
      return false
    }
    if case .none = askedId { return true }
    return false
  }

  /// The shape of the object the reader stands before, by its concrete type: mostly that of the
  /// group's object before.
  ///
  /// The store is only asked; lent by value it would be copied.
  private mutating func shape<Store: NormalizerStore & ~Copyable>(
    of field: ShapeField, ahead: JSONReader, _ store: inout Store
  ) throws(ImageError) -> Shape {
    let last = field.group < shapes.count ? shapes[field.group] : nil
    if field.composite.isAbstract == false {
      if let last, last.key.isEqual(to: field.compositeKey) { return last }
      let type = field.compositeKey.bytes
      return newShape(of: field.group, type: type.span, &store)
    }
    // Mostly the first member, and the same type as the object before.
    if let last {
      var reader = ahead
      if reader.find(Self.typename, at: 0), reader.character == UInt8(ascii: "\"") {
        let name = try reader.string()
        if last.key.matches(name, in: reader.bytes) { return last }
      }
    }
    for key in binding.typenameKeys(of: field.group) {
      guard let name = try string(of: key, in: ahead) else { continue }
      if let last, last.key.matches(name, in: ahead.bytes) { return last }
      let type = JSONText.bytes(name, in: ahead.bytes)
      return newShape(of: field.group, type: type.span, &store)
    }
    let none: [UInt8] = []
    return newShape(of: field.group, type: none.span, &store)
  }

  private static let typename = ExpectedKey(KeyWords(Array("__typename".utf8)))

  private mutating func newShape<Store: NormalizerStore & ~Copyable>(
    of group: Int, type: Span<UInt8>, _ store: inout Store
  ) -> Shape {
    let shape = binding.shape(of: group, type: type, knowledge: store)
    while shapes.count <= group {
      shapes.append(nil)
      repeating.append(false)
    }
    shapes[group] = shape
    return shape
  }

  /// The string an object has under a key, looking ahead; nil when there is none.
  private func string(of key: ResponseKey, in reader: JSONReader) throws(ImageError) -> JSONString?
  {
    var ahead = reader
    guard try ahead.enterObject() else { return nil }
    repeat {
      let found = try ahead.key()
      if key.matches(found, in: ahead.bytes) {
        return ahead.character == UInt8(ascii: "\"") ? try ahead.string() : nil
      }
      ahead.leap()
    } while try ahead.nextMember()
    return nil
  }

  /// Reads the members of an object into its record.
  @_lifetime(reader: copy reader)
  mutating func members<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store, shape: Shape, index: Int, node: Int
  ) throws(ImageError) {
    let key = naturalKey
    defer { naturalKey = key }
    var expected = 0
    let isOpen = !shape.openConditions.isEmpty
    let presentBase = present.count
    defer { present.removeSubrange(presentBase...) }
    if try reader.enterObject() {
      repeat {
        if !isOpen, node == ErrorTree.none,
          try leaves(&reader, of: shape, at: &expected, index: index)
        {
          return
        }
        let found: Int
        if expected < shape.steps.count, reader.pass(shape.steps[expected].expected) {
          found = expected
          expected &+= 1
        } else {
          let name = try reader.key()
          guard let place = shape.index(of: name, in: reader.bytes, expected: &expected) else {
            try reader.skip()
            continue
          }
          found = place
        }
        if isOpen { present.append(found) }
        do throws(ImageError) {
          switch shape.steps[found].kind {
          case .typename: try reader.skip()
          case .transient:
            findings.sawTransient = true
            errors.drop(errors.child(of: node, field: shape.fields[found]))
            try reader.skip()
          case .leaf where node == ErrorTree.none:
            let start = changes.bytes.count
            try cell(&reader, of: shape, at: found)
            let number = try number(ofSlot: shape.steps[found].slot, &store)
            changes.write(field: number, from: start, to: index)
          case .leaf, .other:
            naturalKey = key
            let child = errors.child(of: node, field: shape.fields[found])
            try self.field(
              &reader, &store, field: shape.fields[found], index: index, node: child)
          }
        } catch {
          throw error.under(shape.fields[found].responseKey)
        }
      } while try reader.nextMember()
    }
    if isOpen { learn(shape, presentBase) }
  }

  /// Reads members that are leaves and come in the plan's order, as most of a response's do, up to
  /// one that isn't or doesn't; true when the object has ended, and is passed.
  @_lifetime(reader: copy reader)
  private mutating func leaves(
    _ reader: inout JSONReader, of shape: Shape, at expected: inout Int, index: Int
  ) throws(ImageError) -> Bool {
    var chain = changes.touched[index].chain
    defer { changes.setChain(chain, of: index) }
    while expected < shape.steps.count, shape.steps[expected].kind == .leaf {
      let slot = shape.steps[expected].slot
      guard slot < numbers.count, numbers[slot] != 0, reader.pass(shape.steps[expected].expected)
      else { return false }
      let start = changes.bytes.count
      do throws(ImageError) {
        try cell(&reader, of: shape, at: expected)
      } catch {
        throw error.under(shape.fields[expected].responseKey)
      }
      changes.write(field: numbers[slot], from: start, to: &chain)
      expected &+= 1
      guard try reader.nextMember() else { return true }
    }
    return false
  }

  /// Appends the cell of a leaf that no error is about.
  @inline(__always)
  @_lifetime(reader: copy reader)
  private mutating func cell(
    _ reader: inout JSONReader, of shape: Shape, at place: Int
  ) throws(ImageError) {
    if reader.character == UInt8(ascii: "\"") {
      let string = try reader.string()
      changes.bytes.append(CellKind.string.rawValue)
      string.appendDecoded(from: reader.bytes, to: &changes.bytes)
    } else if shape.steps[place].leaf.keepsIntegers, let integer = reader.shortInteger() {
      CellEncoder.append(integer, to: &changes.bytes)
    } else if shape.steps[place].leaf != .custom, let flag = reader.boolean() {
      CellEncoder.append(flag, to: &changes.bytes)
    } else {
      try leaf(&reader, field: shape.fields[place])
    }
  }

  /// Notes what an object says of its type: it satisfies a condition when the fields that only the
  /// condition brings were answered, which are those in `present` from `base` on.
  private mutating func learn(_ shape: Shape, _ base: Int) {
    guard !shape.type.isEmpty else { return }
    let answered = Set(present.copy(base..<present.count))
    for (index, condition) in shape.openConditions.enumerated() {
      let isMember = condition.fields.contains { answered.contains($0) }
      let fact = ToldFact(shape: ObjectIdentifier(shape), condition: index, isMember: isMember)
      guard told.insert(fact).inserted else { continue }
      findings.memberships.append((shape.type, condition.name, isMember))
    }
  }

  // MARK: Numbers

  /// The name number of a shape's type; 0 for an unknown type.
  func typeNumber<Store: NormalizerStore & ~Copyable>(
    of shape: Shape, _ store: inout Store
  ) throws(ImageError) -> UInt32 {
    if shape.typeNumber == 0, !shape.type.isEmpty {
      let type = shape.typeBytes
      shape.typeNumber = try store.name(type.span, .type)
    }
    return shape.typeNumber
  }

  /// The name number of a slot's storage key.
  @inline(__always)
  mutating func number<Store: NormalizerStore & ~Copyable>(
    ofSlot slot: Int, _ store: inout Store
  ) throws(ImageError) -> UInt32 {
    if slot < numbers.count, numbers[slot] != 0 { return numbers[slot] }
    return try newNumber(ofSlot: slot, &store)
  }

  private mutating func newNumber<Store: NormalizerStore & ~Copyable>(
    ofSlot slot: Int, _ store: inout Store
  ) throws(ImageError) -> UInt32 {
    if binding.slots[slot].number == 0 {
      let text = binding.text(of: slot)
      binding.slots[slot].number = try store.name(text.span, .storageKey)
    }
    while numbers.count <= slot { numbers.append(0) }
    numbers[slot] = binding.slots[slot].number
    return numbers[slot]
  }
}

extension ImageError {
  /// The error with a response key, or a list index, in front of its path.
  func under(_ component: [UInt8]) -> ImageError {
    guard case .response(var problem) = self else { return self }
    let text = String(decoding: component, as: UTF8.self)
    problem.path = problem.path.isEmpty ? text : text + "." + problem.path
    return .response(problem)
  }
}
