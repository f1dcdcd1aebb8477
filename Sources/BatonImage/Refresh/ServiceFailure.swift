public import Foundation

/// Why a service's answer could not be used for a request, or for one id of it.
///
/// It holds what a person needs to look the request up, and never a header that was sent.
public struct ServiceFailure: Error, Sendable, Hashable {
  public enum Kind: String, Sendable, CaseIterable {
    /// More ids at once than the service takes.
    case argumentLimit
    /// A rate limit, in any of its shapes; `retryAt` when the service says until when.
    case rateLimited
    /// The request asked for more than the service computes at once.
    case resourceLimit
    case timedOut
    /// A status of 500 and above, or a failure of the service's own in place of data.
    case server
    /// No connection, or one that broke.
    case unreachable
    /// Status 401: the credentials are not accepted.
    case unauthorized
    /// Another status, such as a redirection or 404: the endpoint doesn't serve the operation.
    case refused
    /// The body is longer than the transport takes.
    case tooLarge
    /// The body is no response: cut, or another kind of document.
    case malformed
    /// The response is sound and not of the operation. Nothing of it was committed.
    case mismatch
    /// Errors in place of data, or in place of an id's record.
    case errors
    /// Null, or nothing, in an id's place, and no error says why.
    case noAnswer
    /// The object answered has no id, so that it is nobody's record.
    case withoutId
    /// The caller cancelled before the request was sent.
    case cancelled
  }

  public var kind: Kind
  /// The HTTP status, when there was an answer.
  public var status: Int?
  /// What the service calls the request in its own logs.
  public var requestId: String?
  /// What happened, for a person.
  public var message: String
  /// When the service said to come back.
  public var retryAt: Date?

  public init(
    _ kind: Kind, _ message: String, status: Int? = nil, requestId: String? = nil,
    retryAt: Date? = nil
  ) {
    self.kind = kind
    self.message = message
    self.status = status
    self.requestId = requestId
    self.retryAt = retryAt
  }

  init(_ error: TransportError) {
    let kind: Kind =
      switch error {
      case .timedOut: .timedOut
      case .unreachable: .unreachable
      case .tooLarge: .tooLarge
      case .cancelled: .cancelled
      }
    self.init(kind, error.description)
  }
}

extension ServiceFailure: CustomStringConvertible {
  public var description: String {
    var text = message
    if let status {
      text += " (status \(status)" + (requestId.map { ", request \($0)" } ?? "") + ")"
    }
    return text
  }
}

extension ServiceFailure.Kind {
  /// Whether the same ids may be answered when they are asked again.
  var isPassing: Bool {
    switch self {
    case .rateLimited, .resourceLimit, .timedOut, .server, .unreachable, .tooLarge, .malformed:
      true
    case .argumentLimit, .unauthorized, .refused, .mismatch, .errors, .noAnswer, .withoutId,
      .cancelled:
      false
    }
  }

  /// Whether fewer ids at once may be the cure: the service worked too long, or the answer is too
  /// long.
  var callsForLess: Bool {
    switch self {
    case .resourceLimit, .timedOut, .server, .tooLarge, .malformed: true
    default: false
    }
  }

  /// Whether every other request of the run would fail the same way.
  var concernsAll: Bool { self == .unauthorized }
}
