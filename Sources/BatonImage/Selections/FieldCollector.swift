import BatonPlan

/// Collects the fields that selections have on a type (GraphQL, "CollectFields"), merging the
/// places that select one response key.
struct FieldCollector {
  private let binding: PlanBinding
  private let type: String
  private let isRoot: Bool
  private var order: [Entry] = []
  private var indexes: [String: Int] = [:]
  private var visited: Set<Visit> = []
  private var spreads: [String: Int] = [:]

  private struct Entry {
    var field: PlanField
    var selections: [Int]
    var isDeferred: Bool
    /// The conditions nothing is known about that bring the field; nil once a place without one
    /// does.
    var open: Set<String>?
  }

  private struct Visit: Hashable {
    var selection: Int
    var isDeferred: Bool
    var open: String?
  }

  init(binding: PlanBinding, type: String, isRoot: Bool) {
    self.binding = binding
    self.type = type
    self.isRoot = isRoot
  }

  mutating func collect(
    _ selection: Int, isDeferred: Bool = false, open: String? = nil,
    knowledge: borrowing some TypeKnowledge & ~Copyable
  ) {
    let visit = Visit(selection: selection, isDeferred: isDeferred, open: open)
    guard visited.insert(visit).inserted else { return }
    for item in binding.plan.selections[selection].items {
      switch item {
      case .field(let field):
        if holds(field.conditions) { add(field, isDeferred: isDeferred, open: open) }
      case .refinement(let refinement):
        guard holds(refinement.conditions) else { continue }
        var innerOpen = open
        if let condition = refinement.typeCondition {
          switch satisfies(condition, knowledge: knowledge) {
          case true?: break
          case false?: continue
          case nil: innerOpen = condition.name
          }
        }
        if let name = refinement.fragmentName, !binding.followsSpreads {
          spreads[name] = refinement.selection
          continue
        }
        collect(
          refinement.selection, isDeferred: isDeferred || refinement.deferLabel != nil,
          open: innerOpen, knowledge: knowledge)
      }
    }
  }

  private func holds(_ conditions: [Condition]) -> Bool {
    conditions.allSatisfy { condition in
      guard let variable = condition.variable else { return condition.literal == condition.wanted }
      return (binding.conditions[variable] ?? false) == condition.wanted
    }
  }

  /// Whether the type satisfies a condition; nil when nothing says.
  private func satisfies(
    _ condition: TypeCondition, knowledge: borrowing some TypeKnowledge & ~Copyable
  ) -> Bool? {
    if type.isEmpty { return nil }
    if type == condition.name { return true }
    if let known = binding.plan.typeSystem?.satisfies(type, condition.name) { return known }
    if condition.isAbstract == false { return false }
    return knowledge.satisfies(type: type, condition: condition.name)
  }

  private mutating func add(_ field: PlanField, isDeferred: Bool, open: String?) {
    if let index = indexes[field.responseKey] {
      if let selection = field.selection, !order[index].selections.contains(selection) {
        order[index].selections.append(selection)
      }
      order[index].isDeferred = order[index].isDeferred && isDeferred
      if let open { order[index].open?.insert(open) } else { order[index].open = nil }
      return
    }
    indexes[field.responseKey] = order.count
    order.append(
      Entry(
        field: field, selections: field.selection.map { [$0] } ?? [], isDeferred: isDeferred,
        open: open.map { [$0] }))
  }

  /// The shape of what was collected.
  func shape() -> Shape {
    let fields = order.map { shapeField($0) }
    var conditions: [String: [Int]] = [:]
    for (index, entry) in order.enumerated() {
      guard let open = entry.open, open.count == 1, let name = open.first, !entry.isDeferred
      else { continue }
      conditions[name, default: []].append(index)
    }
    return Shape(
      type: type, fields: fields, keyFields: keyFields(),
      isTransient: binding.identity.transientTypes.contains(type),
      openConditions: conditions.sorted { $0.key < $1.key }
        .map { Shape.OpenCondition(name: $0.key, fields: $0.value) },
      spreads: spreads)
  }

  private func keyFields() -> [Int]? {
    let names = binding.identity.keyFields(of: type)
    guard !names.isEmpty else { return nil }
    var found: [Int] = []
    for name in names {
      let index = order.firstIndex { $0.field.name == name && $0.field.arguments.isEmpty }
      guard let index else { return nil }
      found.append(index)
    }
    return found
  }

  private func shapeField(_ entry: Entry) -> ShapeField {
    let field = entry.field
    let isQueryRoot = isRoot && binding.plan.kind == .query
    let lookup = isQueryRoot ? binding.identity.lookup(of: field.name) : nil
    var leaf = Leaf.unknown
    var composite = TypeReference.unknown
    switch field.type.named {
    case .leaf(let kind): leaf = kind
    case .composite(let reference): composite = reference
    }
    let isComposite = field.selection != nil
    return ShapeField(
      responseKey: Array(field.responseKey.utf8), slot: slot(of: field),
      group: isComposite ? binding.group(of: entry.selections) : -1, leaf: leaf,
      composite: composite, listDepth: field.type.listDepth,
      isTypename: field.name == "__typename", isTransient: isTransient(field, composite),
      isClientField: field.isClientField, isDeferred: entry.isDeferred,
      isUncertain: entry.open != nil, lookup: lookup, connectionSlot: connectionSlot(of: field),
      edit: field.edit, isKeyStep: isComposite && lookup == nil && !field.arguments.isEmpty)
  }

  private func isTransient(_ field: PlanField, _ composite: TypeReference) -> Bool {
    let owner = isRoot && type.isEmpty ? binding.plan.rootType.name : type
    return binding.identity.transientTypes.contains(composite.name)
      || binding.identity.transientFields.contains("\(owner).\(field.name)")
  }

  /// The slot of the field's storage key. The mutation root's fields are keyed without arguments.
  private func slot(of field: PlanField) -> Int {
    guard isRoot && binding.plan.kind == .mutation else {
      return binding.slot(name: field.name, arguments: field.arguments)
    }
    var arguments: [PlanArgument] = []
    if field.responseKey != field.name {
      arguments = [PlanArgument("as", .constant(.string(field.responseKey)))]
    }
    return binding.slot(name: field.name, arguments: arguments)
  }

  /// The slot of the record that the field's pages merge into: Relay's handle key.
  private func connectionSlot(of field: PlanField) -> Int? {
    guard let connection = field.connection, field.selection != nil else { return nil }
    let paging: Set<String> = ["first", "last", "before", "after"]
    let arguments = field.arguments.filter { argument in
      connection.filters?.contains(argument.name) ?? !paging.contains(argument.name)
    }
    return binding.slot(name: "__\(connection.key)_connection", arguments: arguments)
  }
}
