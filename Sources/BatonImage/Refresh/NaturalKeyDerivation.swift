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
  /// The paths in the order they are met.
  private var paths: [Path] = []
  private var indexes: [String: Int] = [:]
  private var visited: Set<Visit> = []
  private var pending: [Step] = []

  /// A path of storage keys, and what selections have on the object at its end.
  private struct Path {
    var text: String
    var depth: Int
    var types: Set<String> = []
    var fields: Set<String> = []
  }

  /// A selection to walk: that of the root, of a field on the path's end, or of a refinement there.
  private struct Step {
    var selection: Int
    /// The path's text; nil for the root.
    var path: String?
    var depth: Int
    var type: String?
  }

  private struct Visit: Hashable {
    var selection: Int
    var path: Int?
  }

  private static let maximumDepth = 64

  init(plan: Plan, variables: Variables, identity: IdentityRules) {
    self.plan = plan
    self.variables = variables
    self.identity = identity
  }

  mutating func keys() -> [String] {
    pending = [Step(selection: 0, depth: 0)]
    while let step = pending.popLast() {
      let path = step.path.map { index(of: $0, step.depth) }
      if let path, let type = step.type { paths[path].types.insert(type) }
      guard visited.insert(Visit(selection: step.selection, path: path)).inserted else { continue }
      var next: [Step] = []
      for item in plan.selections[step.selection].items {
        if let path, case .field(let field) = item, field.arguments.isEmpty,
          holds(field.conditions)
        {
          paths[path].fields.insert(field.name)
        }
        if let below = self.step(item, from: step) { next.append(below) }
      }
      // What is pushed last is taken first: the order is the document's.
      pending.append(contentsOf: next.reversed())
    }
    return paths.enumerated()
      .filter { hasKey($0.element) }
      .sorted { ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset) }
      .map(\.element.text)
  }

  private mutating func index(of text: String, _ depth: Int) -> Int {
    if let index = indexes[text] { return index }
    indexes[text] = paths.count
    paths.append(Path(text: text, depth: depth))
    return paths.count - 1
  }

  /// Where an item of a selection leads; nil when it ends the natural key.
  private func step(_ item: SelectionItem, from parent: Step) -> Step? {
    switch item {
    case .refinement(let refinement):
      guard holds(refinement.conditions) else { return nil }
      return Step(
        selection: refinement.selection, path: parent.path, depth: parent.depth,
        type: refinement.typeCondition?.name)
    case .field(let field):
      guard holds(field.conditions), let selection = field.selection,
        field.type.listDepth ?? 0 == 0, case .composite(let type) = field.type.named,
        parent.depth < Self.maximumDepth, !isExcluded(field, type.name, isRoot: parent.path == nil)
      else { return nil }
      let key = StorageKey.text(name: field.name, arguments: field.arguments, variables: variables)
      guard key.utf8.last == UInt8(ascii: ")") else { return nil }
      return Step(
        selection: selection, path: (parent.path.map { $0 + "/" } ?? "") + key,
        depth: parent.depth + 1, type: type.name)
    }
  }

  /// Whether a field looks records up by id, or never reaches the disk.
  private func isExcluded(_ field: PlanField, _ type: String, isRoot: Bool) -> Bool {
    identity.transientTypes.contains(type)
      || isRoot && identity.lookup(of: field.name) != nil
      || isRoot && identity.transientFields.contains("\(plan.rootType.name).\(field.name)")
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
