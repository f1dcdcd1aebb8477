#if os(Linux)
  import BatonImage
  import BatonPlan
  import Foundation
  import LifeSupport
  import Synchronization
  import TestSupport
  import Testing

  /// Images that nobody closes: what they hold of the system ends with the last user.
  @Suite(.timeLimit(.minutes(60)))
  struct DroppingTests {
    let folder: TemporaryFolder
    var path: String { folder.file("a.image") }

    init() throws { folder = try TemporaryFolder() }

    /// The files that this process has open.
    private func descriptors() throws -> [String] {
      let folder = "/proc/self/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      }
    }

    /// The descriptors and the parts of the map that this process has of the folder's files.
    ///
    /// By name, so that tests that run beside this one don't count.
    private func held() throws -> [String] {
      let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        .split(separator: "\n").map(String.init)
      return try (descriptors() + maps).filter { $0.contains(folder.path) }
    }

    /// Waits until nothing is held any more; what is still there after a while.
    private func leftOver() async throws -> [String] {
      _ = try await eventually { try held().isEmpty }
      return try held()
    }

    /// What is done with an image before it is dropped.
    enum Use: CaseIterable {
      case nothing, reading, committing, equalCommit, failedWrite, observing, following, events
    }

    private func work(on image: Image, _ use: Use, _ turn: Int) async throws {
      switch use {
      case .nothing: break
      case .reading: _ = try image.title(of: "I_1")
      case .committing: try image.refresh([Subject(1, title: "\(turn)")])
      case .equalCommit:
        try image.refresh([Subject(1)])
        try image.refresh([Subject(1)])
      case .failedWrite:
        _ = try? onThread { try image.write { _ in throw CancellationError() } }
      case .observing:
        var iterator = image.observe(Documents.title, id: "I_1").makeAsyncIterator()
        _ = await iterator.next()
      case .following:
        var iterator = image.changes(since: 0).makeAsyncIterator()
        _ = await iterator.next()
      case .events: _ = try image.snapshot().commit
      }
    }

    @Test(arguments: Use.allCases)
    func `hundreds of images that are dropped unclosed leave no descriptor and no map`(
      _ use: Use
    ) async throws {
      let first = try Image.open(path: path)
      try first.refresh([Subject(1)])
      try first.close()
      #expect(try held() == [])
      for turn in 1...50 {
        let file = folder.file("\(turn % 5).image")
        if turn <= 5 { try FileManager.default.copyItem(atPath: path, toPath: file) }
        // A clock that comes round after the test has ended.
        var options = Image.Options()
        options.checkpointInterval = .seconds(3600)
        if use == .events { options.events = { _ in } }
        try await work(on: Image.open(path: file, options: options), use, turn)
      }
      #expect(try await leftOver() == [])
      #expect(try Verifier.verify(at: folder.file("0.image")).isSound)
    }

    @Test func `what a dropped image committed is there in the next`() throws {
      for turn in 1...20 {
        let image = try Image.open(path: path)
        for number in 1..<turn { #expect(try image.title(of: "I_\(number)") != nil) }
        try image.refresh([Subject(turn)])
      }
      #expect(try Verifier.verify(at: path).isSound)
    }

    @Test func `a snapshot outlives its image, and the file closes with it`() async throws {
      try await useSnapshotOfDroppedImage()
      #expect(try await leftOver() == [])
    }

    private func useSnapshotOfDroppedImage() async throws {
      var image: Image? = try Image.open(path: path)
      try image?.refresh([Subject(1)])
      let snapshot = try image!.snapshot()
      image = nil
      try await Task.sleep(for: .milliseconds(100))
      #expect(try !held().isEmpty)
      let known = try snapshot.liveRecord("I_1")
      let number = try #require(known)
      let result = try snapshot.read(
        fragment: Documents.title, of: number, variables: [:], identity: .global)
      #expect(String(decoding: result.data, as: UTF8.self).contains("subject 1"))
    }

    @Test func `who follows an image keeps it open, and closes it by going`() async throws {
      let (isShown, isTold) = (Flag(), Flag())
      let titles = Task { [path] in
        var iterator = try Image.open(path: path).observe(Documents.title, id: "I_1")
          .makeAsyncIterator()
        var titles = [await iterator.next()?.title]
        isShown.raise()
        titles.append(await iterator.next()?.title)
        return titles
      }
      let feed = Task { [path] in
        var commits: [UInt64] = []
        for await change in try Image.open(path: path).changes(since: 0) {
          commits.append(change.commit)
          isTold.raise()
        }
        return commits
      }
      #expect(try await eventually { isShown.isRaised })
      _ = try Neighbour([path, "commit", "1", "0", "other"]).lines()
      #expect(try await titles.value == [nil, "other 0"])
      #expect(try await eventually { isTold.isRaised })
      #expect(try !held().isEmpty)
      feed.cancel()
      #expect(try await feed.value == [1])
      #expect(try await leftOver() == [])
    }

    @Test func `a temporary image that is dropped takes its folder along`() async throws {
      let path = try pathOfDroppedTemporary()
      #expect(try await eventually { !FileManager.default.fileExists(atPath: path) })
    }

    private func pathOfDroppedTemporary() throws -> String {
      let image = try Image.temporary()
      try image.refresh([Subject(1)])
      let files = try descriptors().filter { $0.hasSuffix("/temporary.image") }
      return try #require(files.first)
    }
  }

  /// Raised once by one task, looked at by another.
  private final class Flag: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { state.load(ordering: .acquiring) }

    func raise() { state.store(true, ordering: .releasing) }
  }
#endif
