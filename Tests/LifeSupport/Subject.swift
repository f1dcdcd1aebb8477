public import BatonImage
public import BatonPlan
import Foundation

/// An issue as a server answers it.
public struct Subject: Sendable {
  public var number: Int
  public var title: String
  public var state = "OPEN"
  public var login: String?

  public init(_ number: Int, title: String? = nil, login: String? = nil) {
    self.number = number
    self.title = title ?? "subject \(number)"
    self.login = login
  }

  public var id: String { "I_\(number)" }

  var json: [String: Any] {
    var author: Any = NSNull()
    if let login { author = ["__typename": "User", "login": login, "id": "U_\(login)"] }
    return [
      "__typename": "Issue", "id": id, "number": number, "title": title, "state": state,
      "weight": Double(number) / 4, "tags": ["a", "b\(number % 3)"], "author": author,
    ]
  }
}

extension Image {
  /// Commits the answer of `nodes(ids:)` for subjects.
  @discardableResult
  public func refresh(_ subjects: [Subject]) throws -> CommitOutcome {
    try commit(
      ["nodes": subjects.map(\.json)], of: Documents.refresh,
      ["ids": .list(subjects.map { .string($0.id) })])
  }

  /// Commits the data of a response.
  @discardableResult
  public func commit(
    _ data: [String: Any], of plan: Plan, _ variables: Variables = [:]
  ) throws -> CommitOutcome {
    let response = try JSONSerialization.data(withJSONObject: ["data": data])
    return try commit(parts: [Array(response)], of: plan, variables: variables)
  }

  /// Discovers a subject by its natural key.
  @discardableResult
  public func discover(_ subject: Subject, in name: String) throws -> CommitOutcome {
    let issue: [String: Any] = [
      "id": subject.id, "number": subject.number, "title": subject.title, "state": subject.state,
    ]
    return try commit(
      ["repository": ["id": "R_\(name)", "nameWithOwner": "octo/\(name)", "issue": issue]],
      of: Documents.discover,
      ["owner": .string("octo"), "name": .string(name), "number": .int(Int64(subject.number))])
  }

  /// Commits the answer of a search, with a hit for each subject.
  @discardableResult
  public func search(_ query: String, finding subjects: [Subject]) throws -> CommitOutcome {
    let nodes = subjects.map { ["id": $0.id, "title": $0.title] }
    let hits = subjects.map { ["text": "\(query) in \($0.title)", "score": 0.5] as [String: Any] }
    return try commit(
      ["search": ["issueCount": subjects.count, "nodes": nodes, "hits": hits]],
      of: Documents.search, ["query": .string(query)])
  }

  /// The whole image as text.
  public func exported() throws -> String {
    var text: [UInt8] = []
    try snapshot().export { text += $0 }
    return String(decoding: text, as: UTF8.self)
  }

  /// The title an image has for an id; nil when it has none.
  public func title(of id: String) throws -> String? {
    let snapshot = try snapshot()
    guard let number = try snapshot.liveRecord(id) else { return nil }
    let result = try snapshot.read(
      fragment: Documents.title, of: number, variables: [:], identity: identity)
    guard result.isComplete else { return nil }
    let data = try JSONSerialization.jsonObject(with: Data(result.data)) as? [String: Any]
    return data?["title"] as? String
  }
}

/// Runs what may not be called from a task directly, as it holds a lock of its thread.
public func onThread<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
