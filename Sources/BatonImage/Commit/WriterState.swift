import BatonPlan
internal import LMDB

/// Buffers and bindings kept from one commit to the next.
struct WriterState: ~Copyable {
  private var bindings: [Key: PlanBinding] = [:]
  var changes = ChangeSet()
  /// How many names of the image were given and are gone.
  private var droppedNames: Int?
  /// How many pages were in use behind this image's last commit, and which that was.
  private var pagesInUse: (transaction: Int, count: Int)?

  private struct Key: Hashable {
    var plan: ObjectIdentifier
    var conditions: [String: Bool]
  }

  /// How many plans' bindings are kept.
  private static let maximumBindings = 256

  /// The binding of a plan for a set of variables.
  mutating func binding(
    of plan: Plan, variables: Variables, identity: IdentityRules
  ) -> PlanBinding {
    let key = Key(
      plan: ObjectIdentifier(plan),
      conditions: PlanBinding.conditions(of: plan, variables: variables))
    if let binding = bindings[key] {
      binding.begin(variables)
      return binding
    }
    if bindings.count >= Self.maximumBindings { bindings.removeAll() }
    let binding = PlanBinding(plan: plan, identity: identity, conditions: key.conditions)
    binding.begin(variables)
    bindings[key] = binding
    return binding
  }

  /// Forgets the numbers of names when names were dropped since the last commit, by whichever
  /// process.
  mutating func follow(_ session: borrowing CommitSession) throws(ImageError) {
    let dropped = Int(session.state.nextName) - 1 - (try session.count(of: .names))
    if let droppedNames, droppedNames != dropped { forgetNumbers() }
    droppedNames = dropped
  }

  /// How many pages are in use before a write: what its last commit left, unless another process
  /// wrote since.
  func pages(before session: borrowing CommitSession) throws(ImageError) -> Int {
    if let pagesInUse, pagesInUse.transaction + 1 == session.transaction.id {
      return pagesInUse.count
    }
    return try session.pagesInUse()
  }

  mutating func notePages(_ count: Int, after transaction: Int) {
    pagesInUse = (transaction, count)
  }

  /// Forgets numbers that were given in a transaction that was not committed.
  mutating func forgetNumbers() {
    bindings.removeAll()
  }
}
