import BatonImage
import DurabilitySupport
import Foundation
import TestSupport
import Testing

/// An image in a process that forks; each test in a process of its own.
@Suite(.enabled(if: Fork.isPossible, "a forked child may start no thread there"))
struct ForkTests {
  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  @Test func `in a forked child every call says so, and the parent goes on`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let image = try Image.open(path: path)
      try Workload.mark(1, in: image)
      let status = try Fork.child {
        let calls: [() throws -> Void] = [
          { _ = try image.snapshot() }, { try Workload.mark(2, in: image) },
          { try image.flush() }, { try image.forget(id: "S1") }, { try image.close() },
        ]
        return calls.allSatisfy { call in
          do { try call() } catch { return error as? ImageError == .forked }
          return false
        }
      }
      #expect(status == 0)
      #expect(try Workload.mark(in: image) == 1)
      try Workload.mark(2, in: image)
      try image.close()
      #expect(try Verifier.verify(at: path).isSound)
    }
  }

  @Test func `a child that only ends takes nothing of its parent's along`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let image = try Image.open(path: path)
      try Workload.mark(1, in: image)
      let snapshot = try image.snapshot()
      // With the handlers that a process has for its end.
      if try Fork.split() { exit(0) }
      #expect(try Fork.wait() == 0)
      let before = try snapshot.commit
      for number in 2...200 { try Workload.mark(number, in: image) }
      #expect(try snapshot.commit == before)
      #expect(try Workload.mark(in: image) == 200)
    }
  }

  @Test func `a child opens the image anew, beside its parent`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let image = try Image.open(path: path)
      try Workload.mark(1, in: image)
      let status = try Fork.child {
        let own = try Image.open(path: path)
        try Workload.mark(2, in: own)
        return try Workload.mark(in: own) == 2
      }
      #expect(status == 0)
      #expect(try Workload.mark(in: image) == 2)
      try Workload.mark(3, in: image)
      try image.close()
      #expect(try Verifier.verify(at: path).isSound)
    }
  }
}
