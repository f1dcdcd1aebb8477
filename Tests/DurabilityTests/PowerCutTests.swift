import BatonImage
import DurabilitySupport
import Foundation
import TestSupport
import Testing

#if os(Linux)
  /// What is left of an image after the machine lost its power, by simulation: a process's writes and
  /// flushes are recorded, and everything that was not flushed may be there, gone, torn or zero.
  @Suite(.timeLimit(.minutes(60)))
  struct PowerCutTests {
    /// How often the power is cut in each mode.
    static let cuts = ProcessInfo.processInfo.environment["IMAGE_CUTS"].flatMap { Int($0) } ?? 30

    /// Whose commits a power cut meets.
    enum Writers: String, CaseIterable {
      case checkpointed, durable
      /// With a log that many commits are too large for.
      case narrow
      /// Two durable handles, which add to the log in turn.
      case shared
      /// A durable handle beside one that isn't, whose commits the log lacks.
      case mixed

      var durability: Image.Durability { self == .checkpointed ? .checkpointed : .durable }

      /// Room for some ten commits, so that the log goes from one segment to the other and back.
      var logSegment: Int { self == .narrow ? 8 << 10 : 64 << 10 }
    }

    /// A recording of a worker's commits, from the making of the image on.
    private func record(
      _ folder: TemporaryFolder, _ writers: Writers
    ) throws -> FlushRecord {
      let trace = try TemporaryFolder()
      let worker = try WorkerProcess(
        [
          "commit", folder.file("image"), writers.rawValue, "160", "300", "7",
        ],
        environment: [
          "FLUSH_RECORD": trace.file("trace"), "FLUSH_FOLDER": folder.file(""),
          "LOG_SEGMENT": "\(writers.logSegment)",
        ])
      // A checkpoint that the clock began may be told of behind it.
      #expect(try worker.finish().contains("end"))
      return FlushRecord([UInt8](try Data(contentsOf: URL(filePath: trace.file("trace")))))
    }

    @Test(
      .enabled(if: !Sanitizers.isAny, "sanitizers stand where the recorder would"),
      arguments: Writers.allCases)
    func `a power cut leaves the last commit that was promised, and an image that goes on`(
      _ writers: Writers
    ) throws {
      var generator = SeededGenerator()
      let folder = try TemporaryFolder()
      var disk = try SimulatedDisk(folder: folder.path)
      let events = try record(folder, writers).events
      #expect(events.count > 1000)
      let boundaries = events.indices.filter { index in
        if case .flushed = events[index] { true } else { false }
      }
      // At each end of a flush, and anywhere between.
      var places = Set((0..<Self.cuts).map { _ in boundaries.randomElement(using: &generator)! })
      places.formUnion(
        (0..<Self.cuts / 2).map { _ in events.indices.randomElement(using: &generator)! })
      var (acknowledged, checkpointed, others) = (0, 0, 0)
      for (place, event) in events.enumerated() {
        disk.apply(event)
        if case .line(let text) = event {
          let lines = text.components(separatedBy: "\n")
          acknowledged = max(acknowledged, WorkerProcess.last("a", in: lines))
          checkpointed = max(checkpointed, WorkerProcess.last("c", in: lines))
          others = max(others, WorkerProcess.last("b", in: lines))
        }
        guard places.contains(place) else { continue }
        let loss =
          generator.oneIn(5)
          ? SimulatedDisk.Loss.everything
          : generator.oneIn(6) ? .nothing : .mixed
        try check(
          disk, loss, writers,
          promised: writers == .checkpointed ? checkpointed : max(acknowledged, checkpointed),
          highest: max(acknowledged, others) + 1, &generator)
      }
    }

    private func check(
      _ disk: SimulatedDisk, _ loss: SimulatedDisk.Loss, _ writers: Writers,
      promised: Int, highest: Int, _ generator: inout SeededGenerator
    ) throws {
      let folder = try TemporaryFolder()
      try disk.cut(loss, into: folder.path, using: &generator)
      let path = folder.file("image")
      if promised == 0, !FileManager.default.fileExists(atPath: path) { return }
      var options = Image.Options(durability: writers.durability)
      options.onDamage = .refuse
      options.internals.logSegment = writers.logSegment
      options.internals.boot = generator.bytes(count: 16)
      let image = try Image.open(path: path, options: options)
      let state = try Workload.state(of: image)
      #expect(state >= promised && state <= highest, "\(loss) \(image.opening)")
      for number in state + 1...state + 20 { try Workload.commit(number, to: image) }
      try image.close()
      let report = try Verifier.verify(at: path)
      #expect(report.isSound, "\(report.faults)")
      options.isReadOnly = true
      let again = try Image.open(path: path, options: options)
      #expect(try Workload.state(of: again) == state + 20)
      #expect(again.opening.outcome == .opened)
      try again.close()
    }
  }
#endif
