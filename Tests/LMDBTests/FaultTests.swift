import EngineFaults
import LMDB
import TestSupport
import Testing

/// Every call of the engine that can fail, failing.
@Suite(.timeLimit(.minutes(60)))
struct FaultTests {
  let folder: TemporaryFolder
  let environment: Environment
  let table: Table

  init() throws {
    folder = try TemporaryFolder()
    environment = try Environment.open(
      path: folder.file("image"), options: .init(synchronization: .none))
    table = try environment.openTables(["records"], creating: true)[0]
    try environment.commit { [table] transaction throws(LMDBError) in
      for key in 0..<50 { try transaction.put([1].span, at: UInt64(key), in: table) }
    }
  }

  /// Documented codes of the engine and the system, by their numbers.
  static let codes: [Int32: LMDBError.Code] = [
    -30_799: .keyExists, -30_797: .pageNotFound, -30_796: .corrupted, -30_795: .panic,
    -30_794: .versionMismatch, -30_793: .invalidFile, -30_792: .mapFull, -30_791: .tablesFull,
    -30_789: .threadStorageFull, -30_788: .transactionFull, -30_787: .cursorFull,
    -30_786: .pageFull, -30_784: .incompatible, -30_783: .badReaderSlot,
    -30_782: .badTransaction, -30_781: .badValueSize, -30_780: .badTable, 5: .inputOutput,
    12: .outOfMemory, 13: .permissionDenied, 22: .invalidArgument, 28: .noSpace,
    30: .readOnlyFileSystem, 4_711: .other(4_711),
  ]

  /// A commit that calls the engine in every way.
  private func write() throws(LMDBError) {
    try environment.commit { transaction throws(LMDBError) in
      for key in 0..<50 {
        _ = try transaction.value(at: UInt64(key), in: table)
        try transaction.put([2].span, at: UInt64(key), in: table)
      }
      var room = try transaction.reserve(count: 1, at: 50, in: table)
      room[0] = 2
      try transaction.delete(at: 0, in: table)
      var cursor = try transaction.cursor(in: table)
      while try cursor.next() != nil {}
    }
  }

  private func read() throws(LMDBError) -> Int {
    let reader = try environment.read()
    var sum = 0
    for key in 0..<50 {
      if let value = try reader.value(at: UInt64(key), in: table) { sum += Int(value[0]) }
    }
    var cursor = try reader.cursor(in: table)
    while let entry = try cursor.next() { sum += Int(entry.value[0]) }
    return sum
  }

  /// Lets each call of `work` fail in turn, until one run meets no failure.
  private func failEachCall(
    of work: () throws(LMDBError) -> Void, with status: Int32, _ expected: LMDBError.Code
  ) throws {
    let (transactions, cursors) = (engine_open_transactions(), engine_open_cursors())
    var number = 0
    while true {
      engine_fault_arm(number, status)
      let found = code(of: work)
      guard engine_fault_disarm() else {
        #expect(found == nil)
        break
      }
      #expect(found == expected, "call \(number)")
      #expect(engine_open_transactions() == transactions)
      #expect(engine_open_cursors() == cursors)
      #expect(try read() == 100)
      number += 1
    }
    #expect(number > 100)
  }

  @Test(arguments: codes.keys.sorted())
  func `a failure of any call in a commit is thrown, and leaves the commit before`(
    _ status: Int32
  ) throws {
    let expected = try #require(Self.codes[status])
    try failEachCall(of: write, with: status, expected)
    #expect(try read() == 198)
  }

  @Test(arguments: codes.keys.sorted())
  func `a failure of any call in a reader is thrown, and leaves no reader`(
    _ status: Int32
  ) throws {
    let expected = try #require(Self.codes[status])
    try failEachCall(of: { () throws(LMDBError) in _ = try read() }, with: status, expected)
  }

  @Test func `a map found too small is adopted and the beginning tried again, unseen`() throws {
    engine_fault_arm(0, -30_785)
    #expect(try read() == 100)
    #expect(engine_fault_disarm())
    engine_fault_arm(0, -30_785)
    try write()
    #expect(engine_fault_disarm())
    #expect(try read() == 198)
  }

  @Test func `a full table of readers with no dead one is an error after one look`() throws {
    engine_fault_arm(0, -30_790)
    #expect(code { _ = try read() } == .readersFull)
    #expect(engine_fault_disarm())
    #expect(try read() == 100)
  }

  @Test func `every code has words of its own, and its call's name`() {
    for (_, code) in Self.codes {
      let text = LMDBError(code, in: .put).description
      #expect(text.hasPrefix("mdb_put: ") && text.count > 12)
    }
    #expect(Set(Self.codes.values.map(\.description)).count == Self.codes.count)
    #expect(
      LMDBError(.mapFull, in: .put).description
        == "mdb_put: MDB_MAP_FULL: Environment mapsize limit reached")
    #expect(LMDBError(.closed, in: .beginRead).description.hasSuffix("the environment is closed"))
  }
}
