import BatonImage
import BatonPlan
import Testing

struct ResultTests {
  /// Refreshes ids by one recorded answer.
  private func refresh(
    _ ids: [String], _ fixture: Fixture, _ answer: String,
    with operation: RemoteOperation = Operations.refresh
  ) async throws -> [RefreshResult] {
    let report = try await fixture.image.refresh(
      ids, with: operation, through: RecordedTransport(bodies: [answer]),
      options: ManualTiming().options())
    return report.results
  }

  /// S1.
  @Test func `ids that are gone are reported in place and their records stay`() async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ["I_a"], title: "old")
    try fixture.commit(issues: ["I_gone"], title: "kept")
    let pull = """
      {"__typename":"PullRequest","id":"PR_b","number":2,"title":"p","isDraft":false,\
      "repository":{"id":"R_1","nameWithOwner":"octo-org/R_1"}}
      """
    let results = try await refresh(
      ["I_a", "PR_b", "I_gone", "not-an-id"], fixture,
      Answers.nodes(
        [Answers.issue("I_a", title: "new"), pull, nil, nil],
        errors: [Answers.notFound(2), Answers.notFound(3)]))
    #expect(results.map(\.status) == [.updated, .updated, .notFound, .notFound])
    #expect(results.map(\.misses) == [0, 0, 1, 1])
    #expect(try fixture.image.title(of: "I_a") == "new")
    #expect(try fixture.image.title(of: "I_gone") == "kept")
    #expect(try fixture.image.reading("not-an-id") == "{\"nodes\":[null]}")
  }

  /// S2.
  @Test func `not found is counted, deletes nothing, and ends with an answer`() async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ["I_a"], title: "kept")
    for count in 1...3 {
      let results = try await refresh(
        ["I_a"], fixture, Answers.nodes([nil], errors: [Answers.notFound(0)]))
      #expect(results.map(\.misses) == [count])
      #expect(try fixture.image.title(of: "I_a") == "kept")
    }
    let found = try await refresh(
      ["I_a"], fixture, Answers.nodes([Answers.issue("I_a", title: "new")]))
    #expect(found.map(\.status) == [.updated])
    #expect(found.map(\.misses) == [0])
    #expect(try fixture.image.title(of: "I_a") == "new")
  }

  /// S6.
  @Test func `errors beside data throw nothing away`() async throws {
    let fixture = try Fixture()
    let ids = (0..<50).map { "I_\($0)" }
    let nodes = ids.map { $0 == "I_17" ? nil : Answers.issue($0) }
    let results = try await refresh(
      ids, fixture, Answers.nodes(nodes, errors: [Answers.notFound(17)]))
    #expect(results.filter { $0.status == .updated }.count == 49)
    #expect(results[17].status == .notFound)
  }

  /// S12.
  @Test func `a legacy id ends as an alias of one record, and is not sent again`() async throws {
    let fixture = try Fixture()
    let legacy = "MDU6SXNzdWUwMQ=="
    try fixture.commit(
      Answers.discovery(
        TransportRequest(
          document: "", operationName: nil, variables: Operations.issue(7))
      ) { _ in legacy },
      of: Operations.discover, Operations.issue(7))
    let warning = """
      ,"extensions":{"warnings":[{"type":"DEPRECATION","message":"old",\
      "data":{"legacy_global_id":"\(legacy)","next_global_id":"I_a"}}]}
      """
    let service = Answers.service { _ in "t1" }
    let transport = RecordedTransport(
      [
        .success(
          TransportResponse(
            Answers.nodes([Answers.issue("I_a", title: "t1")], extensions: warning)))
      ], then: service)
    for isFirst in [true, false] {
      let report = try await fixture.image.refresh(
        [legacy], with: Operations.refreshTitles, through: transport)
      #expect(report.results.map(\.status) == [.moved])
      #expect(report.results.map(\.id) == ["I_a"])
      #expect(report.results.map(\.isChanged) == [isFirst])
    }
    #expect(transport.requests.map(Answers.ids) == [[legacy], ["I_a"]])
    try fixture.image.close()
    let image = try Image.open(path: fixture.path)
    #expect(try image.title(of: legacy) == "t1")
    #expect(try image.title(of: "I_a") == "t1")
    #expect(try image.snapshot().id(of: Operations.key(7)) == "I_a")
  }

  @Test func `a legacy and a new id of one record are one request, and two results`() async throws {
    let fixture = try Fixture()
    _ = try await refresh(["old"], fixture, Answers.nodes([Answers.issue("I_a", title: "1")]))
    let results = try await refresh(
      ["old", "I_a"], fixture, Answers.nodes([Answers.issue("I_a", title: "2")]))
    #expect(results.map(\.asked) == ["old", "I_a"])
    #expect(results.map(\.status) == [.moved, .updated])
    #expect(results.map(\.isChanged) == [true, true])
  }

  /// S16, case B.
  @Test func `a transferred subject is reported as moved`() async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ["I_old"], title: "t0")
    let results = try await refresh(
      ["I_old"], fixture,
      Answers.nodes([Answers.issue("I_new", title: "t1", number: 40, repository: "R_2")]))
    #expect(results.map(\.status) == [.moved])
    #expect(results.map(\.id) == ["I_new"])
    #expect(try fixture.image.title(of: "I_old") == "t1")
  }

  /// S16, case C.
  @Test func `a transfer that keeps the id is an update`() async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ["I_a"])
    let results = try await refresh(
      ["I_a"], fixture, Answers.nodes([Answers.issue("I_a", number: 40, repository: "R_2")]))
    #expect(results.map(\.status) == [.updated])
  }

  /// S25.
  @Test func `an object without an id is nobody's record`() async throws {
    let fixture = try Fixture()
    let results = try await refresh(
      ["I_x", "PR_y", "I_a"], fixture,
      Answers.nodes(["{}", "{\"__typename\":\"PullRequest\"}", Answers.issue("I_a")]))
    #expect(results[0].status.failure?.kind == .withoutId)
    #expect(results[1].status.failure?.kind == .withoutId)
    #expect(results[2].status == .updated)
    #expect(try fixture.image.reading("I_x") == "{\"nodes\":[null]}")
    #expect(try fixture.image.reading("PR_y") == "{\"nodes\":[null]}")
  }

  /// S27.
  @Test func `forbidden is told apart from not found and from other errors`() async throws {
    let fixture = try Fixture()
    let results = try await refresh(
      ["a", "b", "c", "d"], fixture,
      Answers.nodes(
        [nil, nil, nil, nil],
        errors: [
          Answers.error("FORBIDDEN", "[\"nodes\",0]"), Answers.notFound(1),
          Answers.error("SERVICE_UNAVAILABLE", "[\"nodes\",2,\"title\"]"),
        ]))
    #expect(results[0].status == .forbidden)
    #expect(results[1].status == .notFound)
    #expect(results[2].status.failure?.kind == .errors)
    #expect(
      results[2].status.failure?.message == "SERVICE_UNAVAILABLE: said by the service")
    #expect(results[3].status.failure?.kind == .noAnswer)
  }

  @Test func `an error of the tenth element is not the first one's`() async throws {
    let fixture = try Fixture()
    let ids = (0..<11).map { "I_\($0)" }
    let results = try await refresh(
      ids, fixture,
      Answers.nodes(
        ids.map { $0 == "I_1" || $0 == "I_10" ? nil : Answers.issue($0) },
        errors: [Answers.error("BOOM", "[\"nodes\",10]")]))
    #expect(results[1].status.failure?.kind == .noAnswer)
    #expect(results[10].status.failure?.message == "BOOM: said by the service")
  }

  @Test func `a short list leaves the rest without an answer`() async throws {
    let fixture = try Fixture()
    let results = try await refresh(["I_a", "I_b"], fixture, Answers.nodes([Answers.issue("I_a")]))
    #expect(results[0].status == .updated)
    #expect(results[1].status.failure?.kind == .noAnswer)
  }

  @Test func `answers in another order are each id's own`() async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ["I_a", "I_b"], title: "old")
    let results = try await refresh(
      ["I_a", "I_b"], fixture,
      Answers.nodes([Answers.issue("I_b", title: "b"), Answers.issue("I_a", title: "a")]))
    #expect(results.map(\.status) == [.updated, .updated])
    #expect(try fixture.image.title(of: "I_a") == "a")
    #expect(try fixture.image.title(of: "I_b") == "b")
  }

  @Test func `updated are the subjects of which something selected changed`() async throws {
    let fixture = try Fixture()
    func issue(_ id: String, _ title: String, _ login: String) -> String {
      """
      {"__typename":"Issue","id":"\(id)","title":"\(title)",\
      "author":{"__typename":"User","id":"U_1","login":"\(login)"}}
      """
    }
    let ids = ["I_a", "I_b"]
    func refresh(_ answers: [String]) async throws -> [RefreshResult.Status] {
      try await self.refresh(
        ids, fixture, Answers.nodes(answers), with: Operations.refreshWithAuthor
      ).map(\.status)
    }
    let first = try await refresh([issue("I_a", "a", "kim"), issue("I_b", "b", "kim")])
    #expect(first == [.updated, .updated])
    let equal = try await refresh([issue("I_a", "a", "kim"), issue("I_b", "b", "kim")])
    #expect(equal == [.unchanged, .unchanged])
    let own = try await refresh([issue("I_a", "a", "kim"), issue("I_b", "b2", "kim")])
    #expect(own == [.unchanged, .updated])
    // Both rows show the author.
    let shared = try await refresh([issue("I_a", "a", "lee"), issue("I_b", "b2", "lee")])
    #expect(shared == [.updated, .updated])
  }

  @Test func `a change another operation made is not this refresh's`() async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ["I_a"], title: "1")
    try fixture.commit(issues: ["I_a"], title: "2")
    let results = try await refresh(
      ["I_a"], fixture, Answers.nodes([Answers.issue("I_a", title: "2")]))
    #expect(results.map(\.status) == [.unchanged])
  }

  /// S24.
  @Test func `nothing is skipped because it was changed at the same time`() async throws {
    let operation = Operations.operation(
      nil,
      of:
        "query R($ids: [ID!]!) { nodes(ids: $ids) { __typename id updatedAt subIssues { totalCount } } }"
    )
    let fixture = try Fixture()
    func answer(_ count: Int) -> String {
      Answers.nodes([
        """
        {"__typename":"Issue","id":"I_a","updatedAt":"2026-01-01T00:00:00Z",\
        "subIssues":{"totalCount":\(count)}}
        """
      ])
    }
    for count in [1, 2] {
      let results = try await refresh(["I_a"], fixture, answer(count), with: operation)
      #expect(results.map(\.status) == [.updated])
    }
  }

  @Test func `what is not of the operation is a mismatch and changes nothing`() async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ["I_a", "I_b"], title: "old")
    let wrong = "{\"__typename\":\"Issue\",\"id\":\"I_b\",\"repository\":7}"
    let results = try await refresh(
      ["I_a", "I_b"], fixture, Answers.nodes([Answers.issue("I_a", title: "new"), wrong]))
    #expect(results.allSatisfy { $0.status.failure?.kind == .mismatch })
    #expect(try fixture.image.title(of: "I_a") == "old")
  }

  @Test func `ids are opaque to the last byte`() async throws {
    let fixture = try Fixture()
    let id = String(repeating: "x", count: 280) + "/=:# \u{e9}\u{1F4A5}"
    let transport = RecordedTransport(service: Answers.service())
    for status in [RefreshResult.Status.updated, .unchanged] {
      let report = try await fixture.image.refresh(
        [id], with: Operations.refresh, through: transport)
      #expect(report.results.map(\.status) == [status])
      #expect(report.results.map(\.id) == [id])
    }
    #expect(transport.requests.map(Answers.ids) == [[id], [id]])
  }
}
