import BatonImage
import BatonPlan
import Foundation
import Testing

struct StaleTests {
  private let hour = StalePolicy(olderThan: .seconds(3600))
  private let all = StalePolicy(olderThan: .zero)

  private func stale(
    _ image: Image, _ policy: StalePolicy, in seconds: Double = 1,
    for operation: RemoteOperation = Operations.refresh
  ) throws -> [StaleSubject] {
    try image.staleSubjects(policy, for: operation, now: Date() + seconds)
  }

  private func discover(_ numbers: [Int64], _ fixture: Fixture) async throws {
    let found = try await fixture.image.discover(
      numbers.map { Operations.issue($0) }, with: Operations.discover,
      through: RecordedTransport { request, _ in
        .success(TransportResponse(Answers.discovery(request)))
      })
    #expect(found.allSatisfy { $0.status == .discovered })
  }

  /// Refreshes by a service that has every issue but `gone`.
  @discardableResult
  private func refresh(
    _ ids: [String], _ fixture: Fixture, gone: Set<String> = []
  ) async throws -> RefreshReport {
    try await fixture.image.refresh(
      ids, with: Operations.refresh, through: service(without: gone))
  }

  private func service(without gone: Set<String> = []) -> RecordedTransport {
    RecordedTransport { request in
      let ids = Answers.ids(request)
      return Answers.nodes(
        ids.map { gone.contains($0) ? nil : Answers.issue($0) },
        errors: ids.indices.filter { gone.contains(ids[$0]) }.map(Answers.notFound))
    }
  }

  @Test func `subjects are stale when their last answer is old`() async throws {
    let fixture = try Fixture()
    try await refresh(["I_1", "I_2"], fixture)
    #expect(try stale(fixture.image, hour) == [])
    let old = try stale(fixture.image, hour, in: 3602)
    #expect(old.map(\.id) == ["I_1", "I_2"])
    #expect(old.map(\.reason) == [.old, .old])
  }

  @Test func `an equal answer makes a subject young again, and closing keeps it so`() async throws {
    let fixture = try Fixture()
    try await refresh(["I_1"], fixture)
    let first = try #require(try stale(fixture.image, all).first?.fetchedAt)
    try await Task.sleep(for: .milliseconds(5))
    let report = try await refresh(["I_1"], fixture)
    #expect(report.counts.unchanged == 1)
    let second = try #require(try stale(fixture.image, all).first?.fetchedAt)
    #expect(second > first)
    try fixture.image.close()
    let reopened = try Image.open(path: fixture.path)
    #expect(try stale(reopened, all).first?.fetchedAt == second)
  }

  @Test func `a discovered subject is as old as its fields, and lacks what was not asked`()
    async throws
  {
    let fixture = try Fixture()
    try await discover([1, 2], fixture)
    #expect(try stale(fixture.image, hour).map(\.reason) == [.incomplete, .incomplete])
    #expect(try stale(fixture.image, hour, for: Operations.refreshTitles) == [])
    let later = try stale(fixture.image, hour, in: 3602, for: Operations.refreshTitles)
    // The two were discovered beside each other: either may have come first.
    #expect(later.map(\.id).sorted() == ["I_1", "I_2"])
    #expect(later.map(\.reason) == [.old, .old])
  }

  @Test func `records of types that the operation selects nothing of are no subjects`() async throws
  {
    let fixture = try Fixture()
    try await discover([1], fixture)
    #expect(
      try fixture.image.snapshot().id(of: "repository(name:\"widgets\",owner:\"octo-org\")") != nil)
    #expect(try stale(fixture.image, all).map(\.id) == ["I_1"])
  }

  @Test func `what lists alone brought is not asked for`() async throws {
    let fixture = try Fixture()
    let list = Operations.operation(
      nil, of: "query L { recent { __typename id title } }")
    try fixture.commit(
      #"{"data":{"recent":[{"__typename":"Issue","id":"I_1","title":"t"}]}}"#, of: list, [:])
    #expect(try stale(fixture.image, all) == [])
  }

  @Test func `pinned subjects come first, then those that waited longest`() async throws {
    let fixture = try Fixture()
    for id in ["I_1", "I_2", "I_3"] {
      try await refresh([id], fixture)
      try await Task.sleep(for: .milliseconds(3))
    }
    try fixture.image.close()
    try pin("I_3", inImageAt: fixture.path)
    let image = try Image.open(path: fixture.path)
    let found = try stale(image, all)
    #expect(found.map(\.id) == ["I_3", "I_1", "I_2"])
    #expect(found.map(\.isPinned) == [true, false, false])
    var policy = all
    policy.limit = 2
    #expect(try stale(image, policy).map(\.id) == ["I_3", "I_1"])
  }

  @Test func `a pinned record is a subject whoever brought it`() async throws {
    let fixture = try Fixture()
    let list = Operations.operation(nil, of: "query L { recent { __typename id title } }")
    try fixture.commit(
      #"{"data":{"recent":[{"__typename":"Issue","id":"I_1","title":"t"}]}}"#, of: list, [:])
    #expect(try stale(fixture.image, all) == [])
    try fixture.image.close()
    try pin("I_1", inImageAt: fixture.path)
    let image = try Image.open(path: fixture.path)
    #expect(try stale(image, all).map(\.id) == ["I_1"])
  }

  @Test func `an id without an answer rests longer each time`() async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ["I_1"])
    for (misses, rest) in [(1, 15.0), (2, 30.0), (3, 60.0)] {
      try await refresh(["I_1", "garbage"], fixture, gone: ["I_1", "garbage"])
      #expect(try stale(fixture.image, all, in: rest * 60 - 300) == [])
      let found = try stale(fixture.image, all, in: rest * 60 + 5)
      #expect(found.map(\.reason) == [.missed(misses), .missed(misses)])
      #expect(Set(found.map(\.id)) == ["I_1", "garbage"])
    }
    try await refresh(["I_1"], fixture)
    #expect(try stale(fixture.image, all, in: 5).map(\.id) == ["I_1"])
  }

  /// S3.
  @Test func `a subject that is gone is not asked for ever`() async throws {
    let fixture = try Fixture()
    let ids = (0..<50).map { "I_\($0)" }
    try await refresh(ids, fixture)
    let transport = service(without: ["I_17"])
    // Each time twenty minutes have passed since the last answers.
    let timing = Timing(
      now: { Date() + 1200 }, sleep: { _ in }, random: { 0 })
    for _ in 0..<10 {
      let report = try await fixture.image.refreshStale(
        olderThan: .seconds(600), with: Operations.refresh, through: transport,
        options: RequestOptions(timing: timing))
      #expect(report.counts.unchanged == 49)
    }
    let asked = transport.requests.filter { Answers.ids($0).contains("I_17") }
    #expect(asked.count == 2)
    #expect(try fixture.image.title(of: "I_17") == "t")
  }

  @Test func `what was just refreshed is not refreshed again`() async throws {
    let fixture = try Fixture()
    try await discover([1, 2, 3], fixture)
    let transport = service()
    for expected in [3, 0] {
      let report = try await fixture.image.refreshStale(
        olderThan: .seconds(60), with: Operations.refresh, through: transport)
      #expect(report.results.count == expected)
    }
    #expect(transport.requests.count == 1)
  }

  @Test func `the same ids with other variables are other answers`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport { request in
      Answers.nodes(
        Answers.ids(request).map {
          """
          {"__typename":"Issue","id":"\($0)","title":"t","labels":{"totalCount":0,"nodes":[]}}
          """
        })
    }
    _ = try await fixture.image.refresh(
      ["I_1"], with: Operations.refreshWithLabels, variables: ["count": .int(5)],
      through: transport)
    let operation = Operations.refreshWithLabels
    let same = try fixture.image.staleSubjects(
      hour, for: operation, variables: ["count": .int(5)])
    #expect(same == [])
    let other = try fixture.image.staleSubjects(
      hour, for: operation, variables: ["count": .int(6)])
    #expect(other == [])
    try fixture.image.close()
    try pin("I_1", inImageAt: fixture.path)
    let image = try Image.open(path: fixture.path)
    let pinned = try image.staleSubjects(hour, for: operation, variables: ["count": .int(6)])
    #expect(pinned.map(\.reason) == [.incomplete])
  }

  @Test func `an operation that meets something transient leaves no times`() async throws {
    let fixture = try Fixture(identity: IdentityRules(transientTypes: ["User"]))
    let transport = RecordedTransport { request in
      Answers.nodes(
        Answers.ids(request).map {
          """
          {"__typename":"Issue","id":"\($0)","title":"t",\
          "author":{"__typename":"User","id":"U_1","login":"kim"}}
          """
        })
    }
    let report = try await fixture.image.refresh(
      ["I_1"], with: Operations.refreshWithAuthor, through: transport)
    #expect(report.results.map(\.status) == [.updated])
    try fixture.image.close()
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: fixture.path)))
    #expect(bytes.firstRange(of: Array("RefreshWithAuthor".utf8)) == nil)
    #expect(bytes.firstRange(of: Array("I_1".utf8)) != nil)
  }
}
