import BatonImage
import BatonPlan
import Foundation
import Testing

struct CancellationTests {
  @Test func `a cancelled refresh stops at a batch's edge`() async throws {
    let fixture = try Fixture()
    let started = Latch()
    let released = Latch()
    let service = Answers.service()
    let transport = RecordedTransport { request, index in
      if index == 1 {
        started.open()
        await released.wait()
      }
      return .success(TransportResponse(service(request)))
    }
    let ids = (0..<50).map { "I_\($0)" }
    let image = fixture.image
    let task = Task {
      try await image.refresh(
        ids, with: Operations.refresh, batch: 10, through: transport,
        options: RequestOptions(concurrency: 1))
    }
    await started.wait()
    task.cancel()
    released.open()
    let report = try await task.value
    #expect(transport.requests.count == 2)
    #expect(report.counts.updated == 20)
    #expect(report.results[20...].allSatisfy { $0.status.failure?.kind == .cancelled })
    #expect(try image.title(of: "I_19") == "t")
    #expect(try image.title(of: "I_20") == nil)
  }

  @Test func `a pause ends with the cancelling, and the failure before it is told`() async throws {
    let fixture = try Fixture()
    let asleep = Latch()
    let timing = Timing(
      now: { Date() },
      sleep: { _ in
        asleep.open()
        try await Task.sleep(for: .seconds(600))
      }, random: { 0 })
    let transport = RecordedTransport { _, _ in .failure(.timedOut) }
    let image = fixture.image
    let task = Task {
      try await image.refresh(
        ["I_a"], with: Operations.refresh, through: transport,
        options: RequestOptions(timing: timing))
    }
    await asleep.wait()
    task.cancel()
    let report = try await task.value
    #expect(report.results[0].status.failure?.kind == .timedOut)
  }

  @Test func `progress counts up to the whole and ends`() async throws {
    let fixture = try Fixture()
    let transport = RecordedTransport(service: Answers.service())
    let run = fixture.image.refreshing(
      (0..<100).map { "I_\($0)" }, with: Operations.refresh, batch: 10, through: transport)
    var last = RefreshProgress(total: 0)
    for await progress in run {
      #expect(progress.total == 100)
      #expect(progress.done >= last.done)
      last = progress
    }
    #expect(last.done == 100)
    #expect(last.requests == 10)
    #expect(try await run.report.counts == last.counts)
  }

  @Test func `a run whose report is no longer waited for is cancelled with the task`() async throws
  {
    let fixture = try Fixture()
    let started = Latch()
    let released = Latch()
    let service = Answers.service()
    let transport = RecordedTransport { request, _ in
      started.open()
      await released.wait()
      return .success(TransportResponse(service(request)))
    }
    let run = fixture.image.refreshing(
      (0..<20).map { "I_\($0)" }, with: Operations.refresh, batch: 10, through: transport,
      options: RequestOptions(concurrency: 1))
    let task = Task { try await run.report }
    await started.wait()
    task.cancel()
    released.open()
    let report = try await task.value
    #expect(report.counts.updated == 10)
    #expect(report.counts.failed == 10)
    #expect(report.results.filter { $0.status.failure?.kind == .cancelled }.count == 10)
  }
}
