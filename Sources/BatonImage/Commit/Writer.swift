public import BatonPlan
import Synchronization
internal import LMDB

/// What the writers of one image share: buffers and bindings, which one commit uses at a time.
final class Writer: Sendable {
  private let state = Mutex<WriterState?>(nil)
  /// The thread that writes; 0 when none does.
  private let holder = Atomic<UInt>(0)
  private let isClosed = Atomic<Bool>(false)
  /// What was committed lately.
  let answers = Mutex(AnswerMemory())

  /// Runs a commit with the shared buffers.
  ///
  /// Throws `closed` once the image is closed, whoever waited; `afterClosing` is for what closing
  /// itself writes.
  func use<Result: Sendable>(
    afterClosing: Bool = false, _ body: (inout WriterState) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    try checkIdle()
    return try state.withLock { (state) throws(ImageError) in
      holder.store(ThisThread.number, ordering: .relaxed)
      defer { holder.store(0, ordering: .relaxed) }
      if !afterClosing, isClosed.load(ordering: .acquiring) { throw .closed }
      if state == nil { state = WriterState() }
      return try body(&state!)
    }
  }

  /// Throws when this thread is in the middle of a write, which it would wait for.
  func checkIdle() throws(ImageError) {
    guard holder.load(ordering: .relaxed) != ThisThread.number else {
      throw .usage("a write of the image stands around this call")
    }
  }

  /// Lets nothing more begin.
  func close() { isClosed.store(true, ordering: .releasing) }
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
    let variables = try resolve(variables, of: plan)
    let answer = AnswerMemory.Key(response, plan, variables)
    if let known = writer.answers.withLock({ $0[answer] }),
      let outcome = try commit(again: known, of: plan, variables)
    {
      return outcome
    }
    var indexer = try JSONIndexerPool.take()
    try indexer.index(response)
    var done = try commit(indexer, of: plan, variables)
    if done.isToReadAgain { done = try commit(indexer, of: plan, variables, again: true) }
    JSONIndexerPool.giveBack(indexer)
    let outcome = done.outcome
    if let effect = done.effect {
      writer.answers.withLock { $0.remember(answer, effect, outcome, of: variables) }
    }
    return outcome
  }

  /// What a commit of a response's only document came to.
  private struct DocumentCommit {
    var outcome: CommitOutcome
    var effect: AnswerEffect?
    /// Whether nothing was committed, and it is to be done once more.
    var isToReadAgain: Bool
  }

  private func commit(
    _ indexer: borrowing JSONIndexer, of plan: Plan, _ variables: Variables, again: Bool = false
  ) throws(ImageError) -> DocumentCommit {
    var effect: AnswerEffect?
    var isToReadAgain = false
    let outcome = try commit(plan, variables) { (writer, session, changes) throws(ImageError) in
      if again {
        try writer.write(indexer, to: &session, reusing: &changes)
      } else {
        try writer.write(only: indexer, to: &session, reusing: &changes)
      }
      isToReadAgain = writer.isToReadAgain
      effect = writer.effect
      effect?.answered = session.answered
    }
    return DocumentCommit(outcome: outcome, effect: effect, isToReadAgain: isToReadAgain)
  }

  /// Commits an answer that was committed before; nil when something has changed since.
  private func commit(
    again known: AnswerMemory.Answer, of plan: Plan, _ variables: Variables
  ) throws(ImageError) -> CommitOutcome? {
    var holds = false
    var time: Int64 = 0
    let outcome = try transact { (_, session, _) throws(ImageError) in
      guard try session.holds(known) else { return nil }
      holds = true
      time = session.now
      session.outcome = known.outcome(of: variables)
      session.touched = known.records
      return plan.name
    }
    guard holds else { return nil }
    if let lookup = known.lookup {
      let list = ListAnswer(ids: outcome.ids ?? [], records: known.answered)
      try noteFetched(plan, lookup, variables, list, at: time)
    } else {
      let text = OperationText(name: plan.name, variables: variables)
      life.launch.note(fetch: text, at: time)
    }
    return outcome
  }

  /// Commits a response that comes in parts, in their order, in one transaction: the first is the
  /// response, the others carry what `@defer` left out.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  public func commit(
    parts: [[UInt8]], of plan: Plan, variables: Variables = [:]
  ) throws(ImageError) -> CommitOutcome {
    try commit(plan, resolve(variables, of: plan)) {
      (writer, session, changes) throws(ImageError) in
      for (index, part) in parts.enumerated() {
        do throws(ImageError) {
          var indexer = try JSONIndexerPool.take()
          try indexer.index(part.span)
          try writer.write(indexer, to: &session, reusing: &changes)
          JSONIndexerPool.giveBack(indexer)
        } catch .response(var problem) {
          problem.part = index
          throw .response(problem)
        }
      }
    }
  }

  /// The variables of an operation with its defaults applied.
  private func resolve(_ given: Variables, of plan: Plan) throws(ImageError) -> Variables {
    guard plan.kind != .fragment else {
      throw .usage("\(plan.name) is a fragment; responses are of operations")
    }
    do { return try plan.resolvedVariables(given) } catch { throw .usage("\(error)") }
  }

  private func commit(
    _ plan: Plan, _ variables: Variables,
    _ body: (
      inout ResponseWriter, inout CommitSession, inout ChangeSet
    ) throws(ImageError) -> Void
  ) throws(ImageError) -> CommitOutcome {
    var lookup: ListLookup?
    var fetched: (text: OperationText, time: Int64)?
    var lookedUp: (records: AnsweredRecords, time: Int64)?
    let outcome = try transact { (state, session, step) throws(ImageError) in
      let binding = state.binding(of: plan, variables: variables, identity: identity)
      defer { binding.end() }
      // Before the response, which may bring a payload to the same place.
      if plan.kind != .query { try session.dropFormerPayloads(of: life.launch, into: &step) }
      var writer = ResponseWriter(binding: binding, identity: identity)
      try body(&writer, &session, &state.changes)
      guard writer.hasData else { return nil }
      lookup = binding.listLookup
      if lookup != nil {
        // A time an id, in memory at first: a batch of ids is seldom asked for again.
        lookedUp = nil
        if !writer.sawTransient, !binding.hasTransient {
          lookedUp = (try session.settledAnswered(), session.now)
        }
      } else if plan.kind == .query, !writer.sawTransient {
        let text = OperationText(name: plan.name, variables: binding.variables)
        step.fetches[text] = session.now
        fetched = (text, session.now)
      }
      return writer.sawTransient ? "" : plan.name
    }
    // A fetch that changed nothing is kept in memory until something is written.
    if let fetched, outcome.pagesWritten == 0 {
      life.launch.note(fetch: fetched.text, at: fetched.time)
    }
    if let lookup, let lookedUp {
      let answer = ListAnswer(ids: outcome.ids ?? [], records: lookedUp.records)
      try noteFetched(plan, lookup, variables, answer, at: lookedUp.time)
    }
    return outcome
  }

  /// Runs a write in one transaction. When `body` wrote something, that is committed with what the
  /// launch has to say, and observers are told.
  ///
  /// Where the engine's map is full, it is grown and `body` runs again in a new transaction.
  ///
  /// - Parameter body: answers the name of the operation, or nil to let go of what it wrote.
  func transact(
    _ body: (
      inout WriterState, inout CommitSession, inout LaunchStep
    ) throws(ImageError) -> String?
  ) throws(ImageError) -> CommitOutcome {
    try settle(after: try transactAlone(body))
  }

  /// As `transact`, for what takes the session over for a while and gives it back.
  func transactLending(
    _ body: (inout CommitSession?) throws(ImageError) -> String?
  ) throws(ImageError) -> CommitOutcome {
    let outcome = try transactOwning { (_, session, _) throws(ImageError) in
      try body(&session)
    }
    return try settle(after: outcome)
  }

  private func settle(after outcome: CommitOutcome) throws(ImageError) -> CommitOutcome {
    if outcome.pagesWritten > 0 {
      try checkpointer?.settle(pages: outcome.pagesWritten)
      settle()
    }
    return outcome
  }

  /// As `transact`, without what follows a commit.
  func transactAlone(
    _ body: (
      inout WriterState, inout CommitSession, inout LaunchStep
    ) throws(ImageError) -> String?
  ) throws(ImageError) -> CommitOutcome {
    try transactOwning { (state, session, step) throws(ImageError) in
      try body(&state, &session!, &step)
    }
  }

  private func transactOwning(
    _ body: (
      inout WriterState, inout CommitSession?, inout LaunchStep
    ) throws(ImageError) -> String?
  ) throws(ImageError) -> CommitOutcome {
    if environment.isForked { throw .forked }
    let outcome = try writer.use { (state) throws(ImageError) in
      while true {
        var step = LaunchStep()
        let failure: ImageError
        do throws(ImageError) {
          return try transact(&state, &step, body)
        } catch {
          failure = error
        }
        // The session has ended, whichever call failed.
        life.launch.undo(step)
        state.forgetNumbers()
        guard failure == .mapIsFull else { throw failure }
        try grow()
      }
    }
    endOpening()
    return outcome
  }

  private func transact(
    _ state: inout WriterState, _ step: inout LaunchStep,
    _ body: (
      inout WriterState, inout CommitSession?, inout LaunchStep
    ) throws(ImageError) -> String?
  ) throws(ImageError) -> CommitOutcome {
    let begun = try session()
    try state.follow(begun)
    let pagesBefore = try state.pages(before: begun)
    var lent: CommitSession? = begun
    let operation = try body(&state, &lent, &step)
    guard var session = lent.take() else { throw .usage("the write was not given back") }
    // An equal answer is a use as well.
    if operation != nil, !options.isReadOnly { life.launch.uses.note(session.touched) }
    guard let operation, session.transaction.hasWritten else {
      if session.transaction.hasWritten { state.forgetNumbers() }
      // What was found equal is told; what was let go of is not.
      if operation != nil { session.journal.count(in: &session.outcome) }
      var outcome = session.outcome
      outcome.commit = session.state.commit
      return outcome
    }
    try session.write(life.launch, into: &step)
    let transaction = session.transaction.id
    var outcome = try session.finish(
      journalLimit: UInt64(options.journalLimit), operation: operation)
    life.launch.finish(step)
    step = LaunchStep()
    outcome.pagesWritten =
      (try? pagesWritten(by: transaction, before: pagesBefore, noting: &state)) ?? 1
    return outcome
  }

  /// How many pages a commit wrote, from the engine's books.
  private func pagesWritten(
    by transaction: Int, before: Int, noting state: inout WriterState
  ) throws(ImageError) -> Int {
    let reader: ReadTransaction
    do throws(LMDBError) { reader = try environment.read() } catch { throw ImageError(error) }
    do throws(LMDBError) {
      let after = try reader.pagesInUse(of: tables.handles)
      state.notePages(after, after: reader.id)
      // The meta page is written as well.
      return max(1, after - before + (try reader.pagesFreed(by: transaction)) + 1)
    } catch {
      throw ImageError(error)
    }
  }

  /// Begins a write.
  func session() throws(ImageError) -> CommitSession {
    guard let checkpointer else { throw .usage("the image was opened for reading only") }
    let turn = try checkpointer.begin()
    let transaction: WriteTransaction
    do throws(LMDBError) {
      transaction = try environment.write(
        waitingAtMost: options.writerWait, into: turn.record)
    } catch {
      throw ImageError(error)
    }
    var session = try CommitSession(
      transaction, turn: turn, tables: tables, identity: identity, now: WallClock.now)
    if let limit = options.internals.nameLimit { session.nameLimit = limit }
    return session
  }

  /// Writes what was gathered in memory since the last commit: fetch times and uses of records.
  ///
  /// Closing does so too; an application that may be ended at any time calls it when it goes to the
  /// background.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  public func flush() throws(ImageError) {
    try flush(afterClosing: false)
  }

  func flush(afterClosing: Bool) throws(ImageError) {
    try writer.use(afterClosing: afterClosing) { (_) throws(ImageError) in
      guard !options.isReadOnly, life.launch.hasPending else { return }
      var step = LaunchStep()
      do throws(ImageError) {
        var session = try session()
        try session.write(life.launch, into: &step, isCommit: false, allUses: true)
        try session.writeCounters()
        try session.finishQuietly()
      } catch {
        life.launch.undo(step)
        throw error
      }
      life.launch.finish(step)
    }
  }
}
