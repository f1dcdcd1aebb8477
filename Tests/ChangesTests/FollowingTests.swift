import BatonImage
import Foundation
import LifeSupport
import TestSupport
import Testing

/// What a reader that follows the journal knows of an image that other processes write.
///
/// `FOLLOWED_COMMITS` says how many commits they make together, 400 unless it is set.
@Suite(.timeLimit(.minutes(60)))
struct FollowingTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  private static let commits =
    ProcessInfo.processInfo.environment["FOLLOWED_COMMITS"].flatMap { Int($0) } ?? 400

  /// Starts two processes that commit together.
  private func writers() throws -> [Neighbour] {
    var generator = SeededGenerator()
    return try (0..<2).map { _ in
      let seed = String(generator.next() % 1_000_000)
      return try Neighbour([path, "mix", "\(Self.commits / 2)", seed])
    }
  }

  private func newest(_ writers: [Neighbour]) throws -> UInt64 {
    try writers.flatMap { try $0.lines() }.compactMap { UInt64($0) }.max() ?? 0
  }

  @Test func `a reader rebuilds the exact state from the journal while two processes commit`()
    throws
  {
    let image = try Image.open(path: path)
    let writers = try writers()
    var mirror = Mirror()
    var (looks, rereads) = (0, 0)
    while mirror.commit < UInt64(Self.commits / 2 * 2) {
      let before = mirror.commit
      if try !follow(image, &mirror) { rereads += 1 }
      if mirror.commit == before { Thread.sleep(forTimeInterval: 0.001) } else { looks += 1 }
    }
    #expect(try newest(writers) == UInt64(Self.commits / 2 * 2))
    print("\(mirror.commit) commits of two processes followed in \(looks) looks, \(rereads) anew")
  }

  /// Brings the mirror to a snapshot's state; whether the journal told how.
  private func follow(_ image: Image, _ mirror: inout Mirror) throws -> Bool {
    let snapshot = try image.snapshot()
    let commit = try snapshot.commit
    guard commit > mirror.commit else { return true }
    guard let changes = try changes(since: mirror.commit, in: snapshot) else {
      mirror = try Mirror(reading: snapshot)
      return false
    }
    #expect(changes.map(\.commit) == Array(mirror.commit + 1...commit))
    for change in changes { try mirror.apply(change, in: snapshot) }
    let whole = try Mirror(reading: snapshot)
    try #require(mirror == whole, "the mirror is another at commit \(commit)")
    return true
  }

  /// Nil when the image was cleared since, which leaves nothing of the journal before it.
  private func changes(
    since commit: UInt64, in snapshot: borrowing Snapshot
  ) throws -> [Change]? {
    do { return try snapshot.changes(since: commit) } catch ImageError.tooOld { return nil }
  }

  @Test func `a feed that other processes outrun still leads to the exact state`() async throws {
    // The journal keeps few commits, so that the feed has to fold them.
    let image = try Image.open(path: path, options: .init(journalLimit: 64))
    var mirror = Mirror()
    var iterator = image.changes(since: 0).makeAsyncIterator()
    let writers = try writers()
    let last = UInt64(Self.commits / 2 * 2)
    var deliveries = 0
    while mirror.commit < last {
      let change = try #require(await iterator.next())
      #expect(change.firstCommit == mirror.commit + 1)
      try mirror.apply(change, in: image.snapshot())
      deliveries += 1
      if deliveries % 16 == 0 { try await Task.sleep(for: .milliseconds(30)) }
    }
    #expect(try newest(writers) == last)
    #expect(try mirror == Mirror(reading: image.snapshot()))
    print("\(last) commits of two processes followed in \(deliveries) deliveries")
  }
}
