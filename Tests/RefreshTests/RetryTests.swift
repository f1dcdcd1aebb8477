import BatonImage
import BatonPlan
import Foundation
import Testing

struct RetryTests {
  private let ids = (0..<8).map { "I_\($0)" }

  /// Answers that are no response, of services that are overloaded or behind a gateway (S10).
  static let breakdowns: [TransportResponse] = [
    TransportResponse(
      "<html><body><h1>502</h1></body></html>", status: 502,
      headers: ["Content-Type": "text/html", "X-GitHub-Request-Id": "AB:12"]),
    TransportResponse("{\"message\":\"went wrong\"}", status: 502),
    TransportResponse("{\"data\":{\"nodes\":[{\"__typename\":\"Issue\",\"id\":\"I_0\",\"tit"),
    TransportResponse(
      "{\"data\":{\"nodes\":[{\"__typename\":\"Issue\",\"id\":\"I_0\",\"title\":\"x\""),
    TransportResponse("", status: 200),
    TransportResponse(
      "{\"data\":null,\"errors\":[{\"type\":\"SERVICE_UNAVAILABLE\",\"message\":\"\"}]}"),
    TransportResponse(
      "{\"data\":null,\"errors\":[{\"type\":\"RESOURCE_LIMITS_EXCEEDED\",\"message\":\"\"}]}"),
  ]

  /// S10.
  @Test(arguments: breakdowns)
  func `a breakdown halves the batch and all ids are answered in the end`(
    _ breakdown: TransportResponse
  ) async throws {
    let fixture = try Fixture()
    let clock = ManualTiming()
    let transport = RecordedTransport([.success(breakdown)], then: Answers.service())
    let report = try await fixture.image.refresh(
      ids, with: Operations.refresh, through: transport, options: clock.options())
    #expect(transport.requests.map { Answers.ids($0).count } == [8, 4, 4])
    #expect(transport.requests.dropFirst().flatMap(Answers.ids) == ids)
    #expect(report.counts.updated == 8)
    #expect(report.requests == 3)
    #expect(clock.milliseconds == [1000])
  }

  @Test(arguments: [TransportError.timedOut, .tooLarge(limit: 10)])
  func `what takes too long or is too much is asked for in halves`(
    _ error: TransportError
  ) async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport([.failure(error)], then: Answers.service())
    let report = try await fixture.image.refresh(
      ids, with: Operations.refresh, through: transport, options: ManualTiming().options())
    #expect(transport.requests.map { Answers.ids($0).count } == [8, 4, 4])
    #expect(report.counts.updated == 8)
  }

  @Test func `a connection that can't be had is no reason to ask for less`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport(
      [.failure(.unreachable("no network"))], then: Answers.service())
    let report = try await fixture.image.refresh(
      ids, with: Operations.refresh, through: transport, options: ManualTiming().options())
    #expect(transport.requests.map { Answers.ids($0).count } == [8, 8])
    #expect(report.counts.updated == 8)
  }

  @Test func `one id that breaks every answer is found, reported, and alone lost`() async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ids, title: "old")
    let service = Answers.service { _ in "new" }
    let transport = RecordedTransport { request, _ in
      Answers.ids(request).contains("I_5")
        ? .success(Self.breakdowns[0]) : .success(TransportResponse(service(request)))
    }
    let clock = ManualTiming()
    let report = try await fixture.image.refresh(
      ids, with: Operations.refresh, through: transport, options: clock.options())
    #expect(transport.requests.map { Answers.ids($0).count } == [8, 4, 4, 2, 1, 1, 1, 2])
    #expect(report.counts.updated == 7)
    let failure = try #require(report.results[5].status.failure)
    #expect(failure.kind == .server)
    #expect(failure.status == 502)
    #expect(failure.requestId == "AB:12")
    #expect("\(failure)" == "the service failed (status 502, request AB:12)")
    #expect(try fixture.image.title(of: "I_5") == "old")
    #expect(clock.milliseconds == [1000, 2000, 4000, 8000])
  }

  @Test func `pauses double up to the longest and lose up to half by chance`() async throws {
    let fixture = try Fixture()
    for (chance, expected) in [(0.0, [1000, 2000, 3000, 3000]), (0.5, [750, 1500, 2250, 2250])] {
      let clock = ManualTiming(chance: chance)
      let transport = RecordedTransport { _, _ in .failure(.timedOut) }
      let report = try await fixture.image.refresh(
        ["I_a"], with: Operations.refresh, through: transport,
        options: clock.options(retry: RetryPolicy(maximumDelay: .seconds(3))))
      #expect(clock.milliseconds == expected)
      #expect(report.results[0].status.failure?.kind == .timedOut)
    }
  }

  @Test func `a service that answers nothing is not asked for ever`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport { _, _ in .success(Self.breakdowns[0]) }
    let report = try await fixture.image.refresh(
      (0..<500).map { "I_\($0)" }, with: Operations.refresh, through: transport,
      options: ManualTiming().options())
    #expect(transport.requests.count == 10)
    #expect(report.results.allSatisfy { $0.status.failure?.kind == .server })
  }

  @Test func `credentials that are not accepted end the refresh`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport { _, _ in
      .success(TransportResponse("{\"message\":\"Bad credentials\"}", status: 401))
    }
    let report = try await fixture.image.refresh(
      (0..<500).map { "I_\($0)" }, with: Operations.refresh, through: transport,
      options: ManualTiming().options())
    #expect(transport.requests.count == 1)
    #expect(report.results.allSatisfy { $0.status.failure?.kind == .unauthorized })
  }

  /// A shape of an answer, what it is sorted as, and its words.
  static let refusals: [(TransportResponse, ServiceFailure.Kind, String)] = [
    (TransportResponse("gone", status: 404), .refused, "the service refused the request"),
    (
      TransportResponse("", status: 301, headers: ["Location": "x"]), .refused,
      "the service refused the request"
    ),
    (
      TransportResponse("{\"errors\":[{\"message\":\"no scope\",\"locations\":[]}],\"data\":null}"),
      .errors, "no scope"
    ),
    (
      TransportResponse(
        """
        {"errors":[{"path":["query R"],"extensions":{"code":"undefinedField"},"message":"m"}]}
        """), .errors, "undefinedField: m"
    ),
    (
      TransportResponse(
        "{\"message\":\"m\",\"documentation_url\":\"u\"}", status: 403,
        headers: ["X-GitHub-SSO": "required"]), .refused, "m"
    ),
    (TransportResponse("[1]"), .malformed, "the answer is no response, or only a part of one"),
  ]

  @Test(arguments: 0..<refusals.count)
  func `what asking again would not cure is reported at once`(_ index: Int) async throws {
    let (response, kind, message) = Self.refusals[index]
    let fixture = try Fixture()
    let transport = RecordedTransport { _, _ in .success(response) }
    let report = try await fixture.image.refresh(
      ["I_a"], with: Operations.refresh, through: transport,
      options: ManualTiming().options(retry: RetryPolicy(attempts: kind == .malformed ? 1 : 5)))
    #expect(transport.requests.count == 1)
    #expect(report.results[0].status.failure?.kind == kind)
    #expect(report.results[0].status.failure?.message == message)
  }

  @Test func `a service that says when it is back is waited for`() async throws {
    let fixture = try Fixture()
    let clock = ManualTiming()
    let away = TransportResponse("", status: 503, headers: ["Retry-After": "7"])
    let transport = RecordedTransport([.success(away)], then: Answers.service())
    let report = try await fixture.image.refresh(
      ["I_a"], with: Operations.refresh, through: transport, options: clock.options())
    #expect(report.counts.updated == 1)
    #expect(clock.milliseconds == [7000])
  }
}
