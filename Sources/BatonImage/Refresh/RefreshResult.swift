/// What refreshing one id came to.
public struct RefreshResult: Sendable, Hashable {
  public enum Status: Sendable, Hashable {
    /// Something that the operation selects of the subject changed, in its own record or below.
    case updated
    /// The answer is what the image had.
    case unchanged
    /// The subject has another id now: `id`. The asked one leads to the same record.
    case moved
    /// The service knows no such subject, or doesn't show it. Its record, if any, stays as it is.
    case notFound
    case forbidden
    /// There is no answer for the id, and nothing of it was committed.
    case failed(ServiceFailure)
  }

  /// The id as the caller gave it.
  public var asked: String
  public var status: Status
  /// The record's id; nil when the answer had no record.
  public var id: String?
  /// Whether the answer changed what the operation selects, also where the status is `moved`.
  public var isChanged = false
  /// How many answers in a row had no record for the id, this one included.
  public var misses = 0
  /// How many ids the request asked for that was answered: a service may cut long lists short when
  /// many subjects are asked for at once. 0 when none was answered.
  public var batch = 0

  public init(asked: String, status: Status, id: String? = nil) {
    self.asked = asked
    self.status = status
    self.id = id
  }
}

/// What came of a refresh.
public struct RefreshReport: Sendable, Hashable {
  /// A result for each id in the caller's order, duplicates included.
  public var results: [RefreshResult]
  /// The results of the ids that were asked for, each once.
  public var counts: RefreshCounts
  /// Requests sent, those that failed included.
  public var requests: Int

  public init(results: [RefreshResult], counts: RefreshCounts, requests: Int) {
    self.results = results
    self.counts = counts
    self.requests = requests
  }
}

/// How many ids had each result.
public struct RefreshCounts: Sendable, Hashable {
  public var updated = 0
  public var unchanged = 0
  public var moved = 0
  public var notFound = 0
  public var forbidden = 0
  public var failed = 0

  public init() {}

  /// How many ids have a result.
  public var total: Int { updated + unchanged + moved + notFound + forbidden + failed }

  mutating func add(_ status: RefreshResult.Status) {
    switch status {
    case .updated: updated += 1
    case .unchanged: unchanged += 1
    case .moved: moved += 1
    case .notFound: notFound += 1
    case .forbidden: forbidden += 1
    case .failed: failed += 1
    }
  }
}
