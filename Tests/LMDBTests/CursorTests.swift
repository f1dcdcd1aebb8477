import LMDB
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)))
struct CursorTests {
  private let fixture: OneTable
  private var environment: Environment { fixture.environment }
  private var table: Table { fixture.table }

  init() throws { fixture = try OneTable() }

  @Test func `a cursor over an empty table finds nothing, in any direction`() throws {
    let reader = try environment.read()
    var cursor = try reader.cursor(in: table)
    let places = [
      try cursor.next()?.key, try cursor.previous()?.key, try cursor.first()?.key,
      try cursor.last()?.key, try cursor.seek(atLeast: 0)?.key,
    ]
    #expect(places == [nil, nil, nil, nil, nil])
  }

  @Test func `integer keys are in the order of their numbers, not of their bytes`() throws {
    let keys: [UInt64] = [0, 1, 255, 256, 65_536, 1 << 32, 1 << 63, .max]
    try environment.commit { transaction throws(LMDBError) in
      for key in keys.reversed() { try transaction.put([7].span, at: key, in: table) }
    }
    let reader = try environment.read()
    var cursor = try reader.cursor(in: table)
    var found: [UInt64] = []
    while let entry = try cursor.next() { found.append(entry.key) }
    #expect(found == keys)
    let behind = try cursor.next()
    #expect(behind?.key == nil)
    let middle = try cursor.seek(atLeast: 257)
    #expect(middle?.key == 65_536)
    let before = try cursor.previous()
    #expect(before?.key == 256)
  }

  @Test func `a writer's cursor sees what it wrote, and closes before the writer ends`() throws {
    for count in 1...20 {
      try environment.commit { transaction throws(LMDBError) in
        try transaction.put([1].span, at: UInt64(count), in: table)
        var first = try transaction.cursor(in: table)
        var second = try transaction.cursor(in: table)
        var seen = 0
        while try first.next() != nil { seen += 1 }
        #expect(seen == count)
        let last = try second.last()
        #expect(last?.key == UInt64(count))
      }
    }
  }

  @Test func `an entry stays what it is while its cursor goes on`() throws {
    try environment.commit { transaction throws(LMDBError) in
      for key in 0..<1_000 {
        try transaction.put([UInt8(key % 256)].span, at: UInt64(key), in: table)
      }
    }
    let reader = try environment.read()
    var cursor = try reader.cursor(in: table)
    let first = try cursor.first()
    while try cursor.next() != nil {}
    #expect(first?.key == 0 && first?.value[0] == 0)
  }
}
