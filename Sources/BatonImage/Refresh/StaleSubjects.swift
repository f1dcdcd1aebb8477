public import BatonPlan
public import Foundation

/// What is worth asking for again.
public struct StalePolicy: Sendable, Hashable {
  /// Subjects are asked for when their last answer is at least this old.
  public var olderThan: Duration
  /// The most subjects, pinned ones first, then those that waited longest.
  public var limit: Int
  /// How long an id rests that was answered without a record; it doubles with each such answer in
  /// a row.
  public var missDelay: Duration
  public var maximumMissDelay: Duration

  public init(
    olderThan: Duration, limit: Int = .max, missDelay: Duration = .seconds(15 * 60),
    maximumMissDelay: Duration = .seconds(7 * 24 * 3600)
  ) {
    self.olderThan = olderThan
    self.limit = max(0, limit)
    self.missDelay = missDelay
    self.maximumMissDelay = maximumMissDelay
  }

  /// How long an id rests after a number of answers without a record, at least 1.
  func rest(after misses: UInt32) -> Duration {
    min(missDelay * (1 << min(Int(misses) - 1, 40)), maximumMissDelay)
  }
}

/// A subject worth asking for again, and why.
public struct StaleSubject: Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// No answer is known; or it is from before the journal's time.
    case neverFetched
    /// The image lacks fields that the operation selects.
    case incomplete
    case old
    /// The last answers, so many of them, had no record, and the id rested long enough.
    case missed(Int)
  }

  public var id: String
  public var reason: Reason
  /// The time of the last answer, as far as it is known.
  public var fetchedAt: Date?
  public var isPinned: Bool

  public init(id: String, reason: Reason, fetchedAt: Date?, isPinned: Bool) {
    self.id = id
    self.reason = reason
    self.fetchedAt = fetchedAt
    self.isPinned = isPinned
  }
}

extension Image {
  /// The subjects of an operation that are worth asking for, in the order to ask.
  ///
  /// Subjects are the records that the operation selects fields of and that a natural key leads to,
  /// that are pinned, or that it was asked for before; and ids it was asked for that have no record.
  /// What lists alone brought is not among them: pass such ids to `refresh` yourself.
  ///
  /// The age of a subject is the time since the operation last answered it; where that is unknown,
  /// the time since a field of it changed. It errs to the old side: a process that ends without
  /// `close` forgets the times of answers that changed nothing.
  ///
  /// Cost: the tables `records`, `operations` and `misses`, and the operation's part of `fetches`, are
  /// read once.
  public func staleSubjects(
    _ policy: StalePolicy, for operation: RemoteOperation, variables: Variables = [:],
    now: Date = Date()
  ) throws(ImageError) -> [StaleSubject] {
    let lookup = try ListLookup(operation, identity)
    let resolved: Variables
    do {
      resolved = try operation.plan.resolvedVariables(
        variables.merging([lookup.variable: .list([])]) { $1 })
    } catch {
      throw .usage("\(error)")
    }
    let snapshot = try snapshot()
    var search = try StaleSearch(
      operation.plan, lookup, resolved, identity, policy, now: now, memory: life.launch,
      in: snapshot)
    return try search.subjects(in: snapshot)
  }
}
