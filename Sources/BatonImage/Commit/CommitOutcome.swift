/// What a commit did.
public struct CommitOutcome: Sendable, Equatable {
  /// The number of the commit; that of the one before when nothing was written.
  public var commit: UInt64
  public var recordsCreated: Int
  public var recordsChanged: Int
  public var recordsUnchanged: Int
  public var fieldsChanged: Int
  /// Whether the response, or any part of it, had data: without it nothing was committed and nothing
  /// counts as fresh.
  public var hasData = false
  /// Pages the engine wrote; 0 when the response changed nothing.
  public var pagesWritten: Int
  /// For a plan with a list lookup such as `nodes(ids:)`: what came back for each id, in the order
  /// asked, duplicates included. Nil for other plans.
  public var ids: [IdOutcome]?
  /// The response's errors, in its order.
  public var errors: [FieldError]
  /// Ids that became aliases.
  public var aliases: [Alias]

  /// A second id of a record.
  public struct Alias: Sendable, Hashable {
    public var from: String
    public var to: String

    public init(from: String, to: String) {
      self.from = from
      self.to = to
    }
  }
}

/// What came back for one id that was asked for.
public struct IdOutcome: Sendable, Hashable {
  public enum Status: String, Sendable {
    case ok
    case notFound
    case forbidden
    /// Null under another error.
    case error
    /// Null, and no error says why.
    case null
  }

  /// The id as it was asked.
  public var asked: String
  /// The id that was answered; nil when none was.
  public var id: String?
  public var status: Status

  public init(asked: String, id: String?, status: Status) {
    self.asked = asked
    self.id = id
    self.status = status
  }
}
