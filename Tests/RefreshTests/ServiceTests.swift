import BatonDocuments
import BatonImage
import BatonPlan
import Foundation
import Testing

/// The service of `.ci/refresh-check`, which starts one and says where it is; nil elsewhere.
private let endpoint = ProcessInfo.processInfo.environment["REFRESH_CHECK_ENDPOINT"]

/// What is shown against a running service.
@Suite(.enabled(if: endpoint != nil))
struct ServiceTests {
  @Test func `twenty callers that discover the same hundred keys share their requests`()
    async throws
  {
    let path = try #require(
      ProcessInfo.processInfo.environment["REFRESH_CHECK_DOCUMENT"])
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let operation = Operations.operation("IssueQuery", of: text)
    let transport = HTTPTransport(endpoint: try #require(URL(string: endpoint ?? "")))
    let fixture = try Fixture()
    let image = fixture.image
    let subjects = (1...100).map { Operations.issue(Int64($0), in: "widgets-5") }
    let found = try await withThrowingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          try await image.discover(subjects, with: operation, through: transport)
        }
      }
      return try await group.reduce(into: [[Discovery]]()) { $0.append($1) }
    }
    #expect(found.count == 20)
    #expect(found.allSatisfy { $0.map(\.id) == found[0].map(\.id) })
    #expect(Set(found[0].compactMap(\.id)).count == 100)
  }
}
