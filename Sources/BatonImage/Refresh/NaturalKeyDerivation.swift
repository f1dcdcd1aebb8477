public import BatonPlan

extension Plan {
  /// The natural keys that an answer of the operation names records by, deepest first.
  ///
  /// A natural key is the path of single fields with arguments from the query root to an object
  /// whose key fields are selected: Docs/Format.md section 9. The first is the operation's subject.
  /// `variables` have their defaults applied; a field that an absent variable leaves without
  /// arguments ends the path, and so does what never reaches the disk.
  public func naturalKeys(
    variables: Variables, identity: IdentityRules = .global
  ) -> [String] {
    guard kind == .query else { return [] }
    var derivation = NaturalKeyDerivation(plan: self, variables: variables, identity: identity)
    return derivation.keys()
  }
}

/// Walks a plan from its root along the fields that make natural keys.
private struct NaturalKeyDerivation {
  let plan: Plan
  let variables: Variables
  let identity: IdentityRules
  private var paths: [Path] = []
  private var indexes: [String: Int] = [:]
  private var visited: Set<Visit> = []
  private var pending: [Visit] = []

  /// A path of storage keys, and what selections have on the object at its end.
  private struct Path {
    var text: String
    var depth: Int
    var types: Set<String>
    var fields: Set<String> = []
  }

  private struct Visit: Hashable {
    var selection: Int
    /// The path the selection hangs off; nil for the root.
    var path: Int?
  }

  private static let maximumDepth = 64

  init(plan: Plan, variables: Variables, identity: IdentityRules) {
    self.plan = plan
    self.variables = variables
    self.identity = identity
  }

  mutating func keys() -> [String] {
    pending = [Visit(selection: 0, path: nil)]
    while let visit = pending.popLast() {
      guard visited.insert(visit).inserted else { continue }
      // What is pushed first is taken last: the document's order stays.
      for item in plan.selections[visit.selection].items.reversed() { enter(item, visit) }
    }
    return paths.enumerated()
      .filter { hasKey($0.element) }
      .sorted { ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset) }
      .map(\.element.text)
  }

  private mutating func enter(_ item: SelectionItem, _ visit: Visit) {
    switch item {
    case .refinement(let refinement):
      guard holds(refinement.conditions) else { return }
      if let path = visit.path, let condition = refinement.typeCondition {
        paths[path].types.insert(condition.name)
      }
      pending.append(Visit(selection: refinement.selection, path: visit.path))
    case .field(let field):
      guard holds(field.conditions) else { return }
      if let path = visit.path, field.arguments.isEmpty { paths[path].fields.insert(field.name) }
      guard let selection = field.selection, let path = step(field, from: visit.path) else {
        return
      }
      pending.append(Visit(selection: selection, path: path))
    }
  }

  /// The path that a field leads to; nil when it ends the natural key.
  private mutating func step(_ field: PlanField, from parent: Int?) -> Int? {
    guard field.type.listDepth ?? 0 == 0, case .composite(let type) = field.type.named else {
      return nil
    }
    let owner = parent == nil ? plan.rootType.name : ""
    guard parent != nil || identity.lookup(of: field.name) == nil,
      !identity.transientFields.contains("\(owner).\(field.name)"),
      !identity.transientTypes.contains(type.name)
    else { return nil }
    let key = StorageKey.text(name: field.name, arguments: field.arguments, variables: variables)
    guard key.utf8.last == UInt8(ascii: ")") else { return nil }
    let depth = (parent.map { paths[$0].depth } ?? 0) + 1
    guard depth <= Self.maximumDepth else { return nil }
    let text = (parent.map { paths[$0].text + "/" } ?? "") + key
    if let index = indexes[text] {
      paths[index].types.insert(type.name)
      return index
    }
    indexes[text] = paths.count
    paths.append(Path(text: text, depth: depth, types: [type.name]))
    return paths.count - 1
  }

  /// Whether an object at the end of the path can be keyed by what is selected on it.
  private func hasKey(_ path: Path) -> Bool {
    path.types.contains { type in
      let names = identity.keyFields(of: type)
      return !names.isEmpty && path.fields.isSuperset(of: names)
    }
  }

  private func holds(_ conditions: [Condition]) -> Bool {
    conditions.allSatisfy { condition in
      guard let variable = condition.variable else { return condition.literal == condition.wanted }
      return (variables[variable] == .boolean(true)) == condition.wanted
    }
  }
}
