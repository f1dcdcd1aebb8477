import LMDB
import TestSupport
import Testing

/// What a write transaction leaves in the record it is taken down in.
@Suite struct WriteRecordTests {
  private let fixture: OneTable
  private var environment: Environment { fixture.environment }
  private var table: Table { fixture.table }

  init() throws { fixture = try OneTable() }

  /// A write's sixteen bytes and its value.
  private func bytes(
    _ kind: WriteRecord.Kind, _ table: UInt8, _ key: UInt8, _ value: [UInt8] = []
  ) -> [UInt8] {
    [kind.rawValue, table, 0, 0, UInt8(value.count), 0, 0, 0, key, 0, 0, 0, 0, 0, 0, 0] + value
  }

  @Test func `a record has the writes of its transaction in their order`() throws {
    let other = try environment.openTables(["others"], creating: true)[0]
    let record = WriteRecord(of: [table, other], head: 3, limit: 1000)
    for round in 1...2 {
      var transaction = try environment.write(into: record)
      #expect(record.transaction == transaction.id)
      try transaction.put([7, 8].span, at: 5, in: table)
      try transaction.keepPlace(in: other)
      try transaction.put([9].span, at: 6, in: other)
      try transaction.delete(at: 5, in: table)
      // What wasn't there was not deleted.
      try transaction.delete(at: 5, in: table)
      try transaction.clear(other)
      var seen: [UInt8] = []
      try transaction.commit { seen = record.bytes }
      let writes =
        bytes(.put, 1, 5, [7, 8]) + bytes(.put, 2, 6, [9]) + bytes(.delete, 1, 5)
        + bytes(.clear, 2, 0)
      #expect(record.isWhole && seen == [0, 0, 0] + writes, "round \(round)")
    }
  }

  @Test func `a record gives up at what it can't take down`() throws {
    let record = WriteRecord(of: [table], head: 0, limit: 100)
    for size in [84, 85] {
      var transaction = try environment.write(into: record)
      try transaction.put([UInt8](repeating: 1, count: size).span, at: 1, in: table)
      try transaction.commit()
      #expect(record.isWhole == (size == 84))
    }
    var reserving = try environment.write(into: record)
    _ = try reserving.reserve(count: 3, at: 2, in: table)
    try reserving.commit()
    #expect(!record.isWhole)
    var other = try environment.write(into: WriteRecord(of: [], head: 0, limit: 100))
    try other.delete(at: 2, in: table)
    try other.commit()
    #expect(!record.isWhole)
  }

  @Test func `what follows a commit runs before another writer can begin`() throws {
    var transaction = try environment.write()
    try transaction.put([1].span, at: 1, in: table)
    var failure: LMDBError?
    try transaction.commit {
      do throws(LMDBError) { _ = try environment.write(waitingAtMost: .zero) } catch {
        failure = error
      }
    }
    #expect(failure?.code == .wouldDeadlock)
    #expect(try environment.value(at: 1, in: table) == [1])
    try environment.commit { writer throws(LMDBError) in
      try writer.put([2].span, at: 1, in: table)
    }
  }
}
