public import BatonPlan
import Synchronization
internal import LMDB

/// What the writers of one process share: buffers and bindings, which one commit uses at a time.
final class Writer: Sendable {
  private let state = Mutex<WriterState?>(nil)

  /// Runs a commit with the shared buffers.
  func use<Result: Sendable>(
    _ body: (inout WriterState) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    try state.withLock { (state) throws(ImageError) in
      if state == nil { state = WriterState() }
      return try body(&state!)
    }
  }
}

/// Buffers and bindings kept from one commit to the next.
struct WriterState {
  private var bindings: [Key: PlanBinding] = [:]
  var changes = ChangeSet()
  /// Fetch times that no commit took to the disk yet, by the operation's text.
  var fetches: [[UInt8]: Int64] = [:]

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

  /// Forgets numbers that were given in a transaction that was not committed.
  mutating func forgetNumbers() {
    bindings.removeAll()
  }
}

extension Image {
  /// Commits a response in one transaction: all of it, or nothing.
  ///
  /// - Parameters:
  ///   - response: the response's bytes, copied while the call runs.
  ///   - plan: the operation that was asked.
  ///   - variables: its variables, as they were sent.
  /// - Returns: what changed; for a plan with `nodes(ids:)`, what came back for each id.
  /// - Throws: `response` with the byte offset or path when the bytes are no response of the plan;
  ///   `usage` when the variables don't fit it. A response without `data` commits nothing and is
  ///   returned with its errors.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  public func commit(
    _ response: Span<UInt8>, of plan: Plan, variables: Variables = [:]
  ) throws(ImageError) -> CommitOutcome {
    var indexer = try JSONIndexer()
    try indexer.index(response)
    return try commit(plan, variables) { (writer, session, changes) throws(ImageError) in
      try writer.write(indexer, to: &session, reusing: &changes)
    }
  }

  /// Commits a response that comes in parts, in their order, in one transaction: the first is the
  /// response, the others carry what `@defer` left out.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  public func commit(
    parts: [[UInt8]], of plan: Plan, variables: Variables = [:]
  ) throws(ImageError) -> CommitOutcome {
    try commit(plan, variables) { (writer, session, changes) throws(ImageError) in
      for (index, part) in parts.enumerated() {
        do throws(ImageError) {
          var indexer = try JSONIndexer()
          try indexer.index(part.span)
          try writer.write(indexer, to: &session, reusing: &changes)
        } catch .response(var problem) {
          problem.part = index
          throw .response(problem)
        }
      }
    }
  }

  private func commit(
    _ plan: Plan, _ given: Variables,
    _ body: (
      inout ResponseWriter, inout CommitSession, inout ChangeSet
    ) throws(ImageError) -> Void
  ) throws(ImageError) -> CommitOutcome {
    guard plan.kind != .fragment else {
      throw .usage("\(plan.name) is a fragment; responses are of operations")
    }
    let variables: Variables
    do { variables = try plan.resolvedVariables(given) } catch {
      throw .usage("\(error)")
    }
    if environment.isForked { throw .forked }
    let outcome = try writer.use { (state) throws(ImageError) in
      let binding = state.binding(of: plan, variables: variables, identity: identity)
      do throws(ImageError) {
        return try write(binding, &state, body)
      } catch {
        state.forgetNumbers()
        throw error
      }
    }
    endOpening()
    if outcome.pagesWritten > 0 { try checkpointer?.settle(pages: outcome.pagesWritten) }
    return outcome
  }

  private func write(
    _ binding: PlanBinding, _ state: inout WriterState,
    _ body: (
      inout ResponseWriter, inout CommitSession, inout ChangeSet
    ) throws(ImageError) -> Void
  ) throws(ImageError) -> CommitOutcome {
    var session = try session()
    let pagesBefore = try session.pagesInUse()
    var writer = ResponseWriter(binding: binding, identity: identity)
    try body(&writer, &session, &state.changes)
    let isKept = writer.hasData && binding.plan.kind == .query && !writer.sawTransient
    if isKept { state.fetches[OperationText.bytes(binding)] = session.now }
    let hasWritten = session.transaction.hasWritten
    if hasWritten { try session.keep(fetches: state.fetches) }
    let operation = writer.sawTransient ? "" : binding.plan.name
    let transaction = session.transaction.id
    var outcome = try session.finish(
      journalLimit: UInt64(options.journalLimit), operation: operation)
    if hasWritten {
      state.fetches.removeAll()
      outcome.pagesWritten = try pagesWritten(by: transaction, before: pagesBefore)
    }
    return outcome
  }

  /// How many pages a commit wrote, from the engine's books.
  private func pagesWritten(
    by transaction: Int, before: Int
  ) throws(ImageError) -> Int {
    try engine { () throws(LMDBError) in
      let reader = try environment.read()
      let after = try reader.pagesInUse(of: tables.handles)
      // The meta page is written as well.
      return max(1, after - before + (try reader.pagesFreed(by: transaction)) + 1)
    }
  }

  /// Begins a write.
  func session() throws(ImageError) -> CommitSession {
    guard let checkpointer else { throw .usage("the image was opened for reading only") }
    let turn = try checkpointer.begin()
    let transaction: WriteTransaction
    do throws(LMDBError) {
      transaction = try environment.write(waitingAtMost: options.writerWait)
    } catch {
      throw ImageError(error)
    }
    return try CommitSession(
      transaction, turn: turn, tables: tables, identity: identity, now: WallClock.now)
  }

  /// Writes what was gathered in memory since the last commit.
  func flush() throws(ImageError) {
    try writer.use { (state) throws(ImageError) in
      guard !state.fetches.isEmpty else { return }
      var session = try session()
      try session.keep(fetches: state.fetches)
      try session.finishQuietly()
      state.fetches.removeAll()
    }
  }
}
