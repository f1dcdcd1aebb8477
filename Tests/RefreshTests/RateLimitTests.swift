import BatonImage
import BatonPlan
import Foundation
import Testing

struct RateLimitTests {
  private static let notice =
    "{\"message\":\"said\",\"documentation_url\":\"https://docs.example.test\"}"
  private static let old =
    "{\"data\":null,\"errors\":[{\"type\":\"RATE_LIMITED\",\"message\":\"said\"}]}"
  private static let newer =
    "{\"errors\":[{\"type\":\"RATE_LIMIT\",\"code\":\"graphql_rate_limit\",\"message\":\"said\"}]}"

  /// Every shape a limit comes in (S11), without a word of when it ends.
  static let shapes: [TransportResponse] = [
    TransportResponse(old), TransportResponse(newer),
    TransportResponse(notice, status: 403), TransportResponse(notice, status: 200),
    TransportResponse(notice, status: 429), TransportResponse("slow down", status: 429),
    TransportResponse("{}", status: 403, headers: ["X-RateLimit-Remaining": "0"]),
    TransportResponse(
      "{\"errors\":[{\"message\":\"\",\"extensions\":{\"code\":\"THROTTLED\"}}]}", status: 200),
  ]

  @Test(arguments: shapes)
  func `a limit in any shape is reported, and nothing more is sent`(
    _ shape: TransportResponse
  ) async throws {
    let fixture = try Fixture()
    try fixture.commit(issues: ["I_0"], title: "old")
    let transport = RecordedTransport([.success(shape)], then: Answers.service())
    let report = try await fixture.image.refresh(
      (0..<100).map { "I_\($0)" }, with: Operations.refresh, through: transport,
      options: ManualTiming().options(.report))
    #expect(transport.requests.count == 1)
    #expect(report.results.allSatisfy { $0.status.failure?.kind == .rateLimited })
    #expect(report.results[0].status.failure?.retryAt == nil)
    #expect(try fixture.image.title(of: "I_0") == "old")
  }

  @Test(arguments: shapes)
  func `a limit in any shape is waited for, a minute when nothing says how long`(
    _ shape: TransportResponse
  ) async throws {
    let fixture = try Fixture()
    let clock = ManualTiming()
    let transport = RecordedTransport([.success(shape)], then: Answers.service())
    let report = try await fixture.image.refresh(
      (0..<100).map { "I_\($0)" }, with: Operations.refresh, through: transport,
      options: clock.options())
    #expect(transport.requests.map { Answers.ids($0).count } == [50, 50, 50])
    #expect(report.counts.updated == 100)
    #expect(clock.milliseconds == [60_000])
  }

  @Test func `headers say when to come back, and retry-after before the reset`() async throws {
    let fixture = try Fixture()
    let clock = ManualTiming()
    let reset = String(Int(clock.now.timeIntervalSince1970) + 90)
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let date = formatter.string(from: clock.now + 30)
    let cases: [([String: String], ClosedRange<Int>)] = [
      (["Retry-After": "20", "X-RateLimit-Reset": reset], 20_000...20_000),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset], 68_000...90_000),
      (["Retry-After": date], 0...30_000), (["Retry-After": "soon"], 60_000...60_000),
    ]
    for (headers, expected) in cases {
      let count = clock.milliseconds.count
      let transport = RecordedTransport(
        [.success(TransportResponse(Self.notice, status: 403, headers: headers))],
        then: Answers.service())
      let report = try await fixture.image.refresh(
        ["I_a"], with: Operations.refresh, through: transport, options: clock.options())
      #expect(report.counts.failed == 0)
      let slept = clock.milliseconds.dropFirst(count).reduce(0, +)
      #expect(expected.contains(slept), "\(headers)")
    }
  }

  @Test func `a limit that outlasts the patience is reported with its end`() async throws {
    let fixture = try Fixture()
    let clock = ManualTiming()
    let transport = RecordedTransport { _, _ in
      .success(TransportResponse(Self.old, status: 200, headers: ["Retry-After": "3600"]))
    }
    let report = try await fixture.image.refresh(
      (0..<500).map { "I_\($0)" }, with: Operations.refresh, through: transport,
      options: clock.options(.wait(atMost: .seconds(600))))
    #expect(transport.requests.count == 1)
    #expect(clock.sleeps.isEmpty)
    #expect(report.results[499].status.failure?.retryAt == clock.now + 3600)
  }

  @Test func `waits without a word of their end grow`() async throws {
    let fixture = try Fixture()
    let clock = ManualTiming()
    let transport = RecordedTransport { _, _ in .success(TransportResponse(Self.newer)) }
    let report = try await fixture.image.refresh(
      ["I_a"], with: Operations.refresh, through: transport,
      options: clock.options(.wait(atMost: .seconds(300))))
    #expect(clock.milliseconds == [60_000, 120_000, 240_000])
    #expect(report.results[0].status.failure?.kind == .rateLimited)
  }

  @Test func `progress says until when a limit holds everything up`() async throws {
    let fixture = try Fixture()
    let latch = Latch()
    var timing = ManualTiming().timing
    timing.sleep = { _ in await latch.wait() }
    let now = Date()
    let passed = Latch()
    timing.now = { now }
    let transport = RecordedTransport { request, index in
      if index > 0 { await passed.wait() }
      return .success(
        index == 0
          ? TransportResponse(Self.notice, status: 429, headers: ["Retry-After": "5"])
          : TransportResponse(Answers.service()(request)))
    }
    let run = fixture.image.refreshing(
      ["I_a"], with: Operations.refresh, through: transport,
      options: RequestOptions(
        rateLimits: .wait(atMost: .seconds(10)),
        timing: Timing(now: timing.now, sleep: timing.sleep, random: { 0 })))
    var until: Date?
    for await progress in run {
      if let pausedUntil = progress.pausedUntil {
        until = pausedUntil
        run.cancel()
        latch.open()
        passed.open()
      }
    }
    #expect(until == now + 5)
    #expect(try await run.report.results[0].status.failure?.kind == .cancelled)
  }
}
