import BatonImage
import BatonPlan
import Foundation
import TestSupport
import Testing

/// S39: signing out while answers are under way.
struct ClosingTests {
  private static let secret = "SECRET-OF-A"

  /// A refresh for account A whose answer is held, signed out meanwhile.
  ///
  /// `release` is opened by the caller; `started` opens when the request is under way.
  private func transport(_ started: Latch, _ release: Latch) -> RecordedTransport {
    let service = Answers.service { _ in Self.secret }
    return RecordedTransport { request, _ in
      started.open()
      await release.wait()
      return .success(TransportResponse(service(request)))
    }
  }

  private func open(_ path: String, account: String) throws -> Image {
    try Image.open(path: path, options: Image.Options(account: account))
  }

  private func contents(of folder: TemporaryFolder) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for name in try folder.contents {
      bytes += try Data(contentsOf: folder.url.appending(path: name))
    }
    return bytes
  }

  @Test func `an answer that comes after signing out ends as closed and is written nowhere`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("image")
    let image = try open(path, account: "A")
    let (started, release) = (Latch(), Latch())
    let transport = transport(started, release)
    let task = Task {
      try await image.refresh(["I_a"], with: Operations.refresh, through: transport)
    }
    await started.wait()
    try image.close()
    for name in try folder.contents {
      try FileManager.default.removeItem(at: folder.url.appending(path: name))
    }
    let other = try open(path, account: "B")
    release.open()
    await #expect(throws: ImageError.closed) { try await task.value }
    #expect(try other.title(of: "I_a") == nil)
    try other.close()
    let bytes = try contents(of: folder)
    #expect(bytes.firstRange(of: Array(Self.secret.utf8)) == nil)
    #expect(bytes.firstRange(of: Array("I_a".utf8)) == nil)
  }

  @Test func `no file comes back when there is none after signing out`() async throws {
    let folder = try TemporaryFolder()
    let image = try open(folder.file("image"), account: "A")
    let (started, release) = (Latch(), Latch())
    let transport = transport(started, release)
    let task = Task {
      try await image.refresh(["I_a"], with: Operations.refresh, through: transport)
    }
    await started.wait()
    try image.close()
    for name in try folder.contents {
      try FileManager.default.removeItem(at: folder.url.appending(path: name))
    }
    release.open()
    await #expect(throws: ImageError.closed) { try await task.value }
    #expect(try folder.contents == [])
  }

  @Test func `answers that race with closing are committed whole or end as closed`() async throws {
    for _ in 0..<20 {
      let folder = try TemporaryFolder()
      let path = folder.file("image")
      let image = try open(path, account: "A")
      let service = Answers.service { _ in Self.secret }
      let task = Task {
        try await image.refresh(
          (0..<40).map { "I_\($0)" }, with: Operations.refresh, batch: 4,
          through: RecordedTransport(service: service))
      }
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<3000)))
      try image.close()
      let report: RefreshReport?
      do { report = try await task.value } catch {
        #expect(error as? ImageError == .closed)
        report = nil
      }
      let reopened = try open(path, account: "A")
      for start in stride(from: 0, to: 40, by: 4) {
        let titles = try (start..<start + 4).map { try reopened.title(of: "I_\($0)") }
        #expect(Set(titles).count == 1, "a batch is whole or missing")
        if report != nil { #expect(titles[0] == Self.secret) }
      }
      try reopened.close()
    }
  }

  @Test func `a discovery under way ends as closed, for all who wait for it`() async throws {
    let fixture = try Fixture()
    let (started, release) = (Latch(), Latch())
    let transport = RecordedTransport { request, _ in
      started.open()
      await release.wait()
      return .success(TransportResponse(Answers.discovery(request)))
    }
    let image = fixture.image
    let tasks = (0..<3).map { _ in
      Task {
        try await image.discover(
          Operations.issue(1), with: Operations.discover, through: transport)
      }
    }
    await started.wait()
    try image.close()
    release.open()
    for task in tasks { await #expect(throws: ImageError.closed) { try await task.value } }
  }

  @Test func `a closed image asks for nothing`() async throws {
    let fixture = try Fixture()
    try fixture.image.close()
    let transport = RecordedTransport(bodies: [])
    await #expect(throws: ImageError.closed) {
      try await fixture.image.refresh(["I_a"], with: Operations.refresh, through: transport)
    }
    await #expect(throws: ImageError.closed) {
      try await fixture.image.discover(
        Operations.issue(1), with: Operations.discover, through: transport)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test func `another account's image is refused`() throws {
    let folder = try TemporaryFolder()
    try open(folder.file("image"), account: "A").close()
    #expect(throws: ImageError.incompatible("the image is another account's")) {
      try open(folder.file("image"), account: "B")
    }
  }
}
