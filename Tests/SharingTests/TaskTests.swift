import BatonImage
import DurabilitySupport
import TestSupport
import Testing

/// Many tasks on few threads.
@Suite(.timeLimit(.minutes(60)))
struct TaskTests {
  /// Commits hold a lock of their thread, which a task may not call directly.
  private static func commit(_ number: Int, to image: Image) throws {
    try Workload.mark(number, in: image)
  }

  @Test func `five hundred tasks that read, commit and give way end, and none meets an error`()
    async throws
  {
    let folder = try TemporaryFolder()
    let image = try Image.open(path: folder.file("image"))
    try onThread { try Workload.mark(1, in: image) }
    let torn = try await withThrowingTaskGroup { group in
      for number in 0..<500 {
        group.addTask {
          for _ in 0..<number % 4 { await Task.yield() }
          let before = try image.snapshot().commit
          try Self.commit(1_000 + number, to: image)
          await Task.yield()
          let isThere = try Workload.mark(in: image) >= 1_000
          return try isThere && image.snapshot().commit > before
        }
      }
      return try await group.reduce(into: 0) { count, isRight in count += isRight ? 0 : 1 }
    }
    #expect(torn == 0)
    #expect(try image.snapshot().commit == 501)
    try image.close()
    #expect(try Verifier.verify(at: folder.file("image")).isSound)
  }

  private func onThread(_ body: () throws -> Void) rethrows { try body() }
}
