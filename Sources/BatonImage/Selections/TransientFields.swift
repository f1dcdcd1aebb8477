import BatonPlan

/// Which fields of a plan may never be written (R7), told by the plan alone: what they are called,
/// and what they were asked with, must not reach the disk either, answered or not.
struct TransientFields {
  private let plan: Plan
  private let identity: IdentityRules

  /// A selection, and the type it is on as far as the plan says; empty when it doesn't.
  private struct Place: Hashable {
    var selection: Int
    var type: String
  }

  /// Nil when the rules name nothing transient.
  init?(_ plan: Plan, _ identity: IdentityRules) {
    if identity.transientTypes.isEmpty && identity.transientFields.isEmpty { return nil }
    self.plan = plan
    self.identity = identity
  }

  /// Whether the plan selects one anywhere.
  var isAnySelected: Bool {
    var pending = [root]
    var visited: Set<Place> = [root]
    while let place = pending.popLast() {
      var isFound = false
      forEachField(of: place) { field, type in
        if isTransient(field, on: type) { isFound = true }
        guard let next = self.place(below: field) else { return }
        if visited.insert(next).inserted { pending.append(next) }
      }
      if isFound { return true }
    }
    return false
  }

  /// How many keys of a response path stand before the first one of a transient field; nil when it
  /// passes none.
  func keysBeforeTransient(in keys: [[UInt8]]) -> Int? {
    var places: Set<Place> = [root]
    for (index, key) in keys.enumerated() {
      var next: Set<Place> = []
      var isFound = false
      for place in places {
        forEachField(of: place) { field, type in
          guard field.responseKey.utf8.elementsEqual(key) else { return }
          if isTransient(field, on: type) { isFound = true }
          if let below = self.place(below: field) { next.insert(below) }
        }
      }
      if isFound { return index }
      places = next
    }
    return nil
  }

  private var root: Place { Place(selection: 0, type: plan.rootType.name) }

  private func place(below field: PlanField) -> Place? {
    guard let selection = field.selection else { return nil }
    guard case .composite(let type) = field.type.named else {
      return Place(selection: selection, type: "")
    }
    return Place(selection: selection, type: type.name)
  }

  /// Calls `body` with each field of a selection, and the type its fragment is on.
  private func forEachField(of place: Place, _ body: (PlanField, String) -> Void) {
    var pending = [place]
    var visited: Set<Place> = [place]
    while let next = pending.popLast() {
      for item in plan.selections[next.selection].items {
        switch item {
        case .field(let field): body(field, next.type)
        case .refinement(let refinement):
          let isObject = plan.typeSystem?.objectTypes.contains(next.type) ?? false
          let type = isObject ? next.type : refinement.typeCondition?.name ?? next.type
          let inner = Place(selection: refinement.selection, type: type)
          if visited.insert(inner).inserted { pending.append(inner) }
        }
      }
    }
  }

  /// Whether a field of an object that is, or may be, of a type is transient.
  private func isTransient(_ field: PlanField, on type: String) -> Bool {
    if identity.transientTypes.contains(type) { return true }
    if case .composite(let composite) = field.type.named,
      identity.transientTypes.contains(composite.name)
    {
      return true
    }
    return identity.transientFields.contains { name in
      guard let dot = name.lastIndex(of: "."), name[name.index(after: dot)...] == field.name else {
        return false
      }
      let owner = String(name[..<dot])
      if type.isEmpty || owner == type { return true }
      return plan.typeSystem?.satisfies(owner, type) ?? true
    }
  }
}
