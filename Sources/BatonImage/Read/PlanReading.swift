package import BatonPlan

/// Reading operations and fragments from any source.
extension RecordSource where Self: ~Copyable {
  /// Reads an operation's root selection.
  ///
  /// Throws `usage` when the variables don't fit the operation, `limit` when the answer would be
  /// longer than `maximumCount` bytes.
  package borrowing func read(
    _ plan: Plan, variables given: Variables, identity: IdentityRules,
    maximumCount: Int = ReadLimits.maximumCount
  ) throws(ImageError) -> ReadResult {
    let root: UInt32
    switch plan.kind {
    case .query: root = RowLayout.queryRoot
    case .mutation: root = RowLayout.mutationRoot
    case .subscription: root = RowLayout.subscriptionRoot
    case .fragment: throw .usage("\(plan.name) is a fragment; say which record to read")
    }
    var (result, variables) = try read(plan, given, identity, maximumCount, at: root)
    if plan.kind == .query {
      result.fetchedAt = try fetchTime(of: plan, variables, identity)
    }
    return result
  }

  /// Reads a fragment of a record.
  ///
  /// Throws `usage` when the record is of a type the fragment is not on.
  package borrowing func read(
    fragment plan: Plan, of number: UInt32, variables given: Variables, identity: IdentityRules,
    maximumCount: Int = ReadLimits.maximumCount
  ) throws(ImageError) -> ReadResult {
    guard plan.kind == .fragment else { throw .usage("\(plan.name) is an operation") }
    guard let row = try row(number) else {
      throw .damaged(Damage("record \(number)", "it is missing"))
    }
    if row.type != 0 {
      let type = try name(row.type)
      if let isOn = plan.typeSystem?.satisfies(type, plan.rootType.name), !isOn {
        throw .usage("the record is a \(type), and the fragment is on \(plan.rootType.name)")
      }
    }
    return try read(plan, given, identity, maximumCount, at: number).0
  }

  private borrowing func read(
    _ plan: Plan, _ given: Variables, _ identity: IdentityRules, _ maximumCount: Int,
    at number: UInt32
  ) throws(ImageError) -> (ReadResult, Variables) {
    let variables: Variables
    do { variables = try plan.resolvedVariables(given) } catch { throw .usage("\(error)") }
    let binding = PlanBinding(
      plan: plan, identity: identity,
      conditions: PlanBinding.conditions(of: plan, variables: variables))
    binding.begin(variables)
    var reader = SelectionReader(
      binding: binding, identity: identity, memberships: try TypeMemberships(self),
      maximumCount: maximumCount)
    try reader.object(number, group: PlanBinding.rootGroup, in: self)
    // The reader looks before each object; the last one may have passed the limit.
    guard reader.result.data.count <= maximumCount else {
      throw .limit("the answer is longer than \(maximumCount) bytes")
    }
    return (reader.result, variables)
  }
}

/// Limits of what reading gives.
package enum ReadLimits {
  /// The longest answer in bytes.
  package static let maximumCount = 1 << 28
}
