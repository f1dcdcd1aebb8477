import BatonImage
import Foundation
import LifeSupport
import TestSupport
import Testing

/// The commits of an image as they are made.
@Suite(.timeLimit(.minutes(60)))
struct FeedTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  @Test func `every commit comes once and in order`() async throws {
    let image = try Image.open(path: path)
    let feed = image.changes()
    let reading = Task {
      var changes: [Change] = []
      for await change in feed {
        changes.append(change)
        if change.commit == 100 { break }
      }
      return changes
    }
    let thread = Thread {
      for turn in 1...100 { _ = try? image.refresh([Subject(turn % 7, title: "\(turn)")]) }
    }
    thread.start()
    let changes = await reading.value
    #expect(changes.map(\.commit) == Array(1...100))
    #expect(changes.allSatisfy { $0.records.count == 1 && $0.firstCommit == $0.commit })
  }

  @Test func `a feed goes on from the commit it is given`() async throws {
    let image = try Image.open(path: path)
    try image.commits(1...5)
    var iterator = image.changes(since: 3).makeAsyncIterator()
    #expect(await iterator.next()?.commit == 4)
    #expect(await iterator.next()?.commit == 5)
    try image.commits(6...6)
    #expect(await iterator.next()?.commit == 6)
  }

  @Test func `a slow reader gets what it missed in one change and holds nobody up`() async throws {
    let image = try Image.open(path: path, options: .init(journalLimit: 20))
    var iterator = image.changes().makeAsyncIterator()
    try image.commits(1...1)
    #expect(await iterator.next()?.commit == 1)
    // Each turn changes another subject, far more than the journal keeps.
    for turn in 2...101 {
      try image.refresh([Subject(turn, title: "\(turn)")])
      // So that the feed looks at every few commits, as it does beside commits that take their time.
      if turn % 5 == 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
    let change = try #require(await iterator.next())
    #expect(change.firstCommit == 2)
    #expect(change.extent == .records)
    var commit = change.commit
    var keys = Set(change.records.compactMap(\.key))
    while commit < 101 {
      let next = try #require(await iterator.next())
      #expect(next.firstCommit == commit + 1)
      commit = next.commit
      keys.formUnion(next.records.compactMap(\.key))
    }
    #expect(keys == Set((2...101).map { "I_\($0)" }))
  }

  @Test func `what left the journal before anybody looked is told as unknown`() async throws {
    let image = try Image.open(path: path, options: .init(journalLimit: 3))
    try image.commits(1...10)
    var iterator = image.changes(since: 2).makeAsyncIterator()
    let change = try #require(await iterator.next())
    #expect(change.extent == .unknown)
    #expect(change.commit == 10)
    try image.commits(11...11)
    #expect(await iterator.next()?.commit == 11)
  }

  @Test func `closing ends a feed and so does cancelling its task`() async throws {
    let image = try Image.open(path: path)
    try image.commits(1...1)
    let cancelled = Task { await image.changes().first { _ in true } }
    cancelled.cancel()
    #expect(await cancelled.value == nil)
    let waiting = Task { await image.changes().first { _ in true } }
    try await Task.sleep(for: .milliseconds(20))
    try image.close()
    #expect(await waiting.value == nil)
    var late = image.changes(since: 0).makeAsyncIterator()
    #expect(await late.next() == nil)
  }

  @Test func `commits through another handle of the file are followed`() async throws {
    let image = try Image.open(path: path)
    let other = try Image.open(path: folder.path + "/./a.image")
    var iterator = image.changes().makeAsyncIterator()
    try other.commits(1...1)
    #expect(await iterator.next()?.commit == 1)
  }

  @Test func `another process's commits all come, and the time they take is told`() throws {
    let image = try Image.open(path: path)
    try image.commits(1...1)
    let follower = try Neighbour([path, "follow", "61"])
    // It says a line when it begins.
    #expect(try follower.firstLine()?.hasPrefix("0 ") == true)
    let writer = try Neighbour([path, "commit", "60", "20000", "other"])
    let latency = try Latency(from: writer.lines(), to: follower.lines())
    #expect(latency.count == 60)
    print("latency of another process's commits to a feed: \(latency)")
  }

  @Test func `a feed holds no transaction between deliveries`() async throws {
    let image = try Image.open(path: path)
    var feed = image.changes().makeAsyncIterator()
    var observation = image.observe(Documents.row, id: "I_1").makeAsyncIterator()
    try image.refresh((1...50).map { Subject($0) })
    _ = await feed.next()
    _ = await observation.next()
    func size() throws -> Int {
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
    let before = try size()
    for turn in 1...500 { try image.refresh((1...50).map { Subject($0, title: "\(turn) \($0)") }) }
    // Each commit writes some fifteen pages; without reuse the file would take thirty megabytes. The
    // pages since the last checkpoint are kept, so it is more than the first state's few.
    #expect(try size() < before + (12 << 20))
  }
}

extension Image {
  /// Commits with these numbers, one subject each.
  fileprivate func commits(_ numbers: ClosedRange<Int>) throws {
    for number in numbers { try refresh([Subject(1, title: "commit \(number)")]) }
  }
}
