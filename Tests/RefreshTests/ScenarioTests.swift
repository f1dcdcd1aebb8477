import BatonImage
import BatonPlan
import Foundation
import Synchronization
import Testing

/// Situations of services that fail in part, with what the image is like afterwards.
@Suite(.timeLimit(.minutes(60))) struct ScenarioTests {
  private let ids = (0..<8).map { "I_\($0)" }

  /// When each id had its last answer.
  private func ages(_ image: Image) throws -> [String: Date] {
    let stale = try image.staleSubjects(
      StalePolicy(olderThan: .zero), for: Operations.refresh, now: Date() + 10)
    return Dictionary(
      stale.compactMap { subject in subject.fetchedAt.map { (subject.id, $0) } },
      uniquingKeysWith: { $1 })
  }

  /// A fixture whose ids were refreshed once, some milliseconds ago.
  private func refreshed(_ ids: [String]) async throws -> (Fixture, [String: Date]) {
    let fixture = try Fixture()
    _ = try await fixture.image.refresh(
      ids, with: Operations.refresh,
      through: RecordedTransport(service: Answers.service { _ in "old" }))
    try await Task.sleep(for: .milliseconds(5))
    let ages = try ages(fixture.image)
    #expect(ages.count == ids.count)
    return (fixture, ages)
  }

  /// What must not have happened when an answer was none.
  private func expectUntouched(
    _ fixture: Fixture, _ ids: [String], _ before: [String: Date], commit: UInt64
  ) throws {
    #expect(try fixture.image.snapshot().commit == commit)
    #expect(
      try ages(fixture.image).filter { ids.contains($0.key) }
        == before.filter { ids.contains($0.key) })
    for id in ids { #expect(try fixture.image.title(of: id) == "old") }
  }

  /// S4.
  @Test func `the ids of a refused batch are as old as before, those of the others are young`()
    async throws
  {
    let ids = (0..<120).map { "I_\($0)" }
    let (fixture, before) = try await refreshed(ids)
    let refusal = """
      {"data":null,"errors":[{"type":"ARGUMENT_LIMIT","path":["nodes"],"message":"too many"}]}
      """
    let service = Answers.service { _ in "new" }
    let transport = RecordedTransport { request, index in
      .success(TransportResponse(index == 1 ? refusal : service(request)))
    }
    let report = try await fixture.image.refresh(
      ids, with: Operations.refresh, batch: 50, through: transport,
      options: ManualTiming().options())
    #expect(report.counts.failed == 50)
    let after = try ages(fixture.image)
    for (index, id) in ids.enumerated() {
      let isRefused = (50..<100).contains(index)
      let (then, now) = (try #require(before[id]), try #require(after[id]))
      #expect(isRefused ? now == then : now > then, "\(id)")
    }
  }

  /// S9: a service that shortens what it nests when a request is wide.
  private func shortening() -> RecordedTransport {
    RecordedTransport { request in
      let ids = Answers.ids(request)
      let count = ids.count <= 40 ? 5 : 2
      return Answers.nodes(
        ids.map { id in
          let labels = (0..<count).map { "{\"id\":\"\(id)_L\($0)\",\"name\":\"n\"}" }
          return """
            {"__typename":"Issue","id":"\(id)","title":"t",\
            "labels":{"totalCount":\(count),"nodes":[\(labels.joined(separator: ","))]}}
            """
        })
    }
  }

  private func labels(_ image: Image, _ id: String) throws -> String {
    let result = try image.snapshot().read(
      Operations.refreshWithLabels.plan,
      variables: ["ids": .list([.string(id)]), "count": .int(100)])
    return String(decoding: result.data, as: UTF8.self)
  }

  /// S9.
  @Test func `a width that loses is told by its results, and the chosen one brings all back`()
    async throws
  {
    let fixture = try Fixture()
    let ids = (0..<60).map { "I_\($0)" }
    for (batch, width, count) in [(24, 24, 5), (60, 60, 2), (nil, 24, 5)] as [(Int?, Int, Int)] {
      let report = try await fixture.image.refresh(
        ids, with: Operations.refreshWithLabels, variables: ["count": .int(100)], batch: batch,
        through: shortening(), options: ManualTiming().options())
      #expect(report.results.allSatisfy { $0.status == .updated })
      #expect(report.results[0].batch == width)
      for id in ids {
        #expect(try labels(fixture.image, id).contains("\"totalCount\":\(count),"))
      }
    }
    // Those that the wide answer left out are records still, in the next launch too.
    _ = try await fixture.image.refresh(
      ids, with: Operations.refreshWithLabels, variables: ["count": .int(100)], batch: 60,
      through: shortening())
    try fixture.image.close()
    let image = try Image.open(path: fixture.path)
    for id in ids {
      #expect(try labels(image, id).contains("\"totalCount\":2,"))
      #expect(try image.snapshot().number(ofRecord: "\(id)_L4") != nil)
    }
  }

  /// S10.
  @Test(arguments: RetryTests.breakdowns.indices)
  func `a breakdown that lasts is a failure with its status and commits nothing`(
    _ index: Int
  ) async throws {
    let breakdown = RetryTests.breakdowns[index]
    let (fixture, before) = try await refreshed(ids)
    let commit = try fixture.image.snapshot().commit
    let report = try await fixture.image.refresh(
      ids, with: Operations.refresh, through: RecordedTransport { _, _ in .success(breakdown) },
      options: ManualTiming().options())
    #expect(report.counts.failed == ids.count)
    for result in report.results {
      let failure = try #require(result.status.failure)
      #expect([.server, .malformed, .resourceLimit].contains(failure.kind))
      #expect(failure.status == breakdown.status)
      #expect(failure.requestId == (index == 0 ? "AB:12" : nil))
    }
    try expectUntouched(fixture, ids, before, commit: commit)
    try fixture.image.close()
    let image = try Image.open(path: fixture.path)
    #expect(try image.title(of: "I_0") == "old")
    #expect(try ages(image) == before)
  }

  /// S11.
  @Test(arguments: RateLimitTests.shapes.indices)
  func `a limit of any shape leaves records and their ages as they were`(_ index: Int) async throws
  {
    let shape = RateLimitTests.shapes[index]
    let (fixture, before) = try await refreshed(ids)
    let commit = try fixture.image.snapshot().commit
    let report = try await fixture.image.refresh(
      ids, with: Operations.refresh, through: RecordedTransport { _, _ in .success(shape) },
      options: ManualTiming().options(.report))
    #expect(report.results.allSatisfy { $0.status.failure?.kind == .rateLimited })
    try expectUntouched(fixture, ids, before, commit: commit)
  }

  /// S16: what the app asks for, transferred meanwhile, is what it asks for the next time.
  @Test func `a pinned subject that was transferred is refreshed by its new id, and stays pinned`()
    async throws
  {
    let fixture = try Fixture()
    try fixture.commit(issues: ["I_old"])
    try pin(fixture.image, "I_old")
    let moved = Answers.issue("I_new", title: "t1", number: 40, repository: "R_2")
    let transport = RecordedTransport(bodies: [Answers.nodes([moved]), Answers.nodes([moved])])
    _ = try await fixture.image.refresh(["I_old"], with: Operations.refresh, through: transport)
    try fixture.image.close()
    let image = try Image.open(path: fixture.path)
    let stale = try image.staleSubjects(
      StalePolicy(olderThan: .zero), for: Operations.refresh, now: Date() + 1)
    #expect(stale.map(\.id) == ["I_new"])
    #expect(stale.map(\.isPinned) == [true])
    let report = try await image.refresh(
      ["I_old"], with: Operations.refresh, through: transport)
    #expect(transport.requests.map(Answers.ids) == [["I_old"], ["I_new"]])
    #expect(report.results.map(\.status) == [.moved])
    #expect(report.results.map(\.isChanged) == [false])
  }

  private func pin(_ image: Image, _ id: String) throws { try image.pin(id) }

  /// S39: an answer that waits behind another writer when the user signs out.
  @Test func `an answer that waits for the writer is written whole before closing or not at all`()
    async throws
  {
    for round in 0..<10 {
      let fixture = try Fixture()
      let image = fixture.image
      let started = Latch()
      let service = Answers.service { _ in "SECRET-OF-A" }
      let transport = RecordedTransport { request, _ in
        started.open()
        return .success(TransportResponse(service(request)))
      }
      let ids = self.ids
      let holding = Task.detached { try Self.hold(image, milliseconds: round % 5) }
      let task = Task {
        try await image.refresh(ids, with: Operations.refresh, through: transport)
      }
      await started.wait()
      try await Task.sleep(for: .microseconds(300 * round))
      try image.close()
      _ = try? await holding.value
      do {
        let report = try await task.value
        #expect(report.counts.updated == ids.count)
      } catch {
        #expect(error as? ImageError == .closed)
      }
      let bytes = try Data(contentsOf: URL(filePath: fixture.path))
      let reopened = try Image.open(path: fixture.path)
      #expect(Set(try ids.map { try reopened.title(of: $0) }).count == 1)
      try reopened.close()
      #expect(!bytes.isEmpty)
    }
  }

  /// Keeps the writer's lock for a while.
  private static func hold(_ image: Image, milliseconds: Int) throws {
    try image.write { editor in
      let record = try editor.record("held", type: "Issue")
      Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
      try editor.set("title", to: "held", on: record)
    }
  }
}
