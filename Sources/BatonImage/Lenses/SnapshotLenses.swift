public import BatonPlan

extension Snapshot {
  /// A record under a fragment; nil when the image has no such record, it was deleted, or the
  /// fragment is on another type.
  ///
  /// - Parameters:
  ///   - id: the record's id or an alias; under the scope `type` its key, `Type:id`.
  ///   - variables: what the fragment's fields use; a fragment without any is prepared once for the
  ///     image, another for each call.
  @_lifetime(borrow self)
  public borrowing func lens<Content: Fragment>(
    _ fragment: Content.Type, id: String, variables: Variables = [:]
  ) throws(ImageError) -> Lens<Content>? {
    guard let number = try core.number(ofId: Array(id.utf8)),
      let target = try LinkTarget(number, in: core), !target.flags.contains(.deleted),
      try core.isOn(fragment.plan, target.row.type)
    else { return nil }
    let lens = try core.lens(
      fragment.plan, target.number, row: target.row, variables: variables, as: fragment)
    // SAFETY: the lens keeps the core alive, whose transaction the bytes belong to.
    return unsafe _overrideLifetime(lens, borrowing: self)
  }

  /// Calls `body` with a lens of each id's record, in the order given, or nil where there is none.
  ///
  /// All of them are of one state. Nothing is allocated for a field.
  public borrowing func forEach<Content: Fragment>(
    _ fragment: Content.Type, ids: some Sequence<String>, variables: Variables = [:],
    _ body: (String, borrowing Lens<Content>?) throws(ImageError) -> Void
  ) throws(ImageError) {
    for id in ids { try body(id, try lens(fragment, id: id, variables: variables)) }
  }

  /// Calls `body` with a lens of every live record of a type, in order of discovery.
  ///
  /// Linear in the records of the image: the format keeps no index of types.
  public borrowing func forEachRecord<Content: Fragment>(
    ofType type: String, _ fragment: Content.Type, variables: Variables = [:],
    _ body: (borrowing Lens<Content>) throws(ImageError) -> Void
  ) throws(ImageError) {
    guard let typeNumber = try core.number(ofName: type, .type) else { return }
    let dropped: RowFlags = [.deleted, .moved, .evicted]
    try core.forEach(.records, from: UInt64(RowLayout.firstRecord)) {
      (key, value) throws(ImageError) in
      let number = UInt32(truncatingIfNeeded: key)
      let row = try RowView(value, number: number)
      guard row.type == typeNumber, row.flags.isDisjoint(with: dropped) else { return true }
      try body(
        try core.lens(fragment.plan, number, row: row, variables: variables, as: fragment))
      return true
    }
  }
}

extension SnapshotCore {
  /// A lens of a record's row.
  @_lifetime(borrow self)
  func lens<Content>(
    _ plan: Plan, _ number: UInt32, row: borrowing RowView, variables: Variables,
    as _: Content.Type
  ) throws(ImageError) -> Lens<Content> {
    let prepared = try prepared(plan, variables)
    let type = row.type
    let shape = try prepared.shape(of: PlanBinding.rootGroup, type: type) {
      () throws(ImageError) in type == 0 ? "" : try name(type)
    }
    return Lens<Content>(
      number, row: row, group: PlanBinding.rootGroup, plan: prepared, core: self, shape: shape,
      owner: self)
  }

  /// A plan prepared for lenses.
  private func prepared(
    _ plan: Plan, _ given: Variables
  ) throws(ImageError) -> LensPlan {
    if given.isEmpty, plan.variables.isEmpty {
      return try lenses.plan(plan) { () throws(ImageError) in try make(plan, [:]) }
    }
    // A spread fragment uses some of its parent's variables.
    let names = Set(plan.variables.map(\.name))
    let used = given.filter { names.contains($0.key) }
    if used.isEmpty, plan.variables.isEmpty {
      return try lenses.plan(plan) { () throws(ImageError) in try make(plan, [:]) }
    }
    return try make(plan, used)
  }

  private func make(_ plan: Plan, _ given: Variables) throws(ImageError) -> LensPlan {
    let variables: Variables
    do { variables = try plan.resolvedVariables(given) } catch { throw .usage("\(error)") }
    return LensPlan(
      plan: plan, variables: variables, identity: identity, knowledge: try TypeMemberships(self))
  }

  /// Whether a fragment is on a type; what nothing tells is taken as true.
  func isOn(_ plan: Plan, _ type: UInt32) throws(ImageError) -> Bool {
    let condition = plan.rootType.name
    guard type != 0, !condition.isEmpty else { return true }
    let name = try name(type)
    if name == condition { return true }
    if let known = plan.typeSystem?.satisfies(name, condition) { return known }
    if plan.rootType.isAbstract == false { return false }
    return try TypeMemberships(self).satisfies(type: name, condition: condition) ?? true
  }
}
