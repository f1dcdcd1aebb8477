public import BatonPlan

/// Refresh by id (R4): the records' fields change, their lists and everything else stay.
extension Image {
  /// Asks the service for records by their ids and commits the answers, a batch at a time.
  ///
  /// Each id is asked for once, by the id its record has now. A batch is one request and one
  /// commit: it changes the image whole or not at all, and its failure costs no other batch.
  /// Time-outs and failures of the service halve a batch and try again; rate limits hold all
  /// requests up. Cancelling ends the refresh at a batch's edge: what was sent is finished and
  /// committed, the rest is reported as cancelled.
  ///
  /// - Parameters:
  ///   - operation: a query with a list lookup by a variable, as `nodes(ids: $ids)`.
  ///   - variables: those besides the ids.
  ///   - batch: ids a request, at most 100; nil for 50, or 24 when the selection holds connections
  ///     that many subjects at once could cut short (`BatchWidth`).
  /// - Throws: `usage` for another operation or width; `closed` when the image was closed meanwhile;
  ///   any error of the image itself. Failures of the service are results, never thrown.
  public func refresh(
    _ ids: [String], with operation: RemoteOperation, variables: Variables = [:],
    batch: Int? = nil, through transport: any Transport, options: RequestOptions = RequestOptions()
  ) async throws(ImageError) -> RefreshReport {
    let requester = Requester(operation, through: transport, options: options)
    let work = try RefreshWork(self, ids, requester, variables: variables, batch: batch) { _ in }
    return try await work.run()
  }

  /// The same as a run with its progress.
  public func refreshing(
    _ ids: [String], with operation: RemoteOperation, variables: Variables = [:],
    batch: Int? = nil, through transport: any Transport, options: RequestOptions = RequestOptions()
  ) -> ServiceRun<RefreshProgress, RefreshReport> {
    let requester = Requester(operation, through: transport, options: options)
    return ServiceRun { (report) async throws(ImageError) in
      let work = try RefreshWork(
        self, ids, requester, variables: variables, batch: batch, report: report)
      return try await work.run()
    }
  }

  /// Refreshes what is worth asking for: `staleSubjects` with the policy, in its order.
  public func refreshStale(
    _ policy: StalePolicy, with operation: RemoteOperation, variables: Variables = [:],
    batch: Int? = nil, through transport: any Transport, options: RequestOptions = RequestOptions()
  ) async throws(ImageError) -> RefreshReport {
    let stale = try staleSubjects(
      policy, for: operation, variables: variables, now: options.timing.now())
    return try await refresh(
      stale.map(\.id), with: operation, variables: variables, batch: batch, through: transport,
      options: options)
  }

  /// Refreshes what was last answered longer ago than `age`, or never, by `StalePolicy`'s rules.
  public func refreshStale(
    olderThan age: Duration, with operation: RemoteOperation, variables: Variables = [:],
    batch: Int? = nil, through transport: any Transport, options: RequestOptions = RequestOptions()
  ) async throws(ImageError) -> RefreshReport {
    try await refreshStale(
      StalePolicy(olderThan: age), with: operation, variables: variables, batch: batch,
      through: transport, options: options)
  }
}
