import BatonImage
import BatonPlan

/// Responses as services give them.
enum Answers {
  /// An issue of `nodes`.
  static func issue(
    _ id: String, title: String = "t", number: Int = 1, repository: String = "R_1"
  ) -> String {
    """
    {"__typename":"Issue","id":"\(id)","number":\(number),"title":"\(title)","state":"OPEN",\
    "repository":{"id":"\(repository)","nameWithOwner":"octo-org/\(repository)"}}
    """
  }

  /// A response of `nodes`, with null for what is nil.
  static func nodes(_ nodes: [String?], errors: [String] = [], extensions: String = "") -> String {
    let data = nodes.map { $0 ?? "null" }.joined(separator: ",")
    let list = errors.isEmpty ? "" : ",\"errors\":[\(errors.joined(separator: ","))]"
    return "{\"data\":{\"nodes\":[\(data)]}\(list)\(extensions)}"
  }

  static func notFound(_ index: Int) -> String { error("NOT_FOUND", "[\"nodes\",\(index)]") }

  static func error(_ type: String, _ path: String) -> String {
    "{\"type\":\"\(type)\",\"path\":\(path),\"message\":\"said by the service\"}"
  }

  /// The ids a request asks for.
  static func ids(_ request: TransportRequest) -> [String] {
    guard case .list(let ids)? = request.variables["ids"] else { return [] }
    return ids.compactMap { if case .string(let id) = $0 { id } else { nil } }
  }

  /// A service that answers every id with an issue whose title is `title` of it.
  static func service(
    _ title: @escaping @Sendable (String) -> String = { _ in "t" }
  ) -> @Sendable (TransportRequest) -> String {
    { request in nodes(ids(request).map { issue($0, title: title($0)) }) }
  }

  /// The answer of a discovery, by the number that is asked.
  static func discovery(_ request: TransportRequest, id: (Int64) -> String = { "I_\($0)" })
    -> String
  {
    guard case .int(let number)? = request.variables["number"],
      case .string(let name)? = request.variables["name"]
    else { return "{}" }
    return """
      {"data":{"repository":{"id":"R_\(name)","nameWithOwner":"octo-org/\(name)",\
      "issueOrPullRequest":{"__typename":"Issue","id":"\(id(number))","number":\(number),\
      "title":"t"}}}}
      """
  }
}

extension TransportResponse {
  init(
    _ body: String, status: Int = 200, headers: [String: String] = [:]
  ) {
    self.init(status: status, headers: headers, body: Array(body.utf8))
  }
}

extension RecordedTransport {
  /// A transport over a function from requests to bodies.
  convenience init(service: @escaping @Sendable (TransportRequest) -> String) {
    self.init { request, _ in .success(TransportResponse(service(request))) }
  }

  /// A transport that gives the answers in turn, then those of a service.
  convenience init(
    _ first: [Answer], then service: @escaping @Sendable (TransportRequest) -> String
  ) {
    self.init { request, index in
      index < first.count ? first[index] : .success(TransportResponse(service(request)))
    }
  }
}
