import BatonImage
import BatonPlan
import Foundation
import TestSupport

/// An image of a test's own.
final class Fixture: Sendable {
  let folder: TemporaryFolder
  let path: String
  let image: Image

  init(identity: IdentityRules? = nil) throws {
    folder = try TemporaryFolder()
    path = folder.file("image")
    image = try Image.open(path: path, options: .init(identity: identity))
  }

  /// Commits a response.
  @discardableResult
  func commit(
    _ body: String, of operation: RemoteOperation = Operations.refresh, _ variables: Variables
  ) throws -> CommitOutcome {
    try image.commit(Array(body.utf8).span, of: operation.plan, variables: variables)
  }

  /// Commits issues as `nodes` answers them.
  @discardableResult
  func commit(issues: [String], title: String = "t") throws -> CommitOutcome {
    try commit(
      Answers.nodes(issues.map { Answers.issue($0, title: title) }),
      ["ids": .list(issues.map { .string($0) })])
  }

  /// What the image answers to `Refresh` for an id, as JSON.
  func read(_ id: String) throws -> String { try image.reading(id) }
}

extension Image {
  /// What the image answers to `RefreshTitles` for an id, as JSON.
  func reading(_ id: String) throws -> String {
    let result = try snapshot().read(
      Operations.refreshTitles.plan, variables: ["ids": .list([.string(id)])])
    return String(decoding: result.data, as: UTF8.self)
  }

  /// The title of an issue in the image; nil when there is none.
  func title(of id: String) throws -> String? {
    let text = try reading(id)
    guard let start = text.range(of: "\"title\":\"") else { return nil }
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }
}
