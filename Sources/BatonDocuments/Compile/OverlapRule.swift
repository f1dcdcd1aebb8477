import BatonPlan

/// Checks that fields which share a response key can be merged.
///
/// Selections that end up at the same place of a response are taken together, as a set of the
/// pool's indices, and every set is looked at once: first for shapes, which must agree whatever
/// the object is; then for names and arguments, which must agree wherever one object may have both
/// fields. Comparing with the first field of a group is enough, as agreeing is transitive. The
/// number of sets is bounded, since hostile fragments can make as many as there are subsets.
struct OverlapRule {
  private static let maximumVisits = 1_000_000

  /// A field's position in the pool.
  private struct Entry {
    var slot: Int
    var item: Int
    /// Where the field stands in the document.
    var offset: Int
    var field: PlanField
  }

  let pool: [Selection]
  let notes: [PlanCompiler.Notes]
  /// The schema's types; nil without a schema.
  let table: TypeTable?
  private var visits = 0

  init(pool: [Selection], notes: [PlanCompiler.Notes], table: TypeTable?) {
    self.pool = pool
    self.notes = notes
    self.table = table
  }

  mutating func check(_ findings: inout Findings) {
    walk { group, rule in
      rule.checkShapes(group, &findings)
      return [group]
    }
    walk { group, rule in
      let groups = rule.split(group)
      for group in groups { rule.checkNames(group, &findings) }
      return groups
    }
    if visits > Self.maximumVisits {
      findings.add(
        "the fragments overlap in too many ways to be checked", at: Place(source: 0, offset: 0))
    }
  }

  /// Visits every set of selections that a response can bring together, starting at the root.
  ///
  /// - Parameter visit: Takes the fields of one response key and gives them back in the groups
  ///   whose selections are taken together below.
  private mutating func walk(_ visit: ([Entry], inout OverlapRule) -> [[Entry]]) {
    var seen: Set<[Int]> = [[0]]
    var queue: [[Int]] = [[0]]
    while let slots = queue.popLast() {
      for group in collect(slots) {
        for group in visit(group, &self) {
          let below = Set(group.compactMap(\.field.selection)).sorted()
          if !below.isEmpty, seen.insert(below).inserted { queue.append(below) }
        }
      }
      if visits > Self.maximumVisits { return }
    }
  }

  /// The fields of selections and of all fragments in them, by response key.
  private mutating func collect(_ slots: [Int]) -> [[Entry]] {
    var groups: [[Entry]] = []
    var index: [String: Int] = [:]
    var seen = Set(slots)
    var stack = Array(slots.reversed())
    while let slot = stack.popLast() {
      visits += pool[slot].items.count
      for (item, entry) in pool[slot].items.enumerated() {
        switch entry {
        case .refinement(let refinement):
          if seen.insert(refinement.selection).inserted { stack.append(refinement.selection) }
        case .field(let field):
          let offset = notes[slot].syntax[item].offset
          let entry = Entry(slot: slot, item: item, offset: offset, field: field)
          if let group = index[field.responseKey] {
            groups[group].append(entry)
          } else {
            index[field.responseKey] = groups.count
            groups.append([entry])
          }
        }
      }
    }
    // The first in the document is what the others are held against.
    return groups.map { $0.sorted { $0.offset < $1.offset } }
  }

  /// Groups fields by the object that has them; a field that any object may have is in each group.
  private mutating func split(_ group: [Entry]) -> [[Entry]] {
    guard group.count > 1 else { return [group] }
    var shared: [Entry] = []
    var owned: [[Entry]] = []
    var index: [ParentType: Int] = [:]
    for entry in group {
      let parent = notes[entry.slot].parent
      switch parent {
      case .unknown where table != nil:
        continue
      case .type(let id) where table.map { $0[id].kind != .object } ?? true:
        shared.append(entry)
      case .root, .unknown:
        shared.append(entry)
      case .type, .named:
        if let position = index[parent] {
          owned[position].append(entry)
        } else {
          index[parent] = owned.count
          owned.append([entry])
        }
      }
    }
    if owned.isEmpty { return [shared] }
    visits += owned.count * shared.count
    if visits > Self.maximumVisits { return [] }
    return owned.map { (shared + $0).sorted { $0.offset < $1.offset } }
  }

  private func checkNames(_ group: [Entry], _ findings: inout Findings) {
    guard let first = group.first else { return }
    let arguments = syntax(of: first)?.arguments ?? []
    for entry in group.dropFirst() {
      guard let syntax = syntax(of: entry) else { continue }
      let key = entry.field.responseKey
      if entry.field.name != first.field.name {
        report(
          "'\(key)' means both '\(first.field.name)' and '\(entry.field.name)' here; an alias "
            + "would tell them apart", entry, first, &findings)
      } else if !syntax.arguments.match(arguments) {
        report(
          "'\(key)' is asked for with other arguments as well; an alias would tell them apart",
          entry, first, &findings)
      }
    }
  }

  private func checkShapes(_ group: [Entry], _ findings: inout Findings) {
    guard let first = group.first else { return }
    for entry in group.dropFirst() where !agree(first, entry) {
      report(
        "'\(entry.field.responseKey)' is \(shape(of: entry)) here and \(shape(of: first)) "
          + "elsewhere, which can't be merged", entry, first, &findings)
    }
  }

  private func agree(_ one: Entry, _ two: Entry) -> Bool {
    guard let table else {
      return (one.field.selection == nil) == (two.field.selection == nil)
    }
    // A field of no known type is reported already.
    guard let left = type(of: one), let right = type(of: two) else { return true }
    if left.wrapping != right.wrapping { return false }
    let isComposite = table[left.id].kind.isComposite && table[right.id].kind.isComposite
    return isComposite || left.id == right.id
  }

  private func shape(of entry: Entry) -> String {
    if let table, let type = type(of: entry) { return table.text(of: type) }
    return entry.field.selection == nil ? "a leaf" : "an object"
  }

  private func type(of entry: Entry) -> ResolvedType? { notes[entry.slot].types[entry.item] }

  private func syntax(of entry: Entry) -> FieldSyntax? {
    guard case .field(let field) = notes[entry.slot].syntax[entry.item] else { return nil }
    return field
  }

  private func report(
    _ message: String, _ entry: Entry, _ first: Entry, _ findings: inout Findings
  ) {
    findings.add(
      message, at: Place(source: 0, offset: entry.offset),
      related: Place(source: 0, offset: first.offset))
  }
}
