import BatonImage
import BatonPlan
import DurabilitySupport
import Foundation
import LMDB
import TestSupport
import Testing

/// What an image holds at most, and what passing it does.
@Suite(.timeLimit(.minutes(60)))
struct LimitTests {
  /// Runs what takes a gigabyte of memory.
  static let runsLarge = ProcessInfo.processInfo.environment["LIMITS_LARGE"] != nil

  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ change: (inout ImageInternals) -> Void = { _ in }
  ) throws -> Image {
    var options = Image.Options()
    change(&options.internals)
    return try Image.open(path: path, options: options)
  }

  /// Expects `limit`.
  private func expectLimit(
    _ location: SourceLocation = #_sourceLocation, of work: () throws -> Void
  ) {
    let error = #expect(throws: ImageError.self, sourceLocation: location) { try work() }
    if case .limit = error { return }
    Issue.record("\(String(describing: error))", sourceLocation: location)
  }

  /// A response of one object for each id, with a title of so many bytes.
  private func response(_ ids: [String], titleSize: Int) -> [UInt8] {
    var text = Array(#"{"data":{"nodes":["#.utf8)
    for (index, id) in ids.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += Array(#"{"__typename":"Issue","id":"\#(id)","number":\#(index),"title":""#.utf8)
      text += [UInt8](repeating: UInt8(ascii: "a") + UInt8(index % 26), count: titleSize)
      text += Array(#""}"#.utf8)
    }
    return text + Array("]}}".utf8)
  }

  private func commit(_ ids: [String], titleSize: Int, to image: Image) throws {
    let response = response(ids, titleSize: titleSize)
    _ = try image.commit(
      response.span, of: Workload.plan, variables: ["ids": .list(ids.map { .string($0) })])
  }

  /// How many bytes the answer for an id has.
  private func answerSize(_ id: String, in image: Image) throws -> Int {
    let snapshot = try image.snapshot()
    let result = try snapshot.read(
      Workload.plan, variables: ["ids": .list([.string(id)])], identity: image.identity)
    #expect(result.isComplete)
    return result.data.count
  }

  // MARK: The map

  @Test func `one response makes a small map as large as it has to be`() throws {
    try open().close()
    let image = try open { $0.mapSize = 1 << 20 }
    try Workload.mark(1, in: image)
    try commit(["a", "b", "c"], titleSize: 3 << 20, to: image)
    #expect(try answerSize("b", in: image) > 3 << 20)
    #expect(try Workload.mark(in: image) == 1)
    #expect(try image.snapshot().commit == 2)
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `a map at its maximum keeps the commit before, and takes the next small one`() throws {
    let image = try open {
      $0.mapSize = 1 << 20
      $0.maximumMapSize = 4 << 20
    }
    try Workload.mark(1, in: image)
    for _ in 0..<3 {
      expectLimit { try commit(["a", "b"], titleSize: 3 << 20, to: image) }
      let number = try Workload.mark(in: image)
      try Workload.mark(number + 1, in: image)
    }
    #expect(try Workload.mark(in: image) == 4)
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
    let roomy = try open()
    try commit(["a", "b"], titleSize: 3 << 20, to: roomy)
    #expect(try Workload.mark(in: roomy) == 4)
    try roomy.close()
  }

  // MARK: Names

  private func setFields(_ fields: Range<Int>, in image: Image) throws {
    try image.write { editor in
      let record = try editor.record("I_1", type: "Issue")
      for field in fields { try editor.set("f\(field)", to: .int(Int64(field)), on: record) }
    }
  }

  @Test func `names past the most are refused, and what has names goes on`() throws {
    try open().close()
    let image = try open { $0.nameLimit = 20 }
    try setFields(0..<10, in: image)
    let before = try image.snapshot().commit
    for _ in 0..<2 {
      expectLimit { try setFields(0..<30, in: image) }
      #expect(try image.snapshot().commit == before)
    }
    // Fields that are known, and a new one while there is a number for it.
    try image.write { editor in
      let record = try editor.record("I_2", type: "Issue")
      for field in 0..<11 { try editor.set("f\(field)", to: .int(7), on: record) }
    }
    #expect(try image.snapshot().commit == before + 1)
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `the ten millionth name is the last`() throws {
    let image = try open()
    try setFields(0..<3, in: image)
    try image.close()
    // The state of an image that has given out all names but two.
    try changeState { $0.nextName = NameKind.maximumCount - 1 }
    let full = try open()
    #expect(full.opening.outcome == .opened)
    expectLimit { try setFields(3..<6, in: full) }
    try setFields(3..<5, in: full)
    expectLimit { try setFields(5..<6, in: full) }
    expectLimit { try commit(["a"], titleSize: 10, to: full) }
    try setFields(0..<5, in: full)
    try full.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `the last record number is given once, and what is known goes on`() throws {
    let image = try open()
    try Workload.mark(1, in: image)
    try image.close()
    try changeState { $0.nextRecord = UInt64(UInt32.max) }
    let full = try open()
    expectLimit { try commit(["a", "b"], titleSize: 10, to: full) }
    try commit(["a"], titleSize: 10, to: full)
    expectLimit { try commit(["b"], titleSize: 10, to: full) }
    try Workload.mark(2, in: full)
    #expect(try Workload.mark(in: full) == 2)
    try full.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  /// Writes another state into the file, as nobody else does.
  private func changeState(_ change: (inout ImageCounters) -> Void) throws {
    let environment = try Environment.open(path: path)
    let table = try environment.openTables(["meta"], creating: false)[0]
    var transaction = try environment.write()
    var counters = ImageCounters()
    if let value = try transaction.value(at: MetaKey.state, in: table) {
      counters = try ImageCounters(value)
    }
    change(&counters)
    try transaction.put(counters.encoded().span, at: MetaKey.state, in: table)
    try transaction.commit()
    try environment.close()
  }

  // MARK: Sizes

  @Test func `ids of any length up to the most are ids, and longer ones are refused`() throws {
    let image = try open()
    for size in [1, 511, 512, 4_096, 100_000, 0xFF_FFFF] {
      let id = String(repeating: "i", count: size)
      try commit([id], titleSize: 5, to: image)
      #expect(try answerSize(id, in: image) > size)
    }
    let before = try image.snapshot().commit
    let long = String(repeating: "i", count: 0x100_0000)
    expectLimit { try commit(["a", long], titleSize: 5, to: image) }
    expectLimit { try image.write { editor in _ = try editor.record(long, type: "Issue") } }
    #expect(try image.snapshot().commit == before)
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `values of all sizes are beside one another, and change their sizes`() throws {
    let image = try open()
    let sizes = [0, 1, 2_000, 4_000, 4_096, 9_000, 70_000, 2 << 20]
    for shift in 0..<3 {
      for (index, _) in sizes.enumerated() {
        let size = sizes[(index + shift) % sizes.count]
        try commit(["v\(index)"], titleSize: size, to: image)
      }
      for (index, _) in sizes.enumerated() {
        let size = sizes[(index + shift) % sizes.count]
        #expect(try answerSize("v\(index)", in: image) >= size)
      }
    }
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test(.enabled(if: runsLarge, "LIMITS_LARGE lets it run: it takes gigabytes of memory"))
  func `a response of 256 megabytes is one commit, and one past a gigabyte is refused`() throws {
    let image = try open { $0.mapSize = 1 << 20 }
    let ids = (0..<64).map { "L\($0)" }
    try commit(ids, titleSize: 4 << 20, to: image)
    for id in ids { #expect(try answerSize(id, in: image) > 4 << 20) }
    // An answer has its limit, too.
    expectLimit {
      _ = try image.snapshot().read(
        Workload.plan, variables: ["ids": .list(ids.map { .string($0) })],
        identity: image.identity)
    }
    let huge = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 30 + 1)
    expectLimit {
      _ = try image.commit(huge.span, of: Workload.plan, variables: ["ids": .list([])])
    }
    #expect(try image.snapshot().commit == 1)
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }
}
