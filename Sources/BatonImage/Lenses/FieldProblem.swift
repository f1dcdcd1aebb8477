/// Why an accessor has no value of its type to give (R9).
public struct FieldProblem: Error, Sendable, Equatable {
  public enum Reason: Sendable, Equatable {
    /// The image never received the field.
    case missing
    /// The server answered null, and no error says why.
    case null
    /// The field is null under errors; `hasStale` tells whether its last good value is kept.
    case errored([FieldError], hasStale: Bool)
    /// The record was deleted.
    case deleted
    /// The value is of another kind, or does not fit the Swift type that was asked for.
    case mismatch(String)
    /// The fragment does not select the field on records of this type.
    case notSelected
    /// The image is damaged at the field.
    case damaged(Damage)
  }

  /// The record's key.
  public var record: String
  /// The field's response key.
  public var field: String
  public var reason: Reason

  public init(record: String, field: String, reason: Reason) {
    self.record = record
    self.field = field
    self.reason = reason
  }
}

extension FieldProblem: CustomStringConvertible {
  public var description: String {
    let what =
      switch reason {
      case .missing: "never fetched"
      case .null: "null"
      case .errored(let errors, _): "null under an error: \(errors.first?.message ?? "")"
      case .deleted: "deleted"
      case .mismatch(let message): message
      case .notSelected: "not selected by the fragment"
      case .damaged(let damage): "damaged: \(damage)"
      }
    return "\(record).\(field): \(what)"
  }
}

/// The four answers a field has, and deletion (R9).
public enum FieldState: Sendable, Equatable {
  case value
  case null
  case errored([FieldError], hasStale: Bool)
  case missing
  /// The record the field links to, or the record itself, was deleted.
  case deleted
}
