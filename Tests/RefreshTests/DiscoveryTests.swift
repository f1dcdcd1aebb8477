import BatonImage
import BatonPlan
import Foundation
import Testing

struct DiscoveryTests {
  private func transport() -> RecordedTransport {
    RecordedTransport { request, _ in .success(TransportResponse(Answers.discovery(request))) }
  }

  @Test func `a subject is looked up once, and known in later launches`() async throws {
    let fixture = try Fixture()
    let transport = transport()
    let first = try await fixture.image.discover(
      Operations.issue(7), with: Operations.discover, through: transport)
    #expect(first == Discovery(key: Operations.key(7), status: .discovered, id: "I_7"))
    let second = try await fixture.image.discover(
      Operations.issue(7), with: Operations.discover, through: transport)
    #expect(second == Discovery(key: Operations.key(7), status: .known, id: "I_7"))
    #expect(!second.usedNetwork)
    try fixture.image.close()
    let image = try Image.open(path: fixture.path)
    let third = try await image.discover(
      Operations.issue(7), with: Operations.discover, through: transport)
    #expect(third.status == .known)
    #expect(transport.requests.count == 1)
    #expect(transport.requests[0].operationName == "Discover")
    #expect(transport.requests[0].document == Operations.text)
  }

  @Test func `callers of the same keys share their requests`() async throws {
    let fixture = try Fixture()
    let image = fixture.image
    let transport = RecordedTransport { request, _ in
      await Task.yield()
      return .success(TransportResponse(Answers.discovery(request)))
    }
    let subjects = (0..<100).map { Operations.issue(Int64($0)) }
    let all = try await withThrowingTaskGroup { group in
      for caller in 0..<20 {
        group.addTask {
          try await image.discover(
            caller.isMultiple(of: 2) ? subjects : subjects.reversed(), with: Operations.discover,
            through: transport, options: RequestOptions(concurrency: 8))
        }
      }
      return try await group.reduce(into: [[Discovery]]()) { $0.append($1) }
    }
    #expect(transport.requests.count == 100)
    for found in all {
      let ids = Set(found.compactMap(\.id))
      #expect(ids == Set((0..<100).map { "I_\($0)" }))
    }
  }

  @Test func `many subjects are answered in the caller's order, duplicates too`() async throws {
    let fixture = try Fixture()
    let transport = transport()
    let numbers: [Int64] = [3, 1, 3, 2]
    let found = try await fixture.image.discover(
      numbers.map { Operations.issue($0) }, with: Operations.discover, through: transport)
    #expect(found.map(\.id) == ["I_3", "I_1", "I_3", "I_2"])
    #expect(transport.requests.count == 3)
  }

  /// S20.
  @Test func `a renamed repository gives its subjects a second key`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport { request, _ in
      // The service answers old names with the renamed repository.
      var request = request
      request.variables["name"] = .string("widgets")
      return .success(TransportResponse(Answers.discovery(request)))
    }
    for name in ["widgets", "widgets-old"] {
      let found = try await fixture.image.discover(
        Operations.issue(7, in: name), with: Operations.discover, through: transport)
      #expect(found.id == "I_7")
    }
    let snapshot = try fixture.image.snapshot()
    #expect(try snapshot.id(of: Operations.key(7)) == "I_7")
    #expect(try snapshot.id(of: Operations.key(7, in: "widgets-old")) == "I_7")
    #expect(
      try snapshot.id(of: "repository(name:\"widgets-old\",owner:\"octo-org\")") == "R_widgets")
  }

  @Test(arguments: [("NOT_FOUND", Discovery.Status.notFound), ("FORBIDDEN", .forbidden)])
  func `a subject that is not shown is reported, and asked for the next time`(
    _ code: String, _ status: Discovery.Status
  ) async throws {
    let fixture = try Fixture()
    let answer = """
      {"data":{"repository":{"id":"R_1","nameWithOwner":"octo-org/widgets",\
      "issueOrPullRequest":null}},"errors":[{"type":"\(code)",\
      "path":["repository","issueOrPullRequest"],"message":"said"}]}
      """
    let transport = RecordedTransport(bodies: [answer, answer])
    for _ in 0..<2 {
      let found = try await fixture.image.discover(
        Operations.issue(7), with: Operations.discover, through: transport)
      #expect(found == Discovery(key: Operations.key(7), status: status))
    }
    #expect(transport.requests.count == 2)
  }

  @Test func `failures of a discovery are tried again, and reported in their place`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport { request, index in
      if request.variables["number"] == .int(2) { return .success(RetryTests.breakdowns[0]) }
      return index == 0
        ? .failure(.timedOut) : .success(TransportResponse(Answers.discovery(request)))
    }
    let found = try await fixture.image.discover(
      [1, 2, 3].map { Operations.issue($0) }, with: Operations.discover, through: transport,
      options: ManualTiming().options())
    #expect(found.map(\.id) == ["I_1", nil, "I_3"])
    guard case .failed(let failure) = found[1].status else {
      Issue.record("\(found[1])")
      return
    }
    #expect(failure.kind == .server)
    #expect(transport.requests.count == 2 + 5 + 1)
  }

  @Test func `a key that was forgotten is discovered again`() async throws {
    let fixture = try Fixture()
    let transport = transport()
    for _ in 0..<2 {
      let found = try await fixture.image.discover(
        Operations.issue(7), with: Operations.discover, through: transport)
      #expect(found.status == .discovered)
      try forget(Operations.key(7), in: fixture.image)
    }
  }

  private func forget(_ key: String, in image: Image) throws {
    #expect(try image.forget(naturalKey: key) != nil)
  }

  @Test func `an image for reading alone answers what it knows and asks for nothing`() async throws
  {
    let fixture = try Fixture()
    _ = try await fixture.image.discover(
      Operations.issue(7), with: Operations.discover, through: transport())
    try fixture.image.close()
    let image = try Image.open(path: fixture.path, options: Image.Options(isReadOnly: true))
    let transport = RecordedTransport(bodies: [])
    let known = try await image.discover(
      Operations.issue(7), with: Operations.discover, through: transport)
    #expect(known.id == "I_7")
    await #expect(throws: ImageError.self) {
      try await image.discover(Operations.issue(8), with: Operations.discover, through: transport)
    }
    await #expect(throws: ImageError.usage("the image was opened for reading alone")) {
      try await image.refresh(["I_7"], with: Operations.refresh, through: transport)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test func `an operation that looks nothing up is refused`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport(bodies: [])
    await #expect(throws: ImageError.self) {
      try await fixture.image.discover(
        ["ids": .list([])], with: Operations.refresh, through: transport)
    }
    await #expect(throws: ImageError.usage("variable $name has no value and no default")) {
      try await fixture.image.discover(
        ["owner": .string("o")], with: Operations.discover, through: transport)
    }
  }
}
