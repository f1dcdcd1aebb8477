import BatonImage
import BatonPlan
import Foundation

/// Subjects with values that follow from their number, and the response that answers them.
struct Subject {
  var number: Int

  var isPullRequest: Bool { number % 7 == 0 }
  var id: String { isPullRequest ? "PR_\(number)" : "I_\(number)" }
  var title: String { "subject \(number) \u{e9} \"quoted\" \u{1F4A5}" }
  var state: String { number % 3 == 0 ? "CLOSED" : number % 11 == 0 ? "LOCKED" : "OPEN" }
  var weight: Double? { number % 5 == 0 ? nil : Double(number) / 8 }
  var tags: [String?] { (0..<(number % 4)).map { $0 == 2 ? nil : "tag-\($0)" } }
  var login: String? { number % 13 == 0 ? nil : "user-\(number % 17)" }
  var isBot: Bool { number % 17 == 3 }
  var labels: [String] { (0..<(number % 3)).map { "label-\($0)" } }
  var updatedAt: String { "2026-01-0\(number % 9 + 1)T00:00:00Z" }
  var repositoryId: String { "R_\(number % 5)" }
  var repository: String { "octo-org/widgets-\(number % 5)" }

  var json: [String: Any] {
    let repository: [String: Any] = ["id": repositoryId, "nameWithOwner": self.repository]
    if isPullRequest {
      return [
        "__typename": "PullRequest", "id": id, "number": number, "title": title, "prState": state,
        "isDraft": number % 2 == 0, "repository": repository,
      ]
    }
    var author: Any = NSNull()
    if let login {
      author =
        isBot
        ? ["__typename": "Bot", "login": login]
        : ["__typename": "User", "login": login, "id": "U_\(login)"]
    }
    let edges = labels.map { label in
      ["cursor": "c-\(label)", "node": ["id": "LA_\(label)", "name": label]] as [String: Any]
    }
    return [
      "__typename": "Issue", "id": id, "number": number, "title": title, "state": state,
      "updatedAt": updatedAt, "weight": weight ?? NSNull(),
      "tags": tags.map { $0 ?? NSNull() as Any }, "author": author,
      "labels": [
        "totalCount": labels.count, "edges": edges,
        "pageInfo": ["hasNextPage": false, "endCursor": "c-end"],
      ] as [String: Any],
      "repository": repository,
    ]
  }

  /// Commits the subjects' response, fifty at a time.
  static func commit(_ numbers: Range<Int>, to image: Image) throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 50) {
      let batch = (start..<min(start + 50, numbers.upperBound)).map(Subject.init)
      let response = try JSONSerialization.data(
        withJSONObject: ["data": ["nodes": batch.map(\.json)]])
      let outcome = try image.commit(
        parts: [Array(response)], of: Schema.refresh,
        variables: ["ids": .list(batch.map { .string($0.id) })])
      precondition(outcome.ids?.allSatisfy { $0.status == .ok } == true)
    }
  }
}
