import Foundation

/// What a service's response comes to before any of it is committed: data, or a typed failure.
///
/// The shapes are those of GitHub's service, which covers what others do: Docs/Refresh.md.
enum ServiceAnswer {
  /// A GraphQL response with data; errors may stand beside it.
  case data
  case failure(ServiceFailure)

  /// - Parameter now: what a wait given in seconds counts from.
  init(_ response: TransportResponse, now: Date) {
    let body = Outline(response.body)
    guard let failure = ServiceAnswer.failure(response, body, now) else {
      self = .data
      return
    }
    self = .failure(failure)
  }

  private static func failure(
    _ response: TransportResponse, _ body: Outline?, _ now: Date
  ) -> ServiceFailure? {
    let isSuccess = (200..<300).contains(response.status)
    if isSuccess, let body, body.hasData { return nil }
    func failure(
      _ kind: ServiceFailure.Kind, _ message: String, retryAt: Date? = nil
    ) -> ServiceFailure {
      ServiceFailure(
        kind, message, status: response.status, requestId: response.requestId, retryAt: retryAt)
    }
    if isRateLimit(response, body) {
      return failure(
        .rateLimited, body?.text ?? "rate limited", retryAt: ServiceTimes.retry(response, now))
    }
    switch response.status {
    case 401: return failure(.unauthorized, "the service does not accept the credentials")
    case 408, 500...:
      let said = response.headers["retry-after"] == nil ? nil : ServiceTimes.retry(response, now)
      return failure(.server, "the service failed", retryAt: said)
    default: break
    }
    if let body, let error = body.errors.first {
      let code = error.code.isEmpty ? "" : "\(error.code): "
      return failure(kind(of: error.code), code + error.message)
    }
    guard isSuccess else {
      return failure(.refused, body?.text ?? "the service refused the request")
    }
    return failure(.malformed, "the answer is no response, or only a part of one")
  }

  /// Whether an answer without data is a rate limit. Headers tell first, then the codes of errors,
  /// then the shape that services answer before GraphQL is reached.
  private static func isRateLimit(_ response: TransportResponse, _ body: Outline?) -> Bool {
    let isRefusal = response.status == 403 || response.status == 429
    if response.status == 429 { return true }
    if isRefusal, response.headers["retry-after"] != nil { return true }
    let isUsedUp = response.headers["x-ratelimit-remaining"] == "0"
    if isUsedUp, isRefusal || response.status == 200 && body?.errors.isEmpty == true {
      return true
    }
    guard let body else { return false }
    if body.errors.contains(where: { isRateLimit($0.code) }) { return true }
    guard isRefusal || response.status == 200 else { return false }
    // The text is for people and changes; a permission that is missing comes with its own header.
    return body.isNotice && response.headers["x-github-sso"] == nil
  }

  private static func isRateLimit(_ code: String) -> Bool {
    switch code.lowercased() {
    case "rate_limited", "rate_limit", "graphql_rate_limit", "throttled": true
    default: false
    }
  }

  private static func kind(of code: String) -> ServiceFailure.Kind {
    switch code {
    case "ARGUMENT_LIMIT": .argumentLimit
    case "RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED": .resourceLimit
    case "SERVICE_UNAVAILABLE", "INTERNAL_SERVER_ERROR", "TIMEOUT": .server
    default: .errors
    }
  }
}

/// What stands in the outermost object of a body.
private struct Outline {
  /// Whether there is data that is not null.
  var hasData = false
  var errors: [FieldError] = []
  /// The member `message`, of an answer that is no GraphQL response.
  var text: String?
  /// Whether the body is what a service says before GraphQL is reached: `message` and
  /// `documentation_url`, and neither data nor errors.
  var isNotice = false

  /// Nil when the body is not one whole JSON object.
  init?(_ body: [UInt8]) {
    do throws(ImageError) { try read(body) } catch { return nil }
  }

  private mutating func read(_ body: [UInt8]) throws(ImageError) {
    var indexer = try JSONIndexer()
    try indexer.index(body.span)
    let start = indexer.reader
    var whole = start
    guard whole.character == UInt8(ascii: "{") else { throw whole.problem("no object") }
    try whole.skip()
    guard whole.isAtEnd else { throw whole.problem("something follows the response") }
    if let data = try JSONText.value(of: "data", in: start) {
      hasData = data.character != UInt8(ascii: "n")
    }
    if let list = try JSONText.value(of: "errors", in: start),
      list.character == UInt8(ascii: "[")
    {
      var list = list
      var tree = ErrorTree()
      try tree.read(&list)
      errors = tree.errors
    }
    if !hasData, errors.isEmpty {
      text = try JSONText.member("message", of: start)
      let page = try JSONText.member("documentation_url", of: start)
      isNotice = text != nil && page != nil
    }
  }
}
