import BatonImage
import BatonPlan
import Testing

struct BatchTests {
  private func ids(_ count: Int) -> [String] { (0..<count).map { "I_\($0)" } }

  @Test func `five hundred subjects take ten requests`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport(service: Answers.service())
    let report = try await fixture.image.refresh(
      ids(500), with: Operations.refresh, through: transport)
    #expect(transport.requests.map { Answers.ids($0).count } == Array(repeating: 50, count: 10))
    #expect(report.requests == 10)
    #expect(report.counts.updated == 500)
    #expect(report.results.allSatisfy { $0.batch == 50 })
  }

  /// S5.
  @Test func `duplicates are sent once and answered in the caller's order`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport(service: Answers.service())
    let asked = ["I_a", "I_b", "I_a", "I_c", "I_b"]
    let report = try await fixture.image.refresh(
      asked, with: Operations.refresh, through: transport)
    #expect(transport.requests.map(Answers.ids) == [["I_a", "I_b", "I_c"]])
    #expect(report.results.map(\.asked) == asked)
    #expect(report.results.map(\.id) == asked)
    #expect(report.counts.updated == 3)
  }

  /// S4.
  @Test func `a refused batch costs no other and changes nothing`() async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ids(120), title: "old")
    let refusal = """
      {"data":null,"errors":[{"type":"ARGUMENT_LIMIT","path":["nodes"],"message":"too many"}]}
      """
    let service = Answers.service { _ in "new" }
    let transport = RecordedTransport { request, index in
      .success(TransportResponse(index == 1 ? refusal : service(request)))
    }
    let report = try await fixture.image.refresh(
      ids(120), with: Operations.refresh, batch: 50, through: transport,
      options: ManualTiming().options())
    #expect(transport.requests.map { Answers.ids($0).count } == [50, 50, 20])
    #expect(report.counts.updated == 70)
    #expect(report.counts.failed == 50)
    for (index, result) in report.results.enumerated() {
      let isRefused = (50..<100).contains(index)
      #expect(result.status.failure?.kind == (isRefused ? .argumentLimit : nil))
      #expect(try fixture.image.title(of: result.asked) == (isRefused ? "old" : "new"))
    }
  }

  @Test(arguments: [0, -1, 101])
  func `a width that no service takes is refused before anything is sent`(_ width: Int) async throws
  {
    let fixture = try Fixture()
    let transport = RecordedTransport(service: Answers.service())
    await #expect(throws: ImageError.usage("a batch has 1 to 100 ids, not \(width)")) {
      try await fixture.image.refresh(
        self.ids(120), with: Operations.refresh, batch: width, through: transport)
    }
    #expect(transport.requests.isEmpty)
  }

  /// S9.
  @Test(arguments: [(nil, 24), (100, 24), (49, 24), (48, 50), (0, 50)] as [(Int64?, Int)])
  func `long connections narrow the width that is chosen`(_ page: Int64?, _ width: Int) async throws
  {
    let fixture = try Fixture()
    let transport = RecordedTransport { request, _ in
      let nodes = Answers.ids(request).map {
        """
        {"__typename":"Issue","id":"\($0)","title":"t","labels":{"totalCount":1,"nodes":[]}}
        """
      }
      return .success(TransportResponse(Answers.nodes(nodes)))
    }
    let report = try await fixture.image.refresh(
      ids(60), with: Operations.refreshWithLabels,
      variables: page.map { ["count": .int($0)] } ?? [:], through: transport,
      options: ManualTiming().options())
    #expect(Answers.ids(transport.requests[0]).count == width)
    #expect(report.counts.updated == 60)
  }

  /// S9.
  @Test func `a list that comes back shorter deletes none of its records`() async throws {
    let fixture = try Fixture()
    func answer(_ labels: [String]) -> String {
      let nodes = labels.map { "{\"id\":\"\($0)\",\"name\":\"n\"}" }.joined(separator: ",")
      return Answers.nodes([
        """
        {"__typename":"Issue","id":"I_a","title":"t",\
        "labels":{"totalCount":\(labels.count),"nodes":[\(nodes)]}}
        """
      ])
    }
    let transport = RecordedTransport(
      bodies: [answer(["L_1", "L_2", "L_3", "L_4", "L_5"]), answer(["L_1", "L_2"])])
    for expected in [5, 2] {
      let report = try await fixture.image.refresh(
        ["I_a"], with: Operations.refreshWithLabels, variables: ["count": .int(5)],
        through: transport)
      #expect(report.results[0].status == .updated, "\(expected) labels")
    }
    for label in 1...5 {
      #expect(try fixture.image.reading("L_\(label)") != "{\"nodes\":[null]}")
    }
  }

  @Test func `an operation that takes no list of ids is refused`() async throws {
    let fixture = try Fixture()
    await #expect(throws: ImageError.self) {
      try await fixture.image.refresh(
        ["I_a"], with: Operations.discover, through: RecordedTransport(bodies: []))
    }
  }

  @Test func `the variable of the ids is the one the plan says or the caller chose`() async throws {
    let text = """
      query Two($a: [ID!]!, $b: [ID!]!) {
        first: nodes(ids: $a) { __typename id }
        second: nodes(ids: $b) { __typename id }
      }
      """
    var operation = Operations.operation("Two", of: text)
    let fixture = try Fixture()
    let transport = RecordedTransport(
      bodies: [#"{"data":{"first":[],"second":[{"__typename":"Issue","id":"I_a"}]}}"#])
    await #expect(throws: ImageError.self) {
      try await fixture.image.refresh(["I_a"], with: operation, through: transport)
    }
    operation.idsVariable = "b"
    let report = try await fixture.image.refresh(
      ["I_a"], with: operation, variables: ["a": .list([])], through: transport)
    #expect(report.results.map(\.status) == [.updated])
    #expect(
      transport.requests.map(\.variables) == [["a": .list([]), "b": .list([.string("I_a")])]])
  }

  @Test func `nothing to ask for sends nothing`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport(bodies: [])
    let report = try await fixture.image.refresh([], with: Operations.refresh, through: transport)
    #expect(report == RefreshReport(results: [], counts: RefreshCounts(), requests: 0))
  }

  @Test func `requests are under way together, and no more of them than asked for`() async throws {
    let fixture = try Fixture()
    let load = Load()
    let service = Answers.service()
    let transport = RecordedTransport { request, _ in
      load.enter()
      try? await Task.sleep(for: .milliseconds(5))
      load.leave()
      return .success(TransportResponse(service(request)))
    }
    let report = try await fixture.image.refresh(
      ids(60), with: Operations.refresh, batch: 5, through: transport,
      options: RequestOptions(concurrency: 3))
    #expect(report.counts.updated == 60)
    #expect((2...3).contains(load.most))
  }
}
