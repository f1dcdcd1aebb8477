import BatonImage
import DurabilitySupport
import Foundation
import Synchronization
import TestSupport
import Testing

/// What is held for long, and the file's size meanwhile.
@Suite(.timeLimit(.minutes(60)))
struct HeldSnapshotTests {
  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  private final class Events: Sendable {
    private let list = Mutex<[ImageEvent]>([])
    func note(_ event: ImageEvent) { list.withLock { $0.append(event) } }
    /// The owners of the snapshots that were held too long.
    var owners: [String] {
      list.withLock { list in
        list.compactMap { if case .slowReader(let owner, _) = $0 { owner } else { nil } }
      }
    }
  }

  private func size() throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  @Test func `a snapshot held too long is named once, and the file grows no more after it`() throws
  {
    let events = Events()
    let image = try Image.open(
      path: path,
      options: .init(snapshotLimit: .milliseconds(50), events: { events.note($0) }))
    try Workload.mark(1, in: image)
    try Workload.fill(0..<4_000, of: image)
    try hold(image, events)
    // What was held is free once the next checkpoint was made.
    try image.flush()
    for number in 2_000..<2_100 { try Workload.mark(number, in: image) }
    let size = try size()
    for number in 2_100..<3_000 { try Workload.mark(number, in: image) }
    #expect(try self.size() <= size + size / 2)
    #expect(events.owners == ["the test"])
    try image.close()
  }

  private func hold(_ image: Image, _ events: Events) throws {
    let snapshot = try image.snapshot(owner: "the test")
    let commit = try snapshot.commit
    for number in 2...700 { try Workload.mark(number, in: image) }
    usleep(60_000)
    try Workload.mark(701, in: image)
    #expect(events.owners == ["the test"])
    #expect(try snapshot.commit == commit)
  }

  @Test func `whoever waits for changes holds nothing, however long the others commit`()
    async throws
  {
    let image = try Image.open(path: path)
    try onThread {
      try Workload.mark(1, in: image)
      try Workload.fill(0..<4_000, of: image)
    }
    let start = try size()
    var changes = image.changes(since: 1).makeAsyncIterator()
    #expect(await changes.next()?.firstCommit == 2)
    try onThread { for number in 2...1_500 { try Workload.mark(number, in: image) } }
    #expect(try size() <= 3 * start)
    #expect(await changes.next() != nil)
    try image.close()
  }

  /// Runs what holds a lock of its thread, which a task may not call directly.
  private func onThread(_ body: () throws -> Void) rethrows { try body() }
}
