public import BatonPlan
import Synchronization

/// Discovery: paid once per subject, not per launch (R5).
extension Image {
  /// The id of the subject that an operation looks up with these variables.
  ///
  /// The subject is the deepest natural key the operation answers (`Plan.naturalKeys`). When the
  /// image knows the key nothing is sent; else the operation runs once, however many callers ask for
  /// the key at the same time, and its answer is committed whole.
  ///
  /// Throws `usage` when the operation looks nothing up or the variables don't fit it, `closed` when
  /// the image was closed before the answer came.
  public func discover(
    _ variables: Variables, with operation: RemoteOperation, through transport: any Transport,
    options: RequestOptions = RequestOptions()
  ) async throws(ImageError) -> Discovery {
    let requester = Requester(operation, through: transport, options: options)
    return try await discover(variables, requester) {}
  }

  /// The ids of many subjects, in the caller's order; requests run beside each other, at most
  /// `options.concurrency`.
  public func discover(
    _ subjects: [Variables], with operation: RemoteOperation, through transport: any Transport,
    options: RequestOptions = RequestOptions()
  ) async throws(ImageError) -> [Discovery] {
    try await discover(subjects, operation, transport, options) { _ in }
  }

  /// The same as a run with its progress.
  public func discovering(
    _ subjects: [Variables], with operation: RemoteOperation, through transport: any Transport,
    options: RequestOptions = RequestOptions()
  ) -> ServiceRun<DiscoveryProgress, [Discovery]> {
    ServiceRun { (report) async throws(ImageError) in
      try await self.discover(subjects, operation, transport, options, report)
    }
  }

  private func discover(
    _ subjects: [Variables], _ operation: RemoteOperation, _ transport: any Transport,
    _ options: RequestOptions, _ report: @escaping @Sendable (DiscoveryProgress) -> Void
  ) async throws(ImageError) -> [Discovery] {
    for variables in subjects { _ = try subject(of: operation, variables) }
    let requester = Requester(operation, through: transport, options: options)
    let state = Mutex(DiscoveryState(total: subjects.count))
    state.withLock { report($0.progress) }
    await forEach(below: subjects.count, width: options.concurrency) { index in
      let result: Result<Discovery, ImageError>
      do throws(ImageError) {
        result = .success(
          try await self.discover(subjects[index], requester) {
            state.withLock { report($0.noteRequest()) }
          })
      } catch {
        requester.gate.stop(ServiceFailure(.cancelled, "\(error)"))
        result = .failure(error)
      }
      // Reported with the lock held, so that progress never goes back.
      state.withLock { report($0.add(result, at: index)) }
    }
    return try state.withLock { (state) throws(ImageError) in try state.result() }
  }

  /// Discovers one subject; `willSend` is called before each request.
  private func discover(
    _ given: Variables, _ requester: Requester, _ willSend: @escaping @Sendable () -> Void
  ) async throws(ImageError) -> Discovery {
    let (key, variables) = try subject(of: requester.operation, given)
    if let id = try snapshot().id(of: key) { return Discovery(key: key, status: .known, id: id) }
    guard !options.isReadOnly else {
      throw .usage("\(key) is unknown, and the image was opened for reading alone")
    }
    let flight = Flights.shared.join(self, key) {
      do throws(ImageError) {
        return .success(try await self.look(up: key, variables, requester, willSend))
      } catch {
        return .failure(error)
      }
    }
    return try await flight.value.get()
  }

  /// The natural key of the subject, and the variables with their defaults.
  private func subject(
    of operation: RemoteOperation, _ given: Variables
  ) throws(ImageError) -> (key: String, variables: Variables) {
    let plan = operation.plan
    let variables: Variables
    do { variables = try plan.resolvedVariables(given) } catch { throw .usage("\(error)") }
    let keys = plan.naturalKeys(variables: variables, identity: identity)
    guard let key = keys.first else {
      throw .usage("\(plan.name) looks nothing up by a natural key that ends in an id")
    }
    return (key, variables)
  }

  /// Asks the service for a subject and commits the answer.
  private func look(
    up key: String, _ variables: Variables, _ requester: Requester,
    _ willSend: @escaping @Sendable () -> Void
  ) async throws(ImageError) -> Discovery {
    // Another flight may have landed between the caller's look and this one's start.
    if let id = try snapshot().id(of: key) { return Discovery(key: key, status: .known, id: id) }
    var attempt = 1
    while true {
      switch await requester.answer(to: variables, willSend) {
      case .success(let response):
        return try await CommitQueue.run { () throws(ImageError) in
          try self.commit(response, of: requester.operation.plan, variables, subject: key)
        }
      case .failure(let failure):
        guard await requester.gate.shouldRetry(after: failure, attempt: attempt) else {
          return Discovery(key: key, status: .failed(failure))
        }
        attempt += 1
      }
    }
  }

  private func commit(
    _ response: TransportResponse, of plan: Plan, _ variables: Variables, subject key: String
  ) throws(ImageError) -> Discovery {
    let outcome: CommitOutcome
    do throws(ImageError) {
      outcome = try commit(response.body.span, of: plan, variables: variables)
    } catch {
      guard let failure = ServiceFailure(error, response) else { throw error }
      return Discovery(key: key, status: .failed(failure))
    }
    if let id = try snapshot().id(of: key) {
      return Discovery(key: key, status: .discovered, id: id)
    }
    return Discovery(key: key, status: Discovery.Status(outcome.errors, response))
  }
}

/// What is gathered while many subjects are looked up.
private struct DiscoveryState {
  private(set) var progress: DiscoveryProgress
  private var found: [Discovery?]
  private var error: ImageError?

  init(total: Int) {
    progress = DiscoveryProgress(total: total)
    found = Array(repeating: nil, count: total)
  }

  mutating func noteRequest() -> DiscoveryProgress {
    progress.requests += 1
    return progress
  }

  mutating func add(
    _ result: Result<Discovery, ImageError>, at index: Int
  ) -> DiscoveryProgress {
    switch result {
    case .success(let discovery):
      found[index] = discovery
      progress.add(discovery.status)
    case .failure(let failure): error = error ?? failure
    }
    return progress
  }

  func result() throws(ImageError) -> [Discovery] {
    if let error { throw error }
    return found.compactMap { $0 }
  }
}

extension Discovery.Status {
  /// Why an answer with data led to no id: what its errors say.
  init(_ errors: [FieldError], _ response: TransportResponse) {
    if errors.isEmpty || errors.contains(where: { $0.code == "NOT_FOUND" }) {
      self = .notFound
    } else if errors.contains(where: { $0.code == "FORBIDDEN" }) {
      self = .forbidden
    } else {
      self = .failed(ServiceFailure(errors[0], response))
    }
  }
}

extension ServiceFailure {
  /// An error that stands in place of data.
  init(_ error: FieldError, _ response: TransportResponse) {
    let code = error.code.isEmpty ? "" : "\(error.code): "
    self.init(
      .errors, code + error.message, status: response.status, requestId: response.requestId)
  }

  /// A commit's refusal of an answer; nil for an error of the image itself.
  init?(_ error: ImageError, _ response: TransportResponse) {
    guard case .response(let problem) = error else { return nil }
    self.init(
      .mismatch, problem.description, status: response.status, requestId: response.requestId)
  }
}
