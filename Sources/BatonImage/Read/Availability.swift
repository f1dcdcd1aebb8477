public import BatonPlan

/// Whether the image holds everything a selection reads, and what it lacks.
public struct Availability: Sendable, Equatable {
  /// A field that was never received.
  public struct MissingField: Sendable, Hashable {
    /// The record's key; the id that was asked for when the image has no such record.
    public var record: String
    /// The field's storage key; nil when the whole record is missing.
    public var field: String?

    public init(record: String, field: String?) {
      self.record = record
      self.field = field
    }
  }

  /// What is missing, each once, in the order it was met.
  public var missing: [MissingField]
  /// When the operation was last fetched with these variables, in milliseconds since 1970; nil for a
  /// fragment, and when it never was.
  public var fetchedAt: Int64?

  public var isComplete: Bool { missing.isEmpty }

  /// The records that are missing or lack a field: what the next request asks for.
  public var records: [String] {
    var seen: Set<String> = []
    return missing.map(\.record).filter { seen.insert($0).inserted }
  }
}

extension Snapshot {
  /// Whether an operation can be read from the image alone, what it lacks, and how old it is.
  ///
  /// Throws `usage` when the variables don't fit the operation.
  public borrowing func availability(
    of operation: Plan, variables: Variables = [:]
  ) throws(ImageError) -> Availability {
    let result = try read(operation, variables: variables, identity: core.identity)
    return Availability(missing: result.missingFields, fetchedAt: result.fetchedAt)
  }

  /// Whether a fragment of a record can be read from the image alone.
  ///
  /// A record the image doesn't have is missing as a whole.
  public borrowing func availability<Content: Fragment>(
    of fragment: Content.Type, id: String, variables: Variables = [:]
  ) throws(ImageError) -> Availability {
    guard let number = try liveRecord(id) else {
      return Availability(missing: [.init(record: id, field: nil)], fetchedAt: nil)
    }
    let result = try read(
      fragment: fragment.plan, of: number, variables: variables, identity: core.identity)
    return Availability(missing: result.missingFields, fetchedAt: nil)
  }

  /// Reads an operation's root selection as JSON under the response's keys, without a query.
  public borrowing func read(
    _ operation: Plan, variables: Variables = [:]
  ) throws(ImageError) -> ReadResult {
    try read(operation, variables: variables, identity: core.identity)
  }
}
