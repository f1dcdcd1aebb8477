import BatonImage
import BatonPlan
import Foundation
import LifeSupport
import TestSupport
import Testing

/// What observers of a record are told, and what not.
@Suite(.timeLimit(.minutes(60)))
struct ObserverTests {
  private let opened: OpenedImage
  private var image: Image { opened.image }
  private var path: String { opened.path }

  init() throws { opened = try OpenedImage() }

  @Test func `an observer gets the state at first and then each change of what it reads`()
    async throws
  {
    try image.refresh([Subject(1)])
    var iterator = image.observe(Documents.title, id: "I_1").makeAsyncIterator()
    #expect(await iterator.next()?.title == "subject 1")
    try image.refresh([Subject(1, title: "second")])
    let second = try #require(await iterator.next())
    #expect(second.title == "second")
    #expect(second.commit == 2)
    try image.refresh([Subject(1, title: "third")])
    #expect(await iterator.next()?.title == "third")
  }

  @Test func `equal refreshes, other records and other fields deliver nothing`() async throws {
    try image.refresh((1...50).map { Subject($0) })
    let log = Log(image.observe(Documents.title, id: "I_1"))
    try await log.wait(for: 1)
    try image.refresh((1...50).map { Subject($0, title: $0 == 1 ? nil : "new \($0)") })
    try image.refresh((1...50).map { Subject($0, title: $0 == 1 ? nil : "new \($0)") })
    var closed = Subject(1)
    closed.state = "CLOSED"
    try image.refresh([closed])
    try await settle()
    #expect(log.entries.count == 1)
    try image.refresh([Subject(1, title: "at last")])
    try await log.wait(for: 2)
    #expect(log.entries.last?.title == "at last")
  }

  @Test func `another process's commits wake observers too`() async throws {
    try image.refresh((1...10).map { Subject($0) })
    let first = Log(image.observe(Documents.title, id: "I_1"))
    let last = Log(image.observe(Documents.title, id: "I_10"))
    try await first.wait(for: 1)
    try await last.wait(for: 1)
    _ = try Neighbour([path, "commit", "3", "30000", "other"]).lines()
    try await first.wait(for: 2)
    #expect(first.entries.last?.title == "other 0")
    #expect(last.entries.count == 1)
  }

  @Test func `a change of a linked record is a change of what is read`() async throws {
    try image.refresh([Subject(1, login: "ada")])
    let log = Log(image.observe(Documents.withAuthor, id: "I_1"))
    try await log.wait(for: 1)
    #expect(log.entries[0].value?.text.contains("ada") == true)
    // The record of the user alone.
    try image.commit(
      ["viewer": ["id": "U_ada", "login": "lovelace"]], of: Documents.viewer)
    try await log.wait(for: 2)
    #expect(log.entries[1].value?.text.contains("lovelace") == true)
    // Another user, whose record was not read before.
    try image.refresh([Subject(1, login: "kim")])
    try await log.wait(for: 3)
    try image.commit(["viewer": ["id": "U_ada", "login": "ada"]], of: Documents.viewer)
    try await settle()
    #expect(log.entries.count == 3)
  }

  @Test func `a field whose name the image learns later is delivered when it comes`() async throws {
    try image.refresh([Subject(1)])
    let log = Log(image.observe(Documents.withLabels, id: "I_1"))
    try await log.wait(for: 1)
    #expect(log.entries[0].value?.isComplete == false)
    try image.commit(
      [
        "node": [
          "__typename": "Issue", "id": "I_1",
          "labels": ["totalCount": 1, "nodes": [["id": "L_1", "name": "bug"]]],
        ] as [String: Any]
      ], of: Documents.labels, ["id": .string("I_1")])
    try await log.wait(for: 2)
    #expect(log.entries[1].value?.isComplete == true)
    #expect(log.entries[1].value?.text.contains("bug") == true)
  }

  @Test func `a record that comes, is deleted and comes back is told as that`() async throws {
    let log = Log(image.observe(Documents.title, id: "I_1"))
    try await log.wait(for: 1)
    #expect(log.entries[0].content == .missing)
    try image.refresh([Subject(2)])
    try image.refresh([Subject(1)])
    try await log.wait(for: 2)
    #expect(log.entries[1].title == "subject 1")
    _ = try onThread { try image.forget(id: "I_1") }
    try await log.wait(for: 3)
    #expect(log.entries[2].content == .deleted)
    try image.refresh([Subject(1, title: "back")])
    try await log.wait(for: 4)
    #expect(log.entries[3].title == "back")
    try await settle()
    #expect(log.entries.count == 4)
  }

  @Test func `an observer that knows a state is told only of what came after it`() async throws {
    try image.refresh([Subject(1)])
    let known = try image.snapshot().commit
    let quiet = Log(image.observe(Documents.title, id: "I_1", since: known))
    try await settle()
    #expect(quiet.entries.isEmpty)
    try image.refresh([Subject(1, title: "after")])
    try await quiet.wait(for: 1)
    let late = Log(image.observe(Documents.title, id: "I_1", since: known))
    try await late.wait(for: 1)
    #expect(late.entries[0].title == "after")
  }

  @Test func `a slow observer gets the newest state and nobody waits for it`() async throws {
    try image.refresh([Subject(1)])
    var iterator = image.observe(Documents.title, id: "I_1").makeAsyncIterator()
    _ = await iterator.next()
    for turn in 1...200 { try image.refresh([Subject(1, title: "\(turn)")]) }
    let newest = try #require(await iterator.next())
    #expect(newest.title == "200")
    #expect(newest.commit == 201)
  }

  @Test func `a fragment on another type is told as a failure, and closing ends an observer`()
    async throws
  {
    try image.refresh([Subject(1)])
    var iterator = image.observe(Documents.found, id: "I_1").makeAsyncIterator()
    guard case .failed(.usage)? = await iterator.next()?.content else {
      Issue.record("a usage error is expected")
      return
    }
    let waiting = Task {
      var iterator = image.observe(Documents.title, id: "I_1").makeAsyncIterator()
      _ = await iterator.next()
      return await iterator.next()
    }
    try await settle()
    try image.close()
    #expect(await waiting.value == nil)
  }

  /// Time for deliveries that must not come.
  private func settle() async throws { try await Task.sleep(for: .milliseconds(150)) }
}
