import BatonImage
import BatonPlan
import Foundation
import LMDB
import LifeSupport
import TestSupport
import Testing

/// Fetch times that are kept by the number of the record.
@Suite(.timeLimit(.minutes(60)))
struct RecordFetchTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  private func variables(_ ids: some Sequence<String>) -> Variables {
    ["ids": .list(ids.map { .string($0) })]
  }

  private func time(_ ids: String..., in image: Image) throws -> Int64? {
    try image.fetchTime(of: Documents.refresh, variables: variables(ids))
  }

  /// Commits what ids were answered with: another id, or nil for null.
  @discardableResult
  private func answer(
    _ answers: [(asked: String, answered: String?)], title: String = "t", in image: Image
  ) throws -> CommitOutcome {
    let nodes = answers.map { answer in
      answer.answered.map {
        """
        {"__typename":"Issue","id":"\($0)","number":1,"title":"\(title)","state":null,"weight":1.5,\
        "tags":[],"author":null}
        """
      } ?? "null"
    }
    let response = #"{"data":{"nodes":[\#(nodes.joined(separator: ","))]}}"#
    return try image.commit(
      Array(response.utf8).span, of: Documents.refresh, variables: variables(answers.map(\.asked)))
  }

  /// The values of `fetches`, by key.
  private func blocks(in image: Image) throws -> [UInt64: [UInt8]] {
    var blocks: [UInt64: [UInt8]] = [:]
    try image.snapshot().forEach(.fetches, from: 0) { key, value in
      blocks[key] = value.copy()
      return true
    }
    return blocks
  }

  private func count(_ table: ImageTable, in image: Image) throws -> Int {
    var count = 0
    try image.snapshot().forEach(table, from: 0) { _, _ in
      count += 1
      return true
    }
    return count
  }

  @Test func `times are those of a dictionary, whatever is answered, forgotten and reopened`()
    throws
  {
    var generator = SeededGenerator()
    var image = try Image.open(path: path)
    let ids = (0..<220).map { "I_\($0)" }
    var model: [String: Int64] = [:]
    for turn in 0..<400 {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: try image.flush()
      case 1:
        try image.close()
        image = try Image.open(path: path)
      case 2 where turn % 7 == 0:
        try image.invalidateAll()
        model = [:]
      case 3, 4:
        let some = ids.shuffled(using: &generator).prefix(Int.random(in: 1...9, using: &generator))
        try image.invalidate(Documents.refresh, variables: variables(some))
        for id in some { model[id] = nil }
      default:
        let start = Int.random(in: 0..<ids.count, using: &generator)
        let asked = ids[start...].prefix(Int.random(in: 1...50, using: &generator))
        // Some have no record at first, and some never.
        let answers = asked.map { id in
          let isNull = id.hasSuffix("7") || Int.random(in: 0..<6, using: &generator) == 0
          return (id, isNull ? nil : id)
        }
        let before = Int64(Date().timeIntervalSince1970 * 1000) - 1
        try answer(answers, title: "turn \(turn % 3)", in: image)
        let time = try #require(try time(ids[start], in: image))
        #expect(time >= before)
        for id in asked { model[id] = time }
      }
      for id in ids.shuffled(using: &generator).prefix(20) {
        try #require(try time(id, in: image) == model[id], "\(id) in turn \(turn)")
      }
    }
    let known = ids.filter { model[$0] != nil }
    #expect(
      try image.fetchTime(of: Documents.refresh, variables: variables(known))
        == known.compactMap { model[$0] }.min())
    try image.close()
    image = try Image.open(path: path)
    for id in ids { #expect(try time(id, in: image) == model[id], "\(id)") }
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
    // Each time is there once, but an id's from before it had a record.
    let summary = try UntrustedImage(path: path).summary()
    #expect(summary.operations >= UInt64(known.count))
    #expect(summary.operations <= UInt64(2 * known.count))
  }

  @Test func `fifty ids found together take less than 200 bytes`() throws {
    let image = try Image.open(path: path)
    // Between the subjects stand others that the answer brings: a record each.
    try image.refresh((0..<50).map { Subject($0, login: "u\($0)") })
    try image.flush()
    let blocks = try blocks(in: image)
    // A node of the engine has eight bytes before its key and an offset of two.
    let bytes = blocks.values.map { $0.count + 8 + 8 + 2 }.reduce(0, +)
    #expect(!blocks.isEmpty)
    #expect(bytes < 200, "\(bytes)")
    #expect(try count(.operations, in: image) == 0)
    // Again, later: the old time is gone.
    for _ in 0..<1000 where try time("I_0", in: image) == time("I_49", in: image) {
      try image.refresh([Subject(0)])
    }
    try image.refresh((0..<50).map { Subject($0) })
    try image.flush()
    #expect(try self.blocks(in: image).mapValues(\.count) == blocks.mapValues(\.count))
  }

  @Test func `an answer that comes again, byte for byte, renews the times`() throws {
    let image = try Image.open(path: path)
    let answers = [("I_1", "I_1"), ("I_2", "I_2")] as [(String, String?)]
    try answer(answers, in: image)
    let first = try #require(try time("I_1", "I_2", in: image))
    for _ in 0..<1000 where try time("I_1", "I_2", in: image) == first {
      #expect(try answer(answers, in: image).pagesWritten == 0)
    }
    #expect(try #require(try time("I_1", "I_2", in: image)) > first)
    try image.flush()
    #expect(try count(.operations, in: image) == 0)
  }

  @Test func `an id counts for the record that it is an alias of, and the other way round`() throws
  {
    var image = try Image.open(path: path)
    try answer([("old", "I_1")], in: image)
    let first = try #require(try time("old", in: image))
    #expect(try time("I_1", in: image) == first)
    try image.flush()
    for _ in 0..<1000 where try time("old", in: image) == first {
      try answer([("I_1", "I_1")], in: image)
    }
    #expect(try #require(try time("old", in: image)) > first)
    try image.invalidate(Documents.refresh, variables: variables(["old"]))
    #expect(try time("I_1", in: image) == nil)
    try image.close()
    image = try Image.open(path: path)
    #expect(try time("old", "I_1", in: image) == nil)
    try image.close()
  }

  @Test func `an id that is no key has a time, and so has the record it was answered with`() throws
  {
    let rules = IdentityRules(types: ["Issue": ["number"]])
    var image = try Image.open(path: path, options: .init(identity: rules))
    for _ in 0..<2 {
      try image.refresh([Subject(1), Subject(2)])
      for id in ["I_1", "I_2", "1", "2"] { #expect(try time(id, in: image) != nil, "\(id)") }
      try image.invalidate(Documents.refresh, variables: variables(["I_1", "2"]))
      #expect(try time("I_1", in: image) == nil)
      #expect(try time("2", in: image) == nil)
      try image.close()
      image = try Image.open(path: path, options: .init(identity: rules))
      #expect(try time("I_1", in: image) == nil)
    }
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `two records that an answer makes one have its time`() throws {
    var image = try Image.open(path: path)
    try answer([("I_1", "I_1"), ("I_2", "I_2")], in: image)
    try image.flush()
    try answer([("I_1", "I_2"), ("I_3", "I_3")], in: image)
    let time = try #require(try time("I_3", in: image))
    for _ in 0..<2 {
      #expect(try self.time("I_1", in: image) == time)
      #expect(try self.time("I_2", in: image) == time)
      try image.close()
      image = try Image.open(path: path)
    }
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `an id without a record has its time by itself, until it has one`() throws {
    let image = try Image.open(path: path)
    try answer([("I_1", nil), ("I_2", "I_2")], in: image)
    let first = try #require(try time("I_1", in: image))
    try image.flush()
    #expect(try count(.operations, in: image) == 1)
    // Found by another operation: asked for it was all the same.
    try image.search("a", finding: [Subject(1)])
    #expect(try time("I_1", in: image) == first)
    for _ in 0..<1000 where try time("I_1", in: image) == first {
      try answer([("I_1", nil)], in: image)
    }
    #expect(try #require(try time("I_1", in: image)) > first)
  }

  @Test func `clearing forgets times that wait and those that are written`() throws {
    let image = try Image.open(path: path)
    try answer([("I_1", "I_1")], in: image)
    try image.flush()
    try answer([("I_2", "I_2")], in: image)
    try image.removeAll()
    try answer([("I_3", "I_3")], in: image)
    try image.flush()
    #expect(try time("I_1", in: image) == nil)
    #expect(try time("I_2", in: image) == nil)
    #expect(try time("I_3", in: image) != nil)
    #expect(try blocks(in: image).count == 1)
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `an operation's name goes with its last time, in a compacted copy`() throws {
    let image = try Image.open(path: path, options: .init(journalLimit: 1))
    try answer([("I_1", "I_1")], in: image)
    try image.flush()
    let copy = folder.file("copy.image")
    func names() throws -> Int {
      try? FileManager.default.removeItem(atPath: copy)
      try image.copyCompacted(toPath: copy)
      let copied = try Image.open(path: copy)
      defer { try? copied.close() }
      return try count(.names, in: copied)
    }
    let kept = try names()
    try image.invalidateAll()
    #expect(try names() == kept - 1)
    try image.close()
  }

  @Test func `times of more blocks than there are records go, the oldest first`() throws {
    let operation = try imageOfOne()
    var image = try Image.open(path: path)
    var state = try image.snapshot().counters()
    try image.close()
    state.nextRecord = 1 << 20
    try put(.meta, [MetaKey.state: state.encoded()])
    var values: [UInt64: [UInt8]] = [:]
    for block in 1...UInt64(3000) {
      values[operation << 32 | block] = Self.groups([(1_700_000_000_000 + block % 1000, 1)])
    }
    try put(.fetches, values)
    image = try Image.open(path: path)
    // Not every commit looks at what there is too much of.
    for turn in 0..<200 { try answer([("I_1", "I_1")], title: "\(turn)", in: image) }
    let left = try blocks(in: image)
    #expect(left.count < 2000)
    let oldest = left.values.map { $0.span.u64(at: 4) }.min()
    #expect(try #require(oldest) > 1_700_000_000_000 + 300)
    #expect(try time("I_1", in: image) != nil)
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  // MARK: Hostile values

  /// Makes an image with the records I_1 and I_2; the number of the operation's name.
  private func imageOfOne() throws -> UInt64 {
    let image = try Image.open(path: path)
    try answer([("I_1", "I_1"), ("I_2", "I_2")], in: image)
    try image.flush()
    let key = try #require(try blocks(in: image).keys.first)
    try image.close()
    return key >> 32
  }

  /// Puts values into the file, sealed, as only a program that knows the format does.
  private func put(_ table: ImageTable, _ values: [UInt64: [UInt8]]) throws {
    let environment = try Environment.open(path: path)
    let handle = try environment.openTables([table.name], creating: false)[0]
    var transaction = try environment.write()
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      var value = value
      value.seal(table: table, key: key)
      try transaction.put(value.span, at: key, in: handle)
    }
    try transaction.commit()
    try environment.close()
  }

  private static func groups(_ groups: [(time: UInt64, records: UInt64)]) -> [UInt8] {
    var value: [UInt8] = [0, 0, 0, 0]
    for group in groups {
      value.append(u64: group.time)
      value.append(u64: group.records)
    }
    return value
  }

  @Test(arguments: [
    groups([]), [0, 0, 0, 0, 1], groups([(1, 0)]), groups([(5, 16), (4, 32)]),
    groups([(4, 16), (5, 16)]), groups([(4, .max)]), groups([(.max, 48), (.max, 48)]),
    groups([(4, 16)]) + [7], [UInt8](repeating: 0xFF, count: 100_000),
  ])
  func `a value that is none is found by a check, and no call trips over it`(
    _ value: [UInt8]
  ) throws {
    let operation = try imageOfOne()
    let keys = [0, 1 << 26, UInt64(UInt32.max)].map { operation << 32 | $0 } + [.max]
    try put(.fetches, Dictionary(keys.map { ($0, value) }) { $1 })
    let faults = try Verifier.verify(at: path).faults
    #expect(faults.contains { $0.structure == "fetches \(operation), 0" })
    _ = try UntrustedImage(path: path).summary()
    let image = try Image.open(path: path)
    _ = try time("I_1", "I_2", in: image)
    let plan = RemoteOperation(plan: Documents.refresh, document: "")
    _ = try image.staleSubjects(StalePolicy(olderThan: .zero), for: plan)
    try image.invalidate(Documents.refresh, variables: variables(["I_1"]))
    #expect(try time("I_1", in: image) == nil)
    try answer([("I_1", "I_1"), ("I_2", "I_2")], in: image)
    try image.flush()
    #expect(try time("I_1", "I_2", in: image) != nil)
    _ = try? image.copyCompacted(toPath: folder.file("copy.image"))
    try image.invalidateAll()
    #expect(try time("I_1", in: image) == nil)
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `times outlive a salvage, with the records they are of`() throws {
    let operation = try imageOfOne()
    try put(.fetches, [operation << 32 | 1 << 26: Self.groups([(4, 1)])])
    var options = Image.Options()
    options.trust = .untrusted
    options.onDamage = .salvage
    let image = try Image.open(path: path, options: options)
    guard case .salvaged = image.opening.outcome else {
      Issue.record("\(image.opening)")
      return
    }
    #expect(try time("I_1", "I_2", in: image) != nil)
    #expect(try blocks(in: image).count == 1)
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }
}
