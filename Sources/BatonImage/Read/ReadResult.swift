/// What reading an operation or a fragment gave.
public struct ReadResult: Sendable, Equatable {
  /// The data as JSON (UTF-8) under the response's keys. A missing field is left out, a missing
  /// record in a list is null.
  public var data: [UInt8]
  /// What the image never received, as response paths.
  public var missing: [[PathStep]]
  /// The same as records and storage keys, each once.
  public internal(set) var missingFields: [Availability.MissingField] = []
  /// Fields that are null under an error, or have one beside their value.
  public var errors: [ReadError]
  /// When the operation was last fetched with these variables, in milliseconds since 1970; nil for
  /// a fragment, and when it never was.
  public var fetchedAt: Int64?

  /// Whether nothing was missing.
  public var isComplete: Bool { missing.isEmpty }

  public init(
    data: [UInt8] = [], missing: [[PathStep]] = [], errors: [ReadError] = [],
    fetchedAt: Int64? = nil
  ) {
    self.data = data
    self.missing = missing
    self.errors = errors
    self.fetchedAt = fetchedAt
  }
}

/// A step of a response path.
public enum PathStep: Sendable, Hashable, CustomStringConvertible {
  case key(String)
  case index(Int)

  public var description: String {
    switch self {
    case .key(let key): key
    case .index(let index): String(index)
    }
  }
}

/// An error met while reading, at the path it was read at.
public struct ReadError: Sendable, Hashable {
  public var path: [PathStep]
  public var error: FieldError

  public init(path: [PathStep], error: FieldError) {
    self.path = path
    self.error = error
  }
}
