import Foundation
import LMDB
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)))
struct ClosingTests {
  let folder: TemporaryFolder
  let environment: Environment
  let table: Table

  init() throws {
    folder = try TemporaryFolder()
    environment = try Environment.open(path: folder.file("image"))
    table = try environment.openTables(["records"], creating: true)[0]
    try environment.commit { [table] transaction throws(LMDBError) in
      try transaction.put([1].span, at: 1, in: table)
    }
  }

  @Test func `every call on a closed environment says so`() throws {
    try environment.close()
    try environment.close()
    let closed: LMDBError.Code = .closed
    let calls: [() throws -> Void] = [
      { _ = try environment.read() }, { _ = try environment.write() },
      { _ = try environment.pin() }, { _ = try environment.openTables([], creating: false) },
      { try environment.synchronize() }, { try environment.clearDeadReaders() },
      { try environment.grow() }, { _ = try environment.statistics() },
      { _ = try environment.readFile(at: 0, count: 1) }, { _ = try environment.fileSize() },
      { try environment.copy(toPath: folder.file("copy")) },
    ]
    for call in calls {
      let error = #expect(throws: LMDBError.self) { try call() }
      #expect(error?.code == closed)
    }
    #expect(try folder.contents == ["image", "image-lock"])
  }

  @Test func `closing waits for a reader, gives up at its limit, and succeeds after it`() throws {
    func whileReading() throws {
      let transaction = try environment.read()
      let error = #expect(throws: LMDBError.self) {
        try environment.close(waitingAtMost: .milliseconds(20))
      }
      #expect(error?.code == .transactionsRunning)
      let span = try transaction.value(at: 1, in: table)
      #expect(span?.count == 1)
    }
    try whileReading()
    try environment.close()
    #expect(try Environment.open(path: folder.file("image")).statistics().lastTransaction > 0)
  }

  @Test func `closing waits for a pin too, and a thread's own writer can't be waited for`() throws {
    func whilePinned() throws {
      let pin = try environment.pin()
      let error = #expect(throws: LMDBError.self) {
        try environment.close(waitingAtMost: .milliseconds(20))
      }
      #expect(error?.code == .transactionsRunning)
      #expect(pin.id > 0)
    }
    func whileWriting() throws {
      let writer = try environment.write()
      let error = #expect(throws: LMDBError.self) { try environment.close() }
      #expect(error?.code == .wouldDeadlock)
      #expect(writer.id > 0)
    }
    try whileWriting()
    try environment.close()
  }

  @Test func `a reader outlives the last handle, and the file closes with it`() throws {
    let path = folder.file("other")
    func reader() throws -> ReadTransaction {
      let environment = try Environment.open(path: path)
      return try environment.read()
    }
    func use() throws {
      let transaction = try reader()
      #expect(transaction.id == 0)
      let options = Environment.Options(waitLimit: .milliseconds(20))
      let error = #expect(throws: LMDBError.self) {
        try Environment.open(path: path, options: options)
      }
      #expect(error?.code == .transactionsRunning)
    }
    try use()
    #expect(try Environment.open(path: path).statistics().lastTransaction == 0)
  }

  @Test func `handles opened, used and closed by many threads never meet a closed file`() throws {
    let path = folder.file("image")
    let failures = onThreads(8) { number in
      for round in 0..<200 {
        let handle = try Environment.open(path: path)
        let table = try handle.openTables(["records"], creating: false)[0]
        if (round + number) % 10 == 0 {
          try handle.commit { transaction throws(LMDBError) in
            try transaction.put([1].span, at: UInt64(round), in: table)
          }
        }
        if try handle.value(at: 1, in: table) != [1] { throw LMDBError(.corrupted, in: .get) }
        try handle.close()
      }
    }
    #expect(failures == [])
  }
}
