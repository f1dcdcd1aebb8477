import BatonImage
import DurabilitySupport
import Foundation
import TestSupport
import Testing

/// What a process that is killed leaves behind.
@Suite(.timeLimit(.minutes(20)))
struct KillTests {
  /// How many processes are killed in each mode.
  static let kills = ProcessInfo.processInfo.environment["IMAGE_KILLS"].flatMap { Int($0) } ?? 12

  @Test(arguments: [Image.Durability.checkpointed, .durable])
  func `a process killed at any moment leaves what it acknowledged, and at most one commit more`(
    _ durability: Image.Durability
  ) throws {
    var generator = SeededGenerator()
    let folder = try TemporaryFolder()
    let path = folder.file("image")
    var acknowledged = 0
    for round in 1...Self.kills {
      let worker = try WorkerProcess([
        "commit", path, durability == .durable ? "durable" : "checkpointed", "1000000", "0",
        String(Int.random(in: 1...40, using: &generator)),
      ])
      usleep(UInt32.random(in: 20_000...120_000, using: &generator))
      worker.kill()
      let lines = worker.lines()
      if lines.contains(where: { $0.hasPrefix("s ") }) {
        let found = WorkerProcess.last("s", in: lines)
        #expect(found == acknowledged || found == acknowledged + 1)
        acknowledged = max(found, WorkerProcess.last("a", in: lines))
      }
      // Every other time the next process finds what the killed one left.
      if round % 2 == 0, round < Self.kills { continue }
      if !FileManager.default.fileExists(atPath: path) { continue }
      let report = try Verifier.verify(at: path)
      #expect(report.isSound, "\(report.faults)")
      let image = try Image.open(path: path, options: .init(isReadOnly: true))
      let state = try Workload.state(of: image)
      #expect(state == acknowledged || state == acknowledged + 1)
      #expect(image.opening.outcome == .opened)
      acknowledged = state
      try image.close()
    }
    #expect(acknowledged > 0)
  }
}
