import BatonImage
import DurabilitySupport
import Foundation
import LMDB
import TestSupport
import Testing

/// What closing gives back to the file system, and what that leaves.
@Suite(
  .timeLimit(.minutes(60)),
  .enabled(if: Holes.arePossible, "the file system has no holes"))
struct GivingBackTests {
  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  /// An open image with so many free pages that its closing gives room back.
  private func filled(_ records: Int = 6_000) throws -> Image {
    let image = try Image.open(path: path)
    try Workload.thin(0..<records, of: image)
    try image.flush()
    return image
  }

  /// One whose free pages are most of the file, none of them in the newest states.
  private func emptied() throws -> Image {
    let image = try filled()
    try image.removeAll()
    try Workload.fill(0..<1_000, of: image)
    for number in 1...3 { try Workload.mark(number, in: image) }
    return image
  }

  /// Holds what was closed to what it held, and to being believed as it is.
  private func check(_ dump: [UInt8], wasVerified: Bool = false) throws {
    let report = try Verifier.verify(at: path)
    #expect(report.isSound, "\(report.faults)")
    let image = try Image.open(path: path, options: .init(isReadOnly: true))
    #expect(image.opening == OpeningReport(opened: wasVerified))
    #expect(try image.dump() == dump)
    try image.close()
  }

  @Test func `a close gives back what free pages take, and the next opener believes the file`()
    throws
  {
    let image = try filled()
    let dump = try image.dump()
    let (size, before) = (try Holes.size(path), try Holes.allocated(path))
    try image.close()
    let after = try Holes.allocated(path)
    #expect(after < before / 4 * 3)
    #expect(try Holes.size(path) >= size)
    try check(dump)
    // The pages are used again, and what they take is no more than before.
    let again = try Image.open(path: path)
    #expect(again.opening == OpeningReport(opened: false))
    for number in 2...300 { try Workload.mark(number, in: again) }
    let longer = try again.dump()
    try again.close()
    #expect(try Holes.size(path) <= size + size / 4)
    try check(longer)
  }

  @Test func `what an earlier snapshot reads stays until it ends`() throws {
    let image = try emptied()
    let reader = try Image.open(path: path, options: .init(isReadOnly: true))
    try hold(reader) {
      for number in 2...40 { try Workload.mark(number, in: image) }
      let before = try Holes.allocated(path)
      try image.close()
      #expect(try Holes.allocated(path) < before)
    }
    #expect(try Workload.mark(in: reader) == 40)
    try reader.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  private func hold(_ reader: Image, _ body: () throws -> Void) throws {
    let snapshot = try reader.snapshot()
    let dump = try Workload.dump(of: snapshot)
    try body()
    #expect(try Workload.dump(of: snapshot) == dump)
  }

  @Test func `another process reads an old state right through closes that give room back`() throws
  {
    var image = try emptied()
    let end = folder.file("end")
    let reader = try WorkerProcess(["reread", path, end])
    defer { reader.kill() }
    #expect(try reader.nextLine().hasPrefix("held"))
    var given = 0
    for round in 1...3 {
      for number in 1...60 { try Workload.mark(round * 100 + number, in: image) }
      let before = try Holes.allocated(path)
      try image.close()
      if try Holes.allocated(path) < before { given += 1 }
      image = try Image.open(path: path)
      #expect(image.opening == OpeningReport(opened: false))
      #expect(try Workload.mark(in: image) == round * 100 + 60)
    }
    #expect(given > 0)
    #expect(FileManager.default.createFile(atPath: end, contents: nil))
    #expect(try reader.finish() == ["reread"])
    let dump = try image.dump()
    try image.close()
    try check(dump)
  }

  @Test func `an image that was not written to is left as it is`() throws {
    let image = try filled()
    try Workload.mark(2, in: image)
    // What was gathered waits for whichever handle of the process closes first.
    try image.flush()
    let other = try Image.open(path: path)
    let before = try Holes.allocated(path)
    try other.close()
    // A flush that comes meanwhile settles which blocks there are, give or take a few.
    #expect(try Holes.allocated(path) > before / 8 * 7)
    try image.close()
    #expect(try Holes.allocated(path) < before / 8 * 7)
  }
}

#if os(Linux)
  /// The same in a process whose file system fails, whose life ends, or whose machine does.
  @Suite(
    .timeLimit(.minutes(60)),
    .enabled(if: Holes.arePossible, "the file system has no holes"),
    .enabled(if: !Sanitizers.isAny, "sanitizers stand where the recorder would"))
  struct GivingBackFaultTests {
    let folder: TemporaryFolder
    let trace: TemporaryFolder
    var path: String { folder.file("image") }

    init() throws {
      folder = try TemporaryFolder()
      trace = try TemporaryFolder()
    }

    /// Makes an image in another process and answers what that did; nil where it was killed.
    private func thin(_ environment: [String: String] = [:]) throws -> FlushRecord? {
      var all = ["FLUSH_RECORD": trace.file("trace"), "FLUSH_FOLDER": folder.file("")]
      all.merge(environment) { _, new in new }
      let worker = try WorkerProcess(["thin", path, "6000"], environment: all)
      let isWhole = worker.lines().contains("thinned")
      guard isWhole else { return nil }
      return FlushRecord([UInt8](try Data(contentsOf: URL(filePath: trace.file("trace")))))
    }

    private func holes(in record: FlushRecord) -> [Int] {
      record.events.indices.filter { index in
        if case .hole = record.events[index] { true } else { false }
      }
    }

    /// Every record of that, by one that nothing went wrong with.
    private func wanted() throws -> [UInt8] {
      let image = try Image.open(path: folder.file("wanted"))
      try Workload.thin(0..<6_000, of: image)
      defer { try? image.close() }
      return try image.dump()
    }

    @Test func `where the file system has no holes an image is closed as ever`() throws {
      for number in ["1", "2"] {
        let record = try #require(try thin(["PUNCH_FAIL": number]))
        #expect(holes(in: record).count == Int(number)! - 1)
        let image = try Image.open(path: path)
        #expect(image.opening == OpeningReport(opened: false))
        #expect(try image.dump() == wanted())
        try image.close()
        for name in try folder.contents where name.hasPrefix("image") {
          try FileManager.default.removeItem(atPath: folder.file(name))
        }
        try FileManager.default.removeItem(atPath: trace.file("trace"))
      }
    }

    @Test(arguments: [1, 2, 5])
    func `a process that dies among the holes leaves a sound image`(_ number: Int) throws {
      #expect(try thin(["PUNCH_DIE": String(number)]) == nil)
      let image = try Image.open(path: path)
      #expect(image.opening == OpeningReport(opened: true))
      #expect(try image.dump() == wanted())
      try Workload.mark(1, in: image)
      try image.close()
      #expect(try Verifier.verify(at: path).isSound)
    }

    @Test func `an image that was given back already is not written to again`() throws {
      let first = try #require(try thin())
      #expect(holes(in: first).count > 0)
      try FileManager.default.removeItem(atPath: trace.file("trace"))
      let worker = try WorkerProcess(
        ["mark", path, "checkpointed", "0.01", "1"],
        environment: ["FLUSH_RECORD": trace.file("trace"), "FLUSH_FOLDER": folder.file("")])
      _ = try worker.finish()
      let second = FlushRecord([UInt8](try Data(contentsOf: URL(filePath: trace.file("trace")))))
      #expect(holes(in: second) == [])
    }

    @Test func `a power cut among the holes, or behind them, loses nothing`() throws {
      var generator = SeededGenerator()
      var disk = try SimulatedDisk(folder: folder.path)
      let record = try #require(try thin())
      let wanted = try wanted()
      let holes = holes(in: record)
      let first = try #require(holes.first)
      var places = Set([first, holes[holes.count - 1]])
      places.formUnion((0..<2).map { _ in holes.randomElement(using: &generator)! })
      places.formUnion(
        (0..<2).map { _ in Int.random(in: first..<record.events.count, using: &generator) })
      for (place, event) in record.events.enumerated() {
        disk.apply(event)
        guard places.contains(place) else { continue }
        for loss in SimulatedDisk.Loss.allCases {
          let left = try TemporaryFolder()
          try disk.cut(loss, into: left.path, using: &generator)
          var options = Image.Options()
          options.onDamage = .refuse
          options.internals.boot = generator.bytes(count: 16)
          let image = try Image.open(path: left.file("image"), options: options)
          #expect(try image.dump() == wanted, "\(loss) at \(place): \(image.opening)")
          try Workload.mark(1, in: image)
          try image.close()
          let report = try Verifier.verify(at: left.file("image"))
          #expect(report.isSound, "\(report.faults)")
        }
      }
    }
  }
#endif
