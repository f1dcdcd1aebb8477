import BatonPlan
import Synchronization

/// One refresh under way: batches, their requests, and what is known of each id so far.
final class RefreshWork: Sendable {
  private let image: Image
  private let requester: Requester
  private let commit: BatchCommit
  /// The variables with their defaults, but for the ids.
  private let variables: Variables
  /// The caller's ids.
  private let asked: [String]
  /// For each distinct id of the caller, the id its record has.
  private let current: [String: String]
  /// What is sent, each id once, in the order it was first met.
  private let batches: [[String]]
  private let report: @Sendable (RefreshProgress) -> Void
  private let state: Mutex<State>

  private struct State {
    var progress: RefreshProgress
    /// By the id that was sent.
    var results: [String: RefreshResult] = [:]
    var error: ImageError?
  }

  init(
    _ image: Image, _ asked: [String], _ requester: Requester, variables: Variables, batch: Int?,
    report: @escaping @Sendable (RefreshProgress) -> Void
  ) throws(ImageError) {
    let plan = requester.operation.plan
    let lookup = try ListLookup(requester.operation, image.identity)
    let resolved: Variables
    do {
      resolved = try plan.resolvedVariables(variables.merging([lookup.variable: .list([])]) { $1 })
    } catch {
      throw .usage("\(error)")
    }
    if let batch, !(1...BatchWidth.maximum).contains(batch) {
      throw .usage("a batch has 1 to \(BatchWidth.maximum) ids, not \(batch)")
    }
    let width =
      batch ?? BatchWidth.chosen(for: plan, below: lookup.selection, variables: resolved)
    guard !image.options.isReadOnly else {
      throw .usage("the image was opened for reading alone")
    }
    self.image = image
    self.requester = requester
    self.variables = resolved
    self.asked = asked
    self.report = report
    commit = BatchCommit(image: image, plan: plan, lookup: lookup)
    let current = try image.currentIds(of: asked, lookup)
    self.current = current
    var met: Set<String> = []
    let sent = asked.compactMap { current[$0] }.filter { met.insert($0).inserted }
    batches = stride(from: 0, to: sent.count, by: width).map {
      Array(sent[$0..<min($0 + width, sent.count)])
    }
    state = Mutex(State(progress: RefreshProgress(total: sent.count)))
  }

  func run() async throws(ImageError) -> RefreshReport {
    notify()
    await forEach(below: batches.count, width: requester.options.concurrency) { index in
      await self.ask(self.batches[index], attempt: 1)
    }
    return try state.withLock { (state) throws(ImageError) in
      if let error = state.error { throw error }
      return RefreshReport(
        results: asked.map { result(of: $0, in: state) }, counts: state.progress.counts,
        requests: state.progress.requests)
    }
  }

  /// Asks for ids until they are answered or given up, in halves after failures that call for it.
  private func ask(_ ids: [String], attempt: Int) async {
    var variables = variables
    variables[commit.lookup.variable] = .list(ids.map { .string($0) })
    let answer = await requester.answer(to: variables) { [self] in
      update { $0.progress.requests += 1 }
    }
    switch answer {
    case .success(let response): await take(response, ids, variables)
    case .failure(let failure):
      guard await shouldRetry(after: failure, attempt) else { return giveUp(ids, failure) }
      if failure.kind.callsForLess, ids.count > 1 {
        let middle = (ids.count + 1) / 2
        await ask(Array(ids[..<middle]), attempt: attempt + 1)
        await ask(Array(ids[middle...]), attempt: attempt + 1)
      } else {
        await ask(ids, attempt: attempt + 1)
      }
    }
  }

  private func shouldRetry(after failure: ServiceFailure, _ attempt: Int) async -> Bool {
    let isWorthIt = await requester.gate.shouldRetry(after: failure, attempt: attempt)
    if failure.kind == .rateLimited { notify() }
    return isWorthIt
  }

  /// Commits a batch's answer.
  private func take(_ response: TransportResponse, _ ids: [String], _ variables: Variables) async {
    let commit = commit
    do throws(ImageError) {
      let results = try await CommitQueue.run { () throws(ImageError) in
        try commit.take(response, ids, variables)
      }
      add(results)
    } catch {
      if let failure = ServiceFailure(error, response) { return giveUp(ids, failure) }
      requester.gate.stop(ServiceFailure(.cancelled, "\(error)"))
      update { $0.error = $0.error ?? error }
    }
  }

  private func giveUp(_ ids: [String], _ failure: ServiceFailure) {
    add(ids.map { RefreshResult(asked: $0, status: .failed(failure)) })
  }

  private func add(_ results: [RefreshResult]) {
    update { state in
      for result in results {
        state.results[result.asked] = result
        state.progress.counts.add(result.status)
      }
    }
  }

  private func notify() { update { _ in } }

  /// Changes what is known, and reports it before anyone else does, so that progress never goes back.
  private func update(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      state.progress.pausedUntil = requester.gate.pausedUntil
      report(state.progress)
    }
  }

  /// The result of an id as the caller gave it.
  private func result(of asked: String, in state: State) -> RefreshResult {
    let sent = current[asked] ?? asked
    guard var result = state.results[sent] else {
      let failure = ServiceFailure(.cancelled, "cancelled before it was sent")
      return RefreshResult(asked: asked, status: .failed(failure))
    }
    if sent != asked, result.status == .updated || result.status == .unchanged {
      result.status = .moved
    }
    result.asked = asked
    return result
  }
}

extension Image {
  /// For each distinct id, the one its record has now: another one where the id is an alias.
  fileprivate func currentIds(
    of ids: [String], _ lookup: ListLookup
  ) throws(ImageError) -> [String: String] {
    let snapshot = try snapshot()
    var current: [String: String] = [:]
    for id in ids where current[id] == nil {
      current[id] = id
      guard let key = lookup.key(of: id, identity), let number = try snapshot.number(ofId: key),
        let row = try snapshot.row(snapshot.resolved(number)), !row.flags.contains(.pathKey)
      else { continue }
      current[id] = lookup.id(ofKey: row.key.text(), identity) ?? id
    }
    return current
  }
}
