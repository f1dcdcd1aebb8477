import LMDB
import TestSupport
import Testing

/// Random work on a file, beside a dictionary that should hold the same.
@Suite(.timeLimit(.minutes(60)))
struct ModelTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Keys that meet each other often, and the ends of the range.
  private func key(_ generator: inout SeededGenerator) -> UInt64 {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: .max - UInt64.random(in: 0..<3, using: &generator)
    case 1: UInt64.random(in: .min ... .max, using: &generator) & 0xFF00_0000_0000_00FF
    default: UInt64.random(in: 0..<400, using: &generator)
    }
  }

  private func change(
    _ transaction: inout WriteTransaction, _ model: inout [UInt64: [UInt8]], in table: Table,
    using generator: inout SeededGenerator
  ) throws(LMDBError) {
    let key = key(&generator)
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<11:
      let limit = generator.oneIn(20) ? 9_000 : 300
      let bytes = generator.bytes(upTo: limit)
      try transaction.put(bytes.span, at: key, in: table)
      model[key] = bytes
    case 11..<13:
      let bytes = generator.bytes(upTo: 300)
      var room = try transaction.reserve(count: bytes.count, at: key, in: table)
      for index in bytes.indices { room[index] = bytes[index] }
      model[key] = bytes
    case 13..<18:
      #expect(try transaction.delete(at: key, in: table) == (model.removeValue(forKey: key) != nil))
    case 18 where generator.oneIn(30):
      try transaction.clear(table)
      model = [:]
    case 18:
      try transaction.keepPlace(in: table)
      for near in key...(key < .max - 8 ? key + 8 : key) {
        #expect(try copiedNear(near, of: transaction, in: table) == model[near])
        // Of the size it has, of another, and not at all.
        guard generator.oneIn(3) else { continue }
        let bytes = model[near].map { $0.reversed() } ?? generator.bytes(upTo: 300)
        let written = generator.oneIn(2) ? bytes : generator.bytes(upTo: 300)
        try transaction.put(written.span, at: near, in: table)
        model[near] = written
      }
    default:
      let span = try transaction.value(at: key, in: table)
      #expect(copied(span) == model[key])
    }
  }

  private func copied(_ span: Span<UInt8>?) -> [UInt8]? {
    if let span { return [UInt8](copying: span) }
    return nil
  }

  private func copiedNear(
    _ key: UInt64, of transaction: borrowing WriteTransaction, in table: Table
  ) throws(LMDBError) -> [UInt8]? {
    copied(try transaction.nearValue(at: key, in: table))
  }

  private func compare(
    _ environment: Environment, _ table: Table, with model: [UInt64: [UInt8]],
    using generator: inout SeededGenerator
  ) throws {
    let reader = try environment.read()
    #expect(try reader.statistics(of: table).entries == model.count)
    let keys = model.keys.sorted()
    var forward: [UInt64] = []
    var cursor = try reader.cursor(in: table)
    while let entry = try cursor.next() {
      forward.append(entry.key)
      #expect([UInt8](copying: entry.value) == model[entry.key])
    }
    #expect(forward == keys)
    var backward: [UInt64] = []
    var place = try cursor.last()
    while let entry = place {
      backward.append(entry.key)
      place = try cursor.previous()
    }
    #expect(backward == keys.reversed())
    for _ in 0..<20 {
      let key = key(&generator)
      let found = try cursor.seek(atLeast: key)
      #expect(found?.key == keys.first { $0 >= key })
      if let found {
        let key = found.key
        let after = try cursor.next()
        #expect(after?.key == keys.first { $0 > key })
      }
      let value = try reader.value(at: key, in: table)
      #expect(copied(value) == model[key])
    }
    let first = try cursor.first()
    #expect(first?.key == keys.first)
  }

  @Test(arguments: 0..<4)
  func `a file holds what a dictionary would, through commits, aborts and reopening`(
    _ round: Int
  ) throws {
    var generator = SeededGenerator()
    var options = Environment.Options(synchronization: .none)
    options.mapSize = 32 << 20
    let path = folder.file("image-\(round)")
    var environment = try Environment.open(path: path, options: options)
    var table = try environment.openTables(["a", "records"], creating: true)[1]
    var committed: [UInt64: [UInt8]] = [:]
    for _ in 0..<150 {
      var model = committed
      func work(_ transaction: inout WriteTransaction) throws(LMDBError) {
        for _ in 0..<Int.random(in: 0...60, using: &generator) {
          try change(&transaction, &model, in: table, using: &generator)
        }
      }
      func abandon() throws {
        var transaction = try environment.write()
        try work(&transaction)
      }
      if generator.oneIn(4) {
        try abandon()
      } else {
        try environment.commit(work)
        committed = model
      }
      if generator.oneIn(20) {
        try environment.close()
        environment = try Environment.open(path: path, options: options)
        table = try environment.openTables(["records"], creating: false)[0]
      }
      if generator.oneIn(3) {
        try compare(environment, table, with: committed, using: &generator)
      }
    }
    try compare(environment, table, with: committed, using: &generator)
  }
}
