import BatonImage
import LifeSupport
import TestSupport
import Testing

/// Which observers a refresh of fifty rows wakes: those of the rows that changed, once each.
@Suite(.timeLimit(.minutes(60)))
struct WakingTests {
  private let opened: OpenedImage
  private var image: Image { opened.image }
  private var path: String { opened.path }

  init() throws { opened = try OpenedImage() }

  /// An observer a row.
  private func observers() async throws -> [Log] {
    try image.refresh((1...50).map { Subject($0) })
    let logs = (1...50).map { Log(image.observe(Documents.row, id: "I_\($0)")) }
    for log in logs { try await log.wait(for: 1) }
    return logs
  }

  private func refresh(_ title: String, changing changed: Set<Int> = []) throws {
    try image.refresh((1...50).map { Subject($0, title: changed.contains($0) ? title : nil) })
  }

  /// Expects deliveries beyond the first: so many of the rows named, and none of others.
  private func expect(_ count: Int, of rows: Set<Int>, in logs: [Log]) async throws {
    for row in rows { try await logs[row - 1].wait(for: 1 + count) }
    // Time for deliveries that must not come.
    try await Task.sleep(for: .milliseconds(150))
    for (index, log) in logs.enumerated() {
      let expected = 1 + (rows.contains(index + 1) ? count : 0)
      #expect(log.entries.count == expected, "row \(index + 1)")
    }
  }

  @Test func `three rows of fifty wake three observers, once each, and an equal refresh none`()
    async throws
  {
    let logs = try await observers()
    try refresh("new")
    try refresh("new")
    try await expect(0, of: [], in: logs)
    try refresh("new", changing: [7, 20, 33])
    try await expect(1, of: [7, 20, 33], in: logs)
    try refresh("new", changing: [7, 20, 33])
    try await expect(1, of: [7, 20, 33], in: logs)
    #expect(logs[6].entries.last?.title == "new")
  }

  @Test func `another process's refresh wakes the same observers, and its equal one none`()
    async throws
  {
    let logs = try await observers()
    _ = try Neighbour([path, "rows", "50", "other"]).lines()
    try await expect(0, of: [], in: logs)
    _ = try Neighbour([path, "rows", "50", "other", "1", "25", "50"]).lines()
    try await expect(1, of: [1, 25, 50], in: logs)
    #expect(logs[24].entries.last?.title == "other 25")
    _ = try Neighbour([path, "rows", "50", "other", "1", "25", "50"]).lines()
    try await expect(1, of: [1, 25, 50], in: logs)
  }

  @Test func `another process's commits reach observers, and the time they take is told`() throws {
    try image.refresh((1...10).map { Subject($0) })
    let observer = try Neighbour([path, "observe", "10", "61"])
    for _ in 1...10 { #expect(try observer.firstLine()?.hasPrefix("0 ") == true) }
    let writer = try Neighbour([path, "commit", "60", "20000", "other"])
    let latency = try Latency(from: writer.lines(), to: observer.lines())
    // The last state of each row comes in any case; one that is slow may miss those before.
    #expect(latency.count >= 10)
    print("latency of another process's commits to observers: \(latency)")
  }

  @Test func `observers and feeds hold no transaction while they wait`() async throws {
    let logs = try await observers()
    var feed = image.changes(since: 0).makeAsyncIterator()
    _ = await feed.next()
    try refresh("new", changing: [1])
    try await logs[0].wait(for: 2)
    try await expect(1, of: [1], in: logs)
    guard let readers = try UntrustedImage(path: path).summary().readers else { return }
    #expect(readers.filter { $0.transaction != nil && $0.isAlive }.count <= 1, "\(readers)")
    // The checkpointer's pin is the one; without writers it lets go of that too.
    #expect(try await eventually { try !isRead() })
    #expect(logs.count == 50)
  }

  private func isRead() throws -> Bool {
    let readers = try UntrustedImage(path: path).summary().readers ?? []
    return readers.contains { $0.transaction != nil }
  }
}
