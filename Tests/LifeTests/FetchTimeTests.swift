import BatonImage
import BatonPlan
import EngineFaults
import LifeSupport
import TestSupport
import Testing

/// When operations were fetched, and how little that takes (S47).
@Suite(.timeLimit(.minutes(60)))
struct FetchTimeTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  private func ids(_ numbers: some Sequence<Int>) -> Variables {
    ["ids": .list(numbers.map { .string("I_\($0)") })]
  }

  private func times(in image: Image) throws -> Int {
    let snapshot = try image.snapshot()
    var count = 0
    try snapshot.forEach(.operations, from: 0) { _, _ in
      count += 1
      return true
    }
    try snapshot.forEach(.fetches, from: 0) { _, value in
      for group in FetchBlock(value).groups { count += group.records.nonzeroBitCount }
      return true
    }
    return count
  }

  @Test func `a thousand batches leave as many times as there are ids`() throws {
    var generator = SeededGenerator()
    var image = try Image.open(path: path)
    var asked: Set<Int> = []
    for turn in 0..<1000 {
      let batch = (0..<10).map { _ in Int.random(in: 0..<100, using: &generator) }
      asked.formUnion(batch)
      try image.refresh(Set(batch).map { Subject($0, title: "turn \(turn % 7)") })
    }
    #expect(try image.age(of: Documents.refresh, variables: ids(asked)) != nil)
    try image.close()
    image = try Image.open(path: path)
    #expect(try times(in: image) == asked.count)
    // Of any batch that is made of them, in any order.
    let some = Array(asked.shuffled(using: &generator).prefix(17))
    #expect(try image.age(of: Documents.refresh, variables: ids(some)) != nil)
    #expect(try image.age(of: Documents.refresh, variables: ids(some + [1000])) == nil)
    #expect(try image.age(of: Documents.refresh, variables: ids([])) == nil)
    #expect(try image.snapshot().read(Documents.refresh, variables: ids(some)).fetchedAt != nil)
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `a list lookup is as old as the id that was asked for longest ago`() throws {
    let image = try Image.open(path: path)
    try image.refresh([Subject(1), Subject(2)])
    let first = try #require(try image.fetchTime(of: Documents.refresh, variables: ids([1, 2])))
    for _ in 0..<1000 where try image.fetchTime(of: Documents.refresh, variables: ids([1])) == first
    {
      try image.refresh([Subject(1)])
    }
    let again = try #require(try image.fetchTime(of: Documents.refresh, variables: ids([1])))
    #expect(again > first)
    #expect(try image.fetchTime(of: Documents.refresh, variables: ids([1, 2])) == first)
    // What is only in memory yet is known to reads as well.
    #expect(try image.snapshot().read(Documents.refresh, variables: ids([1])).fetchedAt == again)
  }

  @Test func `times that a failed write was to take along are there still, and written later`()
    throws
  {
    var image = try Image.open(path: path)
    try image.refresh([Subject(1), Subject(2), Subject(3)])
    let time = try #require(try image.fetchTime(of: Documents.refresh, variables: ids(1...3)))
    var failures = 0
    while true {
      // EIO, in each call of the engine in turn.
      engine_fault_arm(failures, 5)
      try? image.flush()
      guard engine_fault_disarm() else { break }
      failures += 1
      #expect(try image.fetchTime(of: Documents.refresh, variables: ids(1...3)) == time)
    }
    #expect(failures > 5)
    try image.close()
    image = try Image.open(path: path)
    #expect(try times(in: image) == 3)
    #expect(try image.fetchTime(of: Documents.refresh, variables: ids(1...3)) == time)
    try image.close()
  }

  @Test func `forgetting a batch forgets each id of it, in memory and on disk`() throws {
    let image = try Image.open(path: path)
    try image.refresh([Subject(1), Subject(2)])
    try image.flush()
    try image.refresh([Subject(3)])
    try image.invalidate(Documents.refresh, variables: ids([3, 1]))
    #expect(try image.age(of: Documents.refresh, variables: ids([1])) == nil)
    #expect(try image.age(of: Documents.refresh, variables: ids([3])) == nil)
    #expect(try image.age(of: Documents.refresh, variables: ids([2])) != nil)
    try image.close()
    let reopened = try Image.open(path: path)
    #expect(try reopened.age(of: Documents.refresh, variables: ids([1])) == nil)
    #expect(try reopened.age(of: Documents.refresh, variables: ids([2])) != nil)
  }

  @Test func `an operation without a list of ids keeps a time for its variables`() throws {
    let image = try Image.open(path: path)
    try image.search("a", finding: [Subject(1)])
    #expect(try image.age(of: Documents.search, variables: ["query": .string("a")]) != nil)
    #expect(try image.age(of: Documents.search, variables: ["query": .string("b")]) == nil)
    #expect(try times(in: image) == 1)
  }
}
