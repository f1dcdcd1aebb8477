import BatonPlan

/// Tells whether anything changed that a selection reads of a record, in itself or below.
struct ChangeWalk {
  private let binding: PlanBinding
  private let memberships: TypeMemberships
  private let group: Int?
  /// The numbers of the records that changed.
  private let changed: Set<UInt32>
  private var known: [Visit: Bool] = [:]

  private struct Visit: Hashable {
    var number: UInt32
    var group: Int
  }

  init(
    plan: Plan, variables: Variables, identity: IdentityRules, _ lookup: ListLookup,
    changed: Set<UInt32>, _ snapshot: borrowing Snapshot
  ) throws(ImageError) {
    binding = PlanBinding(
      plan: plan, identity: identity,
      conditions: PlanBinding.conditions(of: plan, variables: variables))
    binding.begin(variables)
    memberships = try TypeMemberships(snapshot)
    group = binding.group(of: lookup, knowledge: memberships)
    self.changed = changed
  }

  /// Whether the record changed, or one that the selection reaches from it.
  mutating func hasChanged(
    _ number: UInt32, in snapshot: borrowing Snapshot
  ) throws(ImageError) -> Bool {
    guard let group, !changed.isEmpty else { return false }
    return try hasChanged(Visit(number: number, group: group), snapshot)
  }

  /// A selection is never below itself, so the recursion is as deep as the document.
  private mutating func hasChanged(
    _ visit: Visit, _ snapshot: borrowing Snapshot
  ) throws(ImageError) -> Bool {
    if let known = known[visit] { return known }
    guard let row = try snapshot.row(visit.number) else { return false }
    let type = row.type == 0 ? "" : try snapshot.name(row.type)
    var isChanged = changed.contains(visit.number)
    if !isChanged {
      let shape = binding.shape(
        of: visit.group, type: Array(type.utf8).span, knowledge: memberships)
      for field in shape.fields where field.group >= 0 && !isChanged {
        for number in try links(of: visit.number, field, snapshot) where !isChanged {
          let target = Visit(number: try snapshot.resolved(number), group: field.group)
          isChanged = try hasChanged(target, snapshot)
        }
      }
    }
    known[visit] = isChanged
    return isChanged
  }

  /// The records that a field links to, in lists and nested lists too.
  private func links(
    of number: UInt32, _ field: ShapeField, _ snapshot: borrowing Snapshot
  ) throws(ImageError) -> [UInt32] {
    for slot in [field.connectionSlot, field.slot].compactMap({ $0 }) {
      guard let name = try name(of: slot, snapshot),
        let cell = try snapshot.cell(of: number, field: name)
      else { continue }
      if let link = cell.link { return [link] }
      if cell.kind == .links {
        return (0..<cell.linkCount).map { cell.link(at: $0) }.filter { $0 != 0 }
      }
      return cell.kind == .list ? Self.links(inList: cell.payload, depth: 0) : []
    }
    return []
  }

  private static func links(inList payload: Span<UInt8>, depth: Int) -> [UInt32] {
    guard depth < CellKind.maximumDepth else { return [] }
    var links: [UInt32] = []
    var reader = ByteReader(payload)
    while let kind = reader.byte(), let part = reader.prefixed() {
      if kind == CellKind.link.rawValue, part.count == 4 { links.append(part.u32(at: 0)) }
      if kind == CellKind.list.rawValue {
        links.append(contentsOf: Self.links(inList: part, depth: depth + 1))
      }
    }
    return links
  }

  private func name(
    of slot: Int, _ snapshot: borrowing Snapshot
  ) throws(ImageError) -> UInt32? {
    if binding.slots[slot].number == 0 {
      let text = String(decoding: binding.text(of: slot), as: UTF8.self)
      binding.slots[slot].number = try snapshot.number(ofName: text, .storageKey) ?? .max
    }
    let number = binding.slots[slot].number
    return number == .max ? nil : number
  }
}

extension PlanBinding {
  /// The group of the selections below a list lookup.
  func group(of lookup: ListLookup, knowledge: borrowing some TypeKnowledge & ~Copyable) -> Int? {
    let root = Array(plan.rootType.name.utf8)
    let shape = shape(of: Self.rootGroup, type: root.span, knowledge: knowledge)
    let key = Array(lookup.responseKey.utf8)
    return shape.fields.first { $0.responseKey == key && $0.group >= 0 }?.group
  }
}
