public import Foundation

/// How far a refresh has come.
public struct RefreshProgress: Sendable, Hashable {
  /// How many ids are asked for, each once.
  public var total: Int
  /// How many have which result.
  public var counts = RefreshCounts()
  /// Requests sent, those that failed included.
  public var requests = 0
  /// Until when a rate limit holds everything up; nil when none does.
  public var pausedUntil: Date?

  public init(total: Int) {
    self.total = total
  }

  /// How many ids have a result.
  public var done: Int { counts.total }
}
