import BatonPlan

/// The field of a plan's root that asks for records by a list of ids: `nodes(ids: $ids)`.
struct ListLookup {
  var responseKey: String
  var lookup: Lookup
  /// The variable that takes the ids.
  var variable: String
  /// The selection below the field, an index into the plan's pool.
  var selection: Int

  /// Throws `usage` when the plan has no such field, or several and none is chosen.
  init(_ operation: RemoteOperation, _ identity: IdentityRules) throws(ImageError) {
    let plan = operation.plan
    guard plan.kind == .query else { throw .usage("\(plan.name) is no query") }
    let found = Self.all(in: plan, identity)
      .filter { operation.idsVariable == nil || $0.variable == operation.idsVariable }
    guard Set(found.map(\.variable)).count == 1 else {
      throw .usage(
        found.isEmpty
          ? "\(plan.name) asks for no list of ids by a variable, as nodes(ids: $ids) does"
          : "\(plan.name) asks for several lists of ids: say which variable takes them")
    }
    self = found[0]
  }

  private init(responseKey: String, lookup: Lookup, variable: String, selection: Int) {
    self.responseKey = responseKey
    self.lookup = lookup
    self.variable = variable
    self.selection = selection
  }

  /// The list lookup of a query that has one, or several of one variable; nil for any other plan.
  static func only(in plan: Plan, _ identity: IdentityRules) -> ListLookup? {
    guard plan.kind == .query else { return nil }
    let found = all(in: plan, identity)
    return Set(found.map(\.variable)).count == 1 ? found[0] : nil
  }

  private static func all(in plan: Plan, _ identity: IdentityRules) -> [ListLookup] {
    var found: [ListLookup] = []
    var pending = [0]
    var visited: Set<Int> = []
    while let selection = pending.popLast() {
      guard visited.insert(selection).inserted else { continue }
      for item in plan.selections[selection].items {
        switch item {
        case .refinement(let refinement): pending.append(refinement.selection)
        case .field(let field):
          if let lookup = lookup(field, identity) { found.append(lookup) }
        }
      }
    }
    return found
  }

  private static func lookup(_ field: PlanField, _ identity: IdentityRules) -> ListLookup? {
    guard let selection = field.selection, let lookup = identity.lookup(of: field.name),
      lookup.arguments.count == 1, identity.scope == .global || lookup.type != nil,
      let argument = field.arguments.first(where: { $0.name == lookup.arguments[0] }),
      case .variable(let variable) = argument.value, field.type.listDepth != 0
    else { return nil }
    return ListLookup(
      responseKey: field.responseKey, lookup: lookup, variable: variable, selection: selection)
  }

  /// All ids that variables ask for.
  func ids(in variables: Variables) -> [String] {
    switch variables[variable] {
    case .list(let values)?: values.map { $0.idText ?? "" }
    case let value?: [value.idText ?? ""]
    case nil: []
    }
  }

  /// The record key of an id that is asked for; nil when it can be none.
  func key(of id: String, _ identity: IdentityRules) -> [UInt8]? {
    identity.key(type: lookup.type ?? "", values: [id])
  }

  /// The id to ask for a record by its key; nil when the key is of another type.
  func id(ofKey key: String, _ identity: IdentityRules) -> String? {
    guard identity.scope == .type else { return key }
    let prefix = (lookup.type ?? "") + ":"
    return key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : nil
  }
}
