import BatonImage
import DurabilitySupport
import Foundation
import Synchronization
import TestSupport
import Testing

/// What the log of durable commits is good for, and what it can't do harm to.
@Suite(.timeLimit(.minutes(60)))
struct CommitLogTests {
  /// An image whose machine lost its power: of what was committed behind the checkpoint the log alone
  /// came to the medium.
  struct Cut {
    let folder: TemporaryFolder
    var path: String { folder.file("image") }
    /// The commit of the checkpoint, and the last one.
    let checkpointed: Int
    let committed: Int
    /// The last state's records.
    let dump: [UInt8]
    let image: [UInt8]
    var checkpoint: [UInt8]

    init(
      checkpointed: Int = 5, committed: Int = 20,
      committing: (Image, Int) throws -> Void = { try Workload.commit($1, to: $0) }
    ) throws {
      folder = try TemporaryFolder()
      (self.checkpointed, self.committed) = (checkpointed, committed)
      let source = try TemporaryFolder()
      let path = source.file("image")
      var options = Image.Options(durability: .durable)
      options.checkpointInterval = .seconds(3600)
      let before = try Image.open(path: path, options: options)
      for number in 1...checkpointed { try Workload.commit(number, to: before) }
      try before.close()
      image = try [UInt8](Data(contentsOf: URL(filePath: path)))
      let writer = try Image.open(path: path, options: options)
      for number in checkpointed + 1...committed { try committing(writer, number) }
      checkpoint = try [UInt8](Data(contentsOf: URL(filePath: path + "-checkpoint")))
      dump = try writer.dump()
      try writer.close()
    }

    /// Opens what is left, in another session of the machine.
    func open(_ change: (inout Image.Options) -> Void = { _ in }) throws -> Image {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).forEach {
        try FileManager.default.removeItem(atPath: folder.file($0))
      }
      try Data(image).write(to: URL(filePath: path))
      try Data(checkpoint).write(to: URL(filePath: path + "-checkpoint"))
      return try openAgain(change)
    }

    func openAgain(_ change: (inout Image.Options) -> Void = { _ in }) throws -> Image {
      var options = Image.Options(durability: .durable)
      options.onDamage = .refuse
      options.internals.boot = [UInt8](repeating: 3, count: 16)
      change(&options)
      return try Image.open(path: path, options: options)
    }

    /// Where the records of the log lie in the checkpoint file, with their transactions.
    var records: [(bytes: Range<Int>, transaction: UInt64)] {
      var records: [(bytes: Range<Int>, transaction: UInt64)] = []
      var place = CommitLogLayout.start
      while checkpoint.count >= place + CommitLogLayout.writes,
        checkpoint[place..<place + 8].elementsEqual(CommitLogLayout.magicBytes)
      {
        let transaction = checkpoint.span.u64(at: place + CommitLogLayout.transaction)
        let size = Int(checkpoint.span.u64(at: place + CommitLogLayout.size))
        let count = CommitLogLayout.writes + size + CommitLogLayout.checksumSize
        if let last = records.last, last.transaction + 1 != transaction { break }
        records.append((place..<place + count, transaction))
        let units = (count + CommitLogLayout.alignment - 1) / CommitLogLayout.alignment
        place += units * CommitLogLayout.alignment
      }
      return records
    }

    /// Makes a record that was changed one that says of itself that it is whole.
    mutating func seal(_ record: Range<Int>) {
      let end = record.upperBound - CommitLogLayout.checksumSize
      let sum = hash(checkpoint.span.extracting(record.lowerBound..<end))
      for index in 0..<8 { checkpoint[end + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
    }
  }

  @Test func `commits that the log alone has are there after a power cut`() throws {
    let cut = try Cut()
    #expect(cut.records.count >= 15)
    let image = try cut.open()
    #expect(image.opening == OpeningReport(.recovered, wasVerified: true))
    #expect(try image.dump() == cut.dump)
    for number in 21...30 { try Workload.commit(number, to: image) }
    try image.close()
    let again = try cut.openAgain { $0.isReadOnly = true }
    #expect(again.opening == OpeningReport(.opened))
    #expect(try Workload.state(of: again) == 30)
    try again.close()
    #expect(try Verifier.verify(at: cut.path).isSound)
  }

  @Test func `what was deleted and cleared is done again too`() throws {
    for isCleared in [false, true] {
      let cut = try Cut(committed: 9) { image, number in
        switch number {
        case 6: _ = try image.forget(id: "S3")
        case 7: if isCleared { try image.removeAll() }
        default: try Workload.mark(number, in: image)
        }
      }
      let image = try cut.open()
      #expect(image.opening.outcome == .recovered)
      #expect(try image.dump() == cut.dump)
      try image.close()
      #expect(try Verifier.verify(at: cut.path).isSound)
    }
  }

  @Test func `who only reads finds what the log has, and leaves it for others to go on from`()
    throws
  {
    let cut = try Cut()
    let reader = try cut.open { $0.isReadOnly = true }
    #expect(reader.opening.outcome == .recovered)
    #expect(try reader.dump() == cut.dump)
    try reader.close()
    let writer = try cut.openAgain()
    #expect(writer.opening == OpeningReport(.opened))
    try Workload.commit(21, to: writer)
    try writer.close()
    let after = try cut.openAgain { $0.internals.boot = [UInt8](repeating: 5, count: 16) }
    #expect(try Workload.state(of: after) == 21)
    try after.close()
  }

  @Test func `a log cut anywhere leaves the commits before the cut`() throws {
    var generator = SeededGenerator()
    let whole = try Cut()
    let records = whole.records
    for _ in 0..<40 {
      var cut = whole
      let size = Int.random(in: CommitLogLayout.start..<whole.checkpoint.count, using: &generator)
      cut.checkpoint.removeSubrange(size...)
      let complete = records.count { $0.bytes.upperBound <= size }
      let image = try cut.open()
      let state = try Workload.state(of: image)
      #expect(state >= 5 && state <= 20)
      // The writes of a launch go with a commit or are one more record.
      if complete == records.count { #expect(state == 20) }
      if complete == 0 { #expect(state == 5) }
      try Workload.commit(state + 1, to: image)
      try image.close()
      #expect(try Verifier.verify(at: cut.path).isSound)
    }
  }

  @Test func `a damaged record ends the log`() throws {
    var generator = SeededGenerator()
    let whole = try Cut()
    for (index, record) in whole.records.enumerated() {
      var cut = whole
      cut.checkpoint[Int.random(in: record.bytes, using: &generator)] ^= 4
      let image = try cut.open()
      let state = try Workload.state(of: image)
      #expect(state >= 5 && state < 20 && state <= 5 + index)
      try image.close()
    }
  }

  @Test func `records whose checksums were made to fit cost what they say, and no more`() throws {
    var generator = SeededGenerator()
    let whole = try Cut()
    let records = whole.records
    var states: [Int: Int] = [:]
    for _ in 0..<150 {
      var cut = whole
      let record = try #require(records.randomElement(using: &generator)).bytes
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let places = record.lowerBound + CommitLogLayout.transaction..<record.upperBound - 8
        cut.checkpoint[Int.random(in: places, using: &generator)] =
          .random(in: 0...255, using: &generator)
      }
      cut.seal(record)
      let image = try cut.open()
      states[try Workload.state(of: image), default: 0] += 1
      try image.exercise()
      try image.close()
      #expect(try Verifier.verify(at: cut.path).isSound)
    }
    // A value that isn't sealed takes the whole log with it, unless a later commit wrote over it.
    #expect(states[5] ?? 0 > 15 && states.keys.allSatisfy { 5...20 ~= $0 })
  }

  @Test func `a log of another epoch or image is left alone`() throws {
    let whole = try Cut()
    let first = CommitLogLayout.start + CommitLogLayout.epoch
    var cut = whole
    for record in whole.records { cut.checkpoint[record.bytes.lowerBound + 8] ^= 1 }
    for record in whole.records { cut.seal(record.bytes) }
    #expect(cut.checkpoint[first] != whole.checkpoint[first])
    let image = try cut.open()
    #expect(try Workload.state(of: image) == 5)
    try image.close()
    // The image of somebody else, with this one's checkpoint.
    let other = try Cut(checkpointed: 7, committed: 8)
    cut.checkpoint = other.checkpoint
    let untouched = try cut.open()
    #expect(try Workload.state(of: untouched) == 5)
    try untouched.close()
  }

  @Test func `what was logged before a state was gone back to never comes again`() throws {
    var cut = try Cut()
    let records = cut.records
    // The tenth record is lost, and those around it are left over.
    cut.checkpoint[records[9].bytes.lowerBound + 40] ^= 1
    let image = try cut.open { $0.durability = .checkpointed }
    let state = try Workload.state(of: image)
    #expect(state < 20)
    try Workload.commit(state + 1, to: image)
    try image.close()
    let left = try [UInt8](Data(contentsOf: URL(filePath: cut.path + "-checkpoint")))
    #expect(left[CommitLogLayout.start...] == cut.checkpoint[CommitLogLayout.start...])
    let again = try cut.openAgain { $0.internals.boot = [UInt8](repeating: 9, count: 16) }
    #expect(again.opening == OpeningReport(.opened))
    #expect(try Workload.state(of: again) == state + 1)
    try again.close()
  }

  @Test func `durable commits need no checkpoint each, and some follow by themselves`() throws {
    let folder = try TemporaryFolder()
    var options = Image.Options(durability: .durable)
    options.checkpointInterval = .seconds(3600)
    options.internals.logSegment = 16 << 10
    let checkpoints = Mutex(0)
    options.events = { event in
      if case .checkpointed = event { checkpoints.withLock { $0 += 1 } }
    }
    let image = try Image.open(path: folder.file("image"), options: options)
    for number in 1...3 { try Workload.commit(number, to: image) }
    #expect(checkpoints.withLock { $0 } == 0)
    // Two segments of two or three commits each.
    for number in 4...30 { try Workload.commit(number, to: image) }
    #expect(2..<20 ~= checkpoints.withLock { $0 })
    try image.close()
  }
}
