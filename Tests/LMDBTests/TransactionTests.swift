import Foundation
import LMDB
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)))
struct TransactionTests {
  private let fixture: OneTable
  private var folder: TemporaryFolder { fixture.folder }
  private var environment: Environment { fixture.environment }
  private var table: Table { fixture.table }

  init() throws { fixture = try OneTable() }

  private func put(_ bytes: [UInt8], at key: UInt64) throws {
    try environment.commit { transaction throws(LMDBError) in
      try transaction.put(bytes.span, at: key, in: table)
    }
  }

  @Test func `a writer sees its writes, others see them from the commit on`() throws {
    let before = try environment.read()
    var writer = try environment.write()
    try writer.put([5].span, at: 5, in: table)
    if let span = try writer.value(at: 5, in: table) { #expect(span[0] == 5) }
    #expect(try environment.value(at: 5, in: table) == nil)
    let id = writer.id
    try writer.commit()
    #expect(try environment.value(at: 5, in: table) == [5])
    #expect(try environment.read().id == id)
    let old = try before.value(at: 5, in: table)
    #expect(old?.count == nil)
    #expect(before.id == id - 1)
  }

  @Test func `a writer that goes out of scope leaves nothing, and the next one begins`() throws {
    func abandoned() throws {
      var writer = try environment.write()
      try writer.put([1].span, at: 1, in: table)
    }
    let before = try environment.statistics()
    for _ in 0..<3 { try abandoned() }
    #expect(try environment.value(at: 1, in: table) == nil)
    #expect(try environment.statistics() == before)
    try put([2], at: 1)
  }

  @Test func `a commit of nothing writes nothing, and the writer knows`() throws {
    let before = try environment.statistics()
    var writer = try environment.write()
    try writer.delete(at: 1, in: table)
    #expect(writer.hasWritten == false)
    try writer.commit()
    #expect(try environment.statistics() == before)
    var second = try environment.write()
    let empty: [UInt8] = []
    try second.put(empty.span, at: 1, in: table)
    #expect(second.hasWritten == true)
    try second.commit()
    #expect(try environment.value(at: 1, in: table) == [])
  }

  @Test(arguments: [0, 1, 255, 4_000, 5_000, 1_000_000])
  func `a value of any size comes back as it went in`(_ count: Int) throws {
    var generator = SeededGenerator()
    let bytes = generator.bytes(count: count)
    try put(bytes, at: .max)
    #expect(try environment.value(at: .max, in: table) == bytes)
  }

  @Test func `room for a value is zero, and what is written into it is the value`() throws {
    try put([UInt8](repeating: 0xEE, count: 2_000), at: 1)
    try environment.commit { transaction throws(LMDBError) in
      try transaction.delete(at: 1, in: table)
      var room = try transaction.reserve(count: 1_000, at: 2, in: table)
      for index in 0..<10 { room[index] = UInt8(index) }
    }
    let expected = [UInt8](0..<10) + [UInt8](repeating: 0, count: 990)
    #expect(try environment.value(at: 2, in: table) == expected)
  }

  @Test func `appending is refused where the key isn't above all others`() throws {
    try put([1], at: 10)
    var writer = try environment.write()
    #expect(code { try writer.put([2].span, at: 10, in: table, appending: true) } == .keyExists)
    #expect(code { try writer.put([2].span, at: 9, in: table, appending: true) } == .keyExists)
    try writer.put([2].span, at: 11, in: table, appending: true)
    try writer.commit()
    #expect(try environment.value(at: 10, in: table) == [1])
    #expect(try environment.value(at: 11, in: table) == [2])
  }

  @Test func `a table cleared is empty, and still a table`() throws {
    for key in 0..<100 { try put([1], at: UInt64(key)) }
    try environment.commit { transaction throws(LMDBError) in try transaction.clear(table) }
    let reader = try environment.read()
    #expect(try reader.statistics(of: table).entries == 0)
    try put([3], at: 3)
    #expect(try environment.value(at: 3, in: table) == [3])
  }

  @Test func `a second writer of the same thread is refused, of another one it waits`() throws {
    let writer = try environment.write()
    #expect(code { _ = try environment.write() } == .wouldDeadlock)
    #expect(code { try environment.grow() } == .wouldDeadlock)
    let failures = onThreads(2) { [environment] _ in
      _ = try environment.write(waitingAtMost: .milliseconds(10))
    }
    let expected = LMDBError(.transactionsRunning, in: .beginWrite).description
    #expect(failures == [expected, expected])
    try writer.commit()
    _ = try environment.write(waitingAtMost: .milliseconds(10))
  }

  @Test func `writers of many threads follow one another, and no write is lost`() throws {
    try put([UInt8](repeating: 0, count: 8), at: 0)
    let failures = onThreads(8) { [environment, table] _ in
      for _ in 0..<50 {
        try environment.commit { transaction throws(LMDBError) in
          var count: [UInt8] = []
          if let span = try transaction.value(at: 0, in: table) { count = [UInt8](copying: span) }
          let (low, carry) = count[0].addingReportingOverflow(1)
          count[0] = low
          if carry { count[1] += 1 }
          try transaction.put(count.span, at: 0, in: table)
        }
      }
    }
    #expect(failures == [])
    #expect(try environment.value(at: 0, in: table) == [144, 1, 0, 0, 0, 0, 0, 0])
  }

  @Test func `more readers at once than there are slots are readers all the same`() throws {
    func nested(_ depth: Int) throws -> Int {
      let reader = try environment.read()
      if depth == 0 { return reader.id }
      return try nested(depth - 1)
    }
    let id = try environment.read().id
    for _ in 0..<3 { #expect(try nested(100) == id) }
    #expect(code { _ = try nested(200) } == .readersFull)
    #expect(try nested(100) == id)
    #expect(try environment.statistics().usedReaders <= 126)
  }

  @Test func `a table of another file is refused`() throws {
    let other = try Environment.open(path: folder.file("other"))
    #expect(code { _ = try other.value(at: 1, in: table) } == .badTable)
    var writer = try other.write()
    #expect(code { try writer.put([1].span, at: 1, in: table) } == .badTable)
    try writer.commit()
  }

  @Test func `tables are opened in order, made where asked for, and missing ones named`() throws {
    let before = try environment.statistics().lastTransaction
    let names = ["a", "records"]
    #expect(code { _ = try environment.openTables(names, creating: false) } == .notFound)
    #expect(try environment.openTables(["records"], creating: true) == [table])
    #expect(try environment.statistics().lastTransaction == before)
    let made = try environment.openTables(["a", "records", "b"], creating: true)
    #expect(made[1] == table && Set(made).count == 3)
    #expect(try environment.statistics().lastTransaction == before + 1)
    let many = (0..<20).map { "table\($0)" }
    #expect(code { _ = try environment.openTables(many, creating: true) } == .tablesFull)
    #expect(try environment.openTables(["a"], creating: false) == [made[0]])
    // A handle from the transaction that failed isn't used, and nothing was made.
    #expect(code { _ = try environment.openTables(["table0"], creating: false) } == .notFound)
  }

  @Test func `a copy holds the newest commit, is the owner's alone, and replaces nothing`() throws {
    for key in 0..<500 { try put([UInt8](repeating: 1, count: 500), at: UInt64(key)) }
    for compacting in [false, true] {
      let path = folder.file("copy-\(compacting)")
      try environment.copy(toPath: path, compacting: compacting)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(code { try environment.copy(toPath: path) } == .other(EEXIST))
      let copy = try Environment.open(path: path)
      let records = try copy.openTables(["records"], creating: false)[0]
      #expect(try copy.read().statistics(of: records).entries == 500)
    }
  }

  @Test func `bytes of the file are read through the open environment`() throws {
    try put([1], at: 1)
    let pages = try environment.statistics().lastPage + 1
    let size = try environment.fileSize()
    #expect(size <= pages * (try environment.statistics().pageSize))
    let bytes = try Data(contentsOf: URL(filePath: folder.file("image")))
    #expect(try environment.readFile(at: 0, count: size + 100) == [UInt8](bytes))
    #expect(try environment.readFile(at: size, count: 10) == [])
  }
}
