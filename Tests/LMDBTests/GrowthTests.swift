import Foundation
import LMDB
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)))
struct GrowthTests {
  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  static let megabyte = 1 << 20

  private final class Progress: Sendable {
    let isDone = Atomic<Bool>(false)
    let reads = Atomic<Int>(0)
  }

  private func small(
    maximum: Int = 1 << 30, wait: Duration = .seconds(60)
  ) -> Environment.Options {
    Environment.Options(
      mapSize: Self.megabyte, maximumMapSize: maximum, synchronization: .none, waitLimit: wait)
  }

  /// Puts `count` values of 1,000 bytes from `first` on.
  private static func fill(
    _ environment: Environment, _ table: Table, from first: Int = 0, count: Int
  ) throws(LMDBError) {
    let value = [UInt8](repeating: 0xAB, count: 1_000)
    try environment.commit { transaction throws(LMDBError) in
      for key in first..<first + count {
        try transaction.put(value.span, at: UInt64(key), in: table)
      }
    }
  }

  @Test func `a full map ends the writer once, and after growing the same work succeeds`() throws {
    let environment = try Environment.open(path: path, options: small())
    let table = try environment.openTables(["records"], creating: true)[0]
    try Self.fill(environment, table, count: 100)
    #expect(code { try Self.fill(environment, table, count: 3_000) } == .mapFull)
    #expect(try environment.read().statistics(of: table).entries == 100)
    // The next small commit works, without growing.
    try Self.fill(environment, table, from: 100, count: 1)
    try environment.grow(to: 8 * Self.megabyte)
    try Self.fill(environment, table, count: 3_000)
    #expect(try environment.read().statistics(of: table).entries == 3_000)
    #expect(try environment.statistics().mapSize == 8 * Self.megabyte)
    try environment.grow()
    #expect(try environment.statistics().mapSize == 16 * Self.megabyte)
  }

  @Test func `after a write failed the writer takes no more, and its commit fails`() throws {
    let environment = try Environment.open(path: path, options: small())
    let table = try environment.openTables(["records"], creating: true)[0]
    var writer = try environment.write()
    let large = [UInt8](repeating: 1, count: 2 * Self.megabyte)
    #expect(code { try writer.put(large.span, at: 1, in: table) } == .mapFull)
    #expect(code { try writer.put([1].span, at: 2, in: table) } == .badTransaction)
    func commit(_ writer: consuming WriteTransaction) throws { try writer.commit() }
    let error = #expect(throws: LMDBError.self) {
      var failed = try environment.write(waitingAtMost: .zero)
      try failed.put([1].span, at: 2, in: table)
    }
    #expect(error?.code == .wouldDeadlock)
    do {
      try commit(writer)
      Issue.record("a commit of a failed writer succeeded")
    } catch {
      #expect((error as? LMDBError)?.code == .badTransaction)
    }
    try Self.fill(environment, table, count: 1)
    #expect(try environment.read().statistics(of: table).entries == 1)
  }

  @Test func `a map at its maximum says so, and stays in use`() throws {
    let environment = try Environment.open(path: path, options: small(maximum: 2 << 20))
    let table = try environment.openTables(["records"], creating: true)[0]
    try environment.grow(to: 1 << 40)
    #expect(try environment.statistics().mapSize == 2 << 20)
    #expect(code { try environment.grow() } == .mapAtMaximum)
    #expect(code { try Self.fill(environment, table, count: 5_000) } == .mapFull)
    try Self.fill(environment, table, count: 10)
  }

  @Test func `the map grows ahead of small commits by itself`() throws {
    let environment = try Environment.open(path: path, options: small())
    let table = try environment.openTables(["records"], creating: true)[0]
    for round in 0..<100 {
      try Self.fill(environment, table, from: round * 100, count: 100)
    }
    #expect(try environment.statistics().mapSize >= 16 * Self.megabyte)
  }

  @Test func `a reader of the same thread stands in the way of growing, a pin doesn't`() throws {
    let environment = try Environment.open(
      path: path, options: small(wait: .milliseconds(20)))
    let table = try environment.openTables(["records"], creating: true)[0]
    try Self.fill(environment, table, count: 50)
    let pin = try environment.pin()
    func whileReading() throws {
      let reader = try environment.read()
      #expect(code { try environment.grow() } == .transactionsRunning)
      let span = try reader.value(at: 1, in: table)
      #expect(span?.count == 1_000)
    }
    try whileReading()
    let pages = try environment.statistics().lastPage
    for round in 0..<20 {
      if round % 5 == 0 { try environment.grow() }
      try Self.fill(environment, table, count: 50)
    }
    #expect(pin.id == 2)
    // What the pin holds wasn't reused: at least two generations of pages are there.
    #expect(try environment.statistics().lastPage > pages + 10)
  }

  @Test func `readers on other threads never notice that the map was exchanged`() throws {
    let environment = try Environment.open(path: path, options: small())
    let table = try environment.openTables(["records"], creating: true)[0]
    try Self.fill(environment, table, count: 100)
    let progress = Progress()
    let failures = onThreads(6) { number in
      if number == 0 {
        defer { progress.isDone.store(true, ordering: .relaxed) }
        for round in 0..<8 {
          let reads = progress.reads.load(ordering: .relaxed)
          while progress.reads.load(ordering: .relaxed) == reads { usleep(100) }
          try environment.grow()
          try Self.fill(environment, table, from: round * 10, count: 10)
        }
      }
      while !progress.isDone.load(ordering: .relaxed) {
        let reader = try environment.read()
        for key in 0..<50 {
          if let span = try reader.value(at: UInt64(key), in: table) {
            guard span.count == 1_000, span[999] == 0xAB else {
              throw LMDBError(.corrupted, in: .get)
            }
          }
        }
        progress.reads.wrappingAdd(1, ordering: .relaxed)
      }
    }
    #expect(failures == [])
    #expect(try environment.statistics().mapSize == Self.megabyte << 8)
  }

  @Test func `what another process grew is read and written to without an error`() async throws {
    let environment = try Environment.open(path: path, options: small(maximum: 2 << 20))
    let table = try environment.openTables(["records"], creating: true)[0]
    try Self.fill(environment, table, count: 10)
    _ = try environment.value(at: 1, in: table)
    await #expect(processExitsWith: .success) { [path = path as String] in
      let other = try Environment.open(
        path: path, options: .init(mapSize: 64 << 20, synchronization: .none))
      let table = try other.openTables(["records"], creating: false)[0]
      try GrowthTests.fill(other, table, count: 6_000)
      try other.close()
    }
    #expect(try environment.value(at: 5_999, in: table)?.count == 1_000)
    try Self.fill(environment, table, from: 10, count: 10)
    #expect(try environment.read().statistics(of: table).entries == 6_000)
  }

  @Test func `a writer follows what another process grew, too`() async throws {
    let environment = try Environment.open(path: path, options: small())
    let table = try environment.openTables(["records"], creating: true)[0]
    await #expect(processExitsWith: .success) { [path = path as String] in
      let other = try Environment.open(
        path: path, options: .init(mapSize: 64 << 20, synchronization: .none))
      let table = try other.openTables(["records"], creating: false)[0]
      try GrowthTests.fill(other, table, count: 6_000)
      try other.close()
    }
    try Self.fill(environment, table, from: 6_000, count: 10)
    #expect(try environment.read().statistics(of: table).entries == 6_010)
  }
}
