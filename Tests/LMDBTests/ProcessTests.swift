import Foundation
import LMDB
import TestSupport
import Testing

/// What other processes do to a file, and what a fork does.
@Suite(.timeLimit(.minutes(60)))
struct ProcessTests {
  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  /// Carries a writer past the compiler's checks.
  private final class Holder: @unchecked Sendable {
    // SAFETY (Sendable): there is none; this is the mistake under test.
    var writer: WriteTransaction?

    func begin(_ environment: Environment) throws { writer = try environment.write() }
  }

  init() throws { folder = try TemporaryFolder() }

  @Test func `a reader that died is cleared when the table of readers is full`() async throws {
    let options = Environment.Options(maximumReaders: 3)
    let environment = try Environment.open(path: path, options: options)
    let table = try environment.openTables(["records"], creating: true)[0]
    try environment.commit { transaction throws(LMDBError) in
      try transaction.put([1].span, at: 1, in: table)
    }
    for _ in 0..<4 {
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
        let other = try Environment.open(path: path, options: .init(maximumReaders: 3))
        let reader = try other.read()
        kill(getpid(), SIGKILL)
        _ = reader.id
      }
    }
    func nested(_ depth: Int) throws -> Int {
      let reader = try environment.read()
      return depth == 1 ? reader.id : try nested(depth - 1)
    }
    #expect(try nested(3) == environment.read().id)
    #expect(try environment.clearDeadReaders() == 0)
  }

  @Test func `a writer that died in the middle leaves the last commit, and the lock`()
    async throws
  {
    let environment = try Environment.open(path: path)
    let table = try environment.openTables(["records"], creating: true)[0]
    for round in 0..<3 {
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
        let other = try Environment.open(path: path)
        let table = try other.openTables(["records"], creating: false)[0]
        try other.commit { transaction throws(LMDBError) in
          let value = [UInt8](repeating: 1, count: 100_000)
          for key in 0..<100 { try transaction.put(value.span, at: UInt64(key), in: table) }
          kill(getpid(), SIGKILL)
        }
      }
      try environment.commit { transaction throws(LMDBError) in
        try transaction.put([UInt8(round)].span, at: 1_000, in: table)
      }
      #expect(try environment.read().statistics(of: table).entries == 1)
    }
  }

  @Test(.enabled(if: Fork.isPossible, "a forked child may start no thread there"))
  func `in a forked child every call says so, and the parent never notices`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Environment.open(path: path)
      let table = try environment.openTables(["records"], creating: true)[0]
      try environment.commit { transaction throws(LMDBError) in
        try transaction.put([1].span, at: 1, in: table)
      }
      let status = try Fork.child {
        var codes: [LMDBError.Code?] = [
          code { _ = try environment.read() }, code { _ = try environment.write() },
          code { _ = try environment.pin() }, code { try environment.synchronize() },
          code { _ = try environment.openTables(["records"], creating: false) },
          code { _ = try environment.statistics() }, code { try environment.grow() },
          code { try environment.close() },
        ]
        codes.removeAll { $0 == .forked }
        return codes.isEmpty
      }
      #expect(status == 0)
      #expect(try environment.value(at: 1, in: table) == [1])
      try environment.commit { transaction throws(LMDBError) in
        try transaction.put([2].span, at: 2, in: table)
      }
      try environment.close()
    }
  }

  @Test(.enabled(if: Fork.isPossible, "a forked child may start no thread there"))
  func `transactions a fork took along end without touching the parent's`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Environment.open(path: path)
      let table = try environment.openTables(["records"], creating: true)[0]
      try environment.commit { transaction throws(LMDBError) in
        try transaction.put([1].span, at: 1, in: table)
      }
      func parent() throws {
        let reader = try environment.read()
        var writer = try environment.write()
        try writer.put([2].span, at: 2, in: table)
        let isChild = try Fork.split()
        if isChild {
          let read = code { _ = try reader.value(at: 1, in: table) }
          let put = code { try writer.put([3].span, at: 3, in: table) }
          if read != .forked || put != .forked { Fork.end(false) }
          do { try writer.commit() } catch { return }
          Fork.end(false)
        }
        let span = try reader.value(at: 1, in: table)
        if span?.count != 1 { Fork.end(false) }
        try Fork.wait()
        try writer.commit()
      }
      try parent()
      if Fork.isChild { Fork.end(true) }
      let entries = try environment.read().statistics(of: table).entries
      #expect(entries == 2)
      try environment.close()
    }
  }

  @Test(.enabled(if: Fork.isPossible, "a forked child may start no thread there"))
  func `a forked child opens the file anew, beside its parent`() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Environment.open(path: path)
      let table = try environment.openTables(["records"], creating: true)[0]
      let status = try Fork.child {
        let own = try Environment.open(path: path)
        let table = try own.openTables(["records"], creating: false)[0]
        try own.commit { transaction throws(LMDBError) in
          try transaction.put([5].span, at: 5, in: table)
        }
        try own.close()
        return true
      }
      #expect(status == 0)
      #expect(try environment.value(at: 5, in: table) == [5])
      try environment.close()
    }
  }

  @Test func `an examination knows whether another process has the file open`() async throws {
    let environment = try Environment.open(path: path)
    await #expect(processExitsWith: .success) { [path = path as String] in
      var isAlone: Bool?
      let other = try Environment.open(path: path) { file throws(LMDBError) in
        isAlone = try file.isAlone()
        return true
      }
      #expect(isAlone == false)
      try other.close()
    }
    try environment.close()
    var isAlone: Bool?
    let again = try Environment.open(path: path) { file throws(LMDBError) in
      isAlone = try file.isAlone()
      return true
    }
    #expect(isAlone == true)
    _ = try again.read()
  }

  @Test(.enabled(if: Fork.isPossible, "a forked child may start no thread there"))
  func `who opens while an examination is alone waits for its end`() async throws {
    try Environment.open(path: path).close()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Environment.open(path: path) { file throws(LMDBError) in
        guard try file.isAlone() else { return false }
        if (try? Fork.split()) == true {
          let size = try? Environment.open(path: path).fileSize()
          Fork.end(size == 10_000)
        }
        usleep(100_000)
        try file.write([0], at: 9_999)
        return true
      }
      #expect(try Fork.wait() == 0)
      #expect(try environment.fileSize() == 10_000)
    }
  }

  @Test func `processes that open, write and close at once never fail`() async throws {
    try await withThrowingTaskGroup { group in
      for number in 0..<6 {
        group.addTask {
          await #expect(processExitsWith: .success) {
            [path = path as String, number = number as Int] in
            for round in 0..<60 {
              let environment = try Environment.open(
                path: path, options: .init(synchronization: .none))
              let table = try environment.openTables(["records"], creating: true)[0]
              try environment.commit { transaction throws(LMDBError) in
                try transaction.put([1].span, at: UInt64(number * 1_000 + round), in: table)
              }
              try environment.close()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let environment = try Environment.open(path: path)
    let table = try environment.openTables(["records"], creating: false)[0]
    #expect(try environment.read().statistics(of: table).entries == 360)
    #expect(try folder.contents == ["image", "image-lock"])
  }

  @Test func `a writer ended on another thread is a mistake that traps`() async throws {
    await #expect(processExitsWith: .failure) { [path = path as String] in
      let holder = Holder()
      try holder.begin(Environment.open(path: path))
      Thread { holder.writer = nil }.start()
      sleep(10)
    }
  }
}
