/// What looking a subject up by its natural key came to.
public struct Discovery: Sendable, Hashable {
  public enum Status: Sendable, Hashable {
    /// The image knew the key.
    case known
    /// The service was asked, and the image knows the key from now on.
    case discovered
    /// The service has no such subject, or doesn't show it.
    case notFound
    case forbidden
    case failed(ServiceFailure)
  }

  /// The natural key, in canonical form.
  public var key: String
  public var status: Status
  /// The id; nil when there is none. Under the identity scope `type` it is the record's key.
  public var id: String?

  public init(key: String, status: Status, id: String? = nil) {
    self.key = key
    self.status = status
    self.id = id
  }

  /// Whether the answer needed a request, of this call or of another that asked for the same key.
  public var usedNetwork: Bool { status != .known }
}

/// How far looking many subjects up has come.
public struct DiscoveryProgress: Sendable, Hashable {
  public var total: Int
  public var done = 0
  public var known = 0
  public var discovered = 0
  /// Subjects without an id: not found, forbidden or failed.
  public var failed = 0
  /// Requests this call sent; those it shared with others are theirs.
  public var requests = 0

  init(total: Int) {
    self.total = total
  }

  mutating func add(_ status: Discovery.Status) {
    done += 1
    switch status {
    case .known: known += 1
    case .discovered: discovered += 1
    case .notFound, .forbidden, .failed: failed += 1
    }
  }
}
