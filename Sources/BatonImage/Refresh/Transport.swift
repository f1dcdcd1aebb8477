public import BatonPlan

/// How requests reach a service.
public protocol Transport: Sendable {
  /// Sends one request and answers what came back, whatever its status.
  ///
  /// Called from several tasks at once. An answer of any status is a return; what keeps an answer
  /// from coming is thrown. Nothing a transport throws may hold a credential.
  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// One request of an operation.
public struct TransportRequest: Sendable, Hashable {
  public var document: String
  /// The operation's name; nil for an anonymous one.
  public var operationName: String?
  public var variables: Variables

  public init(document: String, operationName: String?, variables: Variables) {
    self.document = document
    self.operationName = operationName
    self.variables = variables
  }

  /// The request as GraphQL over HTTP sends it: a JSON object of `query`, `operationName` and
  /// `variables`.
  public var body: [UInt8] {
    var members: [Value.Member] = [
      .init("query", .string(document)),
      .init("variables", .object(variables.map { .init($0.key, $0.value) })),
    ]
    if let operationName { members.append(.init("operationName", .string(operationName))) }
    var bytes: [UInt8] = []
    CanonicalJSON.append(.object(members), to: &bytes)
    return bytes
  }
}

/// An answer of a service, of any status.
public struct TransportResponse: Sendable, Hashable {
  /// The HTTP status; 200 for a transport that knows none.
  public var status: Int
  /// The headers by name in lower case.
  public private(set) var headers: [String: String]
  /// The body, decompressed.
  public var body: [UInt8]

  public init(status: Int = 200, headers: [String: String] = [:], body: [UInt8]) {
    self.status = status
    self.headers = Dictionary(
      headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    self.body = body
  }

  /// What the service calls the request in its own logs; nil when it doesn't say.
  public var requestId: String? { headers["x-github-request-id"] ?? headers["x-request-id"] }
}

/// Why a request has no answer.
public enum TransportError: Error, Sendable, Hashable {
  case timedOut
  /// The service can't be reached, or the connection broke. The message names no credential.
  case unreachable(String)
  /// The body is longer than the transport takes.
  case tooLarge(limit: Int)
  /// The request was given up from outside.
  case cancelled
}

extension TransportError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .timedOut: "no answer in time"
    case .unreachable(let message): message
    case .tooLarge(let limit): "the answer is longer than \(limit) bytes"
    case .cancelled: "the request was cancelled"
    }
  }
}
