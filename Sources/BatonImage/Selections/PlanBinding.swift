import BatonPlan

/// What an image knows of the types no schema tells it about.
protocol TypeKnowledge: ~Copyable {
  /// Whether records of the type satisfy the condition; nil when no response said so.
  borrowing func satisfies(type: String, condition: String) -> Bool?
}

/// A plan bound to the conditions of its variables and to an image's names: the shapes of its
/// selections, made as types are met and kept for further executions.
///
/// A binding is used by one thread at a time. Its numbers are those of one image.
final class PlanBinding {
  let plan: Plan
  let identity: IdentityRules
  /// The variables of this execution, with defaults applied.
  private(set) var variables: Variables = [:]
  /// The values of the plan's condition variables, which the shapes depend on.
  let conditions: [String: Bool]
  /// Whether the fields of spread fragments are read with the selection's own.
  let followsSpreads: Bool
  var slots: [StorageKeySlot] = []
  /// Which of the plan's fields may not be written; nil when none may be.
  let transientFields: TransientFields?
  /// The plan's list lookup, if it has the one.
  let listLookup: ListLookup?
  /// Whether a field that may not be written is in the plan, or among those collected so far.
  private(set) var hasTransient = false

  /// Whether a response had something behind its data that says how to read them.
  var sawTrailer = false

  private struct SlotKey: Hashable {
    var name: String
    var arguments: [PlanArgument]
  }

  /// Selections that are read as one.
  private struct Group {
    var selections: [Int]
    /// Response keys under which the concrete type is answered, `__typename` first.
    var typenameKeys: [ResponseKey]
    var shapes: [Shape] = []
  }

  private var groups: [Group] = []
  private var groupNumbers: [[Int]: Int] = [:]
  private var slotNumbers: [SlotKey: Int] = [:]

  /// The group of the plan's root selection.
  static let rootGroup = 0

  init(
    plan: Plan, identity: IdentityRules, conditions: [String: Bool], followsSpreads: Bool = true
  ) {
    self.followsSpreads = followsSpreads
    self.plan = plan
    self.identity = identity
    self.conditions = conditions
    listLookup = ListLookup.only(in: plan, identity)
    transientFields = TransientFields(plan, identity)
    hasTransient = transientFields?.isAnySelected ?? false
    _ = group(of: [0])
  }

  /// The values of a plan's condition variables; one without a value holds nothing.
  static func conditions(of plan: Plan, variables: Variables) -> [String: Bool] {
    var values: [String: Bool] = [:]
    for name in plan.conditionVariables {
      values[name] = variables[name] == .boolean(true)
    }
    return values
  }

  /// Starts an execution with other variables: keys that depend on them are rendered anew.
  func begin(_ variables: Variables) {
    self.variables = variables
    for index in slots.indices where !slots[index].isConstant {
      slots[index].text.removeAll(keepingCapacity: true)
      slots[index].number = 0
    }
  }

  /// Ends an execution: its variables are let go of by their last holder, who has just used them.
  func end() { variables = [:] }

  /// Forgets the shapes, when what is known of types changed.
  func forgetShapes() {
    for index in groups.indices { groups[index].shapes.removeAll() }
  }

  /// Response keys of a group under which the concrete type may be answered.
  func typenameKeys(of group: Int) -> [ResponseKey] { groups[group].typenameKeys }

  /// The selections a group reads as one.
  func selections(of group: Int) -> [Int] { groups[group].selections }

  /// The rendered storage key of a slot.
  func text(of slot: Int) -> [UInt8] {
    if slots[slot].text.isEmpty {
      var text: [UInt8] = []
      StorageKey.append(
        name: slots[slot].name, arguments: slots[slot].arguments, variables: variables, to: &text)
      slots[slot].text = text
    }
    return slots[slot].text
  }

  /// The group that reads the selections, in order, as one.
  func group(of selections: [Int]) -> Int {
    if let number = groupNumbers[selections] { return number }
    let number = groups.count
    var keys: [[UInt8]] = []
    var visited: Set<Int> = []
    for selection in selections { collectTypenameKeys(selection, &visited, &keys) }
    let plain = Array("__typename".utf8)
    if let index = keys.firstIndex(of: plain), index > 0 { keys.swapAt(0, index) }
    groups.append(Group(selections: selections, typenameKeys: keys.map(ResponseKey.init)))
    groupNumbers[selections] = number
    return number
  }

  private func collectTypenameKeys(
    _ selection: Int, _ visited: inout Set<Int>, _ keys: inout [[UInt8]]
  ) {
    guard visited.insert(selection).inserted else { return }
    for item in plan.selections[selection].items {
      switch item {
      case .field(let field):
        let key = Array(field.responseKey.utf8)
        if field.name == "__typename", !keys.contains(key) { keys.append(key) }
      case .refinement(let refinement):
        collectTypenameKeys(refinement.selection, &visited, &keys)
      }
    }
  }

  /// The slot of a storage key, made when it is new.
  func slot(name: String, arguments: [PlanArgument]) -> Int {
    let key = SlotKey(name: name, arguments: arguments)
    if let slot = slotNumbers[key] { return slot }
    let slot = slots.count
    slots.append(
      StorageKeySlot(
        name: name, arguments: arguments, isConstant: StorageKey.isConstant(arguments)))
    slotNumbers[key] = slot
    return slot
  }

  /// The shape of a group's objects of a type whose name is `bytes`; empty for an unknown type.
  @inline(__always)
  func shape(
    of group: Int, type bytes: Span<UInt8>, knowledge: borrowing some TypeKnowledge & ~Copyable
  ) -> Shape {
    for shape in groups[group].shapes where shape.key.isEqual(to: bytes) {
      return shape
    }
    return makeShape(of: group, type: bytes.text(), knowledge: knowledge)
  }

  private func makeShape(
    of group: Int, type: String, knowledge: borrowing some TypeKnowledge & ~Copyable
  ) -> Shape {
    var collector = FieldCollector(binding: self, type: type, isRoot: group == Self.rootGroup)
    for selection in groups[group].selections {
      collector.collect(selection, knowledge: knowledge)
    }
    let shape = collector.shape()
    if shape.isTransient || shape.fields.contains(where: \.isTransient) { hasTransient = true }
    groups[group].shapes.append(shape)
    return shape
  }
}
