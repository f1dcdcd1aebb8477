import BatonImage
import BatonPlan
import Dispatch
import Synchronization
import TestSupport
import Testing

/// An open image remembers which numbers keys led to. Whoever reads must not be able to tell.
@Suite(.timeLimit(.minutes(60))) struct FoundRecordsTests {
  // MARK: The memory itself

  @Test func `a hash has the number noted last, or none`() {
    let found = FoundRecords()
    var numbers = SeededGenerator(seed: 1)
    var noted: [UInt64: UInt32] = [:]
    var (hits, forgotten) = (0, 0)
    for _ in 0..<400_000 {
      // Few of them, so that most come again, and with other numbers.
      let hash = (numbers.next() % 60_000) &* 0x9E37_79B9_7F4A_7C15
      let known = found.number(of: hash)
      if let known {
        #expect(known == noted[hash])
        hits += 1
      }
      let number = UInt32.random(in: 1 ... .max, using: &numbers)
      found.note(number, of: hash)
      noted[hash] = number
      if found.number(of: hash) != number { forgotten += 1 }
    }
    #expect(hits > 200_000)
    // What is noted is there at once, but where a larger table took the place of the one it is in.
    #expect(forgotten <= 3)
  }

  @Test func `more room is made until many records are known at once`() {
    let found = FoundRecords()
    let hashes = (1...UInt32(100_000)).map { hash(Array(String($0).utf8).span) }
    for _ in 0..<3 {
      for (index, hash) in hashes.enumerated() { found.note(UInt32(index + 1), of: hash) }
    }
    let known = hashes.indices.filter { found.number(of: hashes[$0]) == UInt32($0 + 1) }
    #expect(known.count > 70_000)
  }

  @Test func `threads that note at once read whole entries`() {
    let found = FoundRecords()
    let wrong = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var numbers = SeededGenerator(seed: UInt64(thread))
      for _ in 0..<100_000 {
        let number = UInt32(numbers.next() % 20_000) + 1
        let hash = hash(Array(String(number).utf8).span)
        if let known = found.number(of: hash), known != number {
          wrong.add(1, ordering: .relaxed)
        }
        found.note(number, of: hash)
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }

  // MARK: An image with it

  /// What else can become of records that were found, beside what changes an answer.
  static let moves = [
    RepeatedAnswerTests.Change("A gets another id") { image in
      try image.commit(
        RefreshTests.response([RefreshTests.issue("A2", "one")]), of: Hub.refresh,
        RefreshTests.ids(["A"]))
    },
    RepeatedAnswerTests.Change("A turns out to be B") { image in
      try image.commit(
        RefreshTests.response([RefreshTests.issue("B", "two")]), of: Hub.refresh,
        RefreshTests.ids(["A"]))
    },
  ]

  @Test(arguments: RepeatedAnswerTests.changes + moves)
  func `after a change an image that knew the records reads as one that did not`(
    _ change: RepeatedAnswerTests.Change
  ) throws {
    let image = try TestImage()
    try image.commit(RepeatedAnswerTests.answer, of: Hub.refresh, RepeatedAnswerTests.ids)
    let keys = ["A", "B", "A2", "client:root"]
    for key in keys { _ = try image.record(key) }
    try change.make(image)
    try image.beforeAndAfterReopening { image in
      // Its own memory of what was found, over the same file.
      let fresh = try Image.open(path: image.path, options: image.options)
      for key in keys {
        let key = Array(key.utf8)
        let expected = try fresh.snapshot().number(ofId: key)
        for _ in 0..<2 { #expect(try image.image.snapshot().number(ofId: key) == expected) }
      }
    }
  }

  /// Ids whose hashes agree in all that an entry of the smallest table keeps of them.
  static let alike = ["I_1220731", "I_2098032"]

  @Test func `ids that the memory takes for one are told apart by their rows`() throws {
    let hashes = Self.alike.map { hash(([0] + Array($0.utf8)).span) }
    #expect(hashes[0] >> 32 == hashes[1] >> 32 && hashes[0] & 511 == hashes[1] & 511)
    let image = try TestImage()
    try image.commit(
      RefreshTests.response(Self.alike.map { RefreshTests.issue($0, "of \($0)") }),
      of: Hub.refresh, RefreshTests.ids(Self.alike))
    try image.beforeAndAfterReopening { image in
      for _ in 0..<2 {
        for id in Self.alike {
          let line = try #require(try image.record(id))
          #expect(line.contains(#""title": "of \#(id)""#))
        }
      }
    }
  }

  @Test func `a snapshot finds the records of its own state`() throws {
    let image = try TestImage()
    try image.commit(RepeatedAnswerTests.answer, of: Hub.refresh, RepeatedAnswerTests.ids)
    let key = Array("A".utf8)
    let before = try image.image.snapshot()
    let number = try #require(try before.number(ofId: key))
    _ = try image.image.removeAll()
    #expect(try image.image.snapshot().number(ofId: key) == nil)
    try image.commit(RepeatedAnswerTests.answer, of: Hub.refresh, RepeatedAnswerTests.ids)
    let after = try #require(try image.image.snapshot().number(ofId: key))
    #expect(after != number)
    #expect(try before.number(ofId: key) == number)
    #expect(try image.image.snapshot().number(ofId: key) == after)
  }
}
