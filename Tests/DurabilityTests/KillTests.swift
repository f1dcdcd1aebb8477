import BatonImage
import DurabilitySupport
import Foundation
import TestSupport
import Testing

/// What a process that is killed leaves behind.
@Suite(.timeLimit(.minutes(60)))
struct KillTests {
  /// How many processes are killed in each mode.
  static let kills = ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? 12

  /// What a run of kills met.
  private struct Tally {
    /// The highest commit that is known to be there.
    var acknowledged = 0
    /// Kills of a process that had committed something, and of one that had not come so far.
    var working = 0
    var starting = 0
    /// States with a commit that was not acknowledged.
    var ahead = 0
  }

  @Test(arguments: [Image.Durability.checkpointed, .durable])
  func `a process killed at any moment leaves what it acknowledged, and at most one commit more`(
    _ durability: Image.Durability
  ) throws {
    var generator = SeededGenerator()
    let folder = try TemporaryFolder()
    let path = folder.file("image")
    var tally = Tally()
    for round in 1...Self.kills {
      let worker = try WorkerProcess([
        "commit", path, durability == .durable ? "durable" : "checkpointed", "1000000", "0",
        String(Int.random(in: 1...40, using: &generator)),
      ])
      // Every third is killed early, as it starts or opens; the others as they commit: directly after
      // the first commit, or some time later.
      var begun: [String] = []
      if round % 3 == 0 {
        usleep(UInt32.random(in: 1_000...60_000, using: &generator))
      } else {
        for _ in 0..<2 { begun.append(try worker.nextLine()) }
        usleep(UInt32.random(in: 0...60_000, using: &generator))
      }
      worker.kill()
      note(begun + worker.lines(), &tally)
      #expect(worker.complaint().text == "")
      // Every other time the next process finds what the killed one left.
      if round % 2 == 0, round < Self.kills { continue }
      if !FileManager.default.fileExists(atPath: path) { continue }
      try check(path, &tally)
    }
    #expect(tally.acknowledged > 0 && tally.working > 0)
    print(
      "\(durability): \(tally.working) killed at work, \(tally.starting) before,",
      "\(tally.acknowledged) commits, \(tally.ahead) states a commit ahead")
  }

  /// Takes in what a killed process said: what it found, and what it committed.
  private func note(_ lines: [String], _ tally: inout Tally) {
    guard lines.contains(where: { $0.hasPrefix("s ") }) else {
      tally.starting += 1
      return
    }
    let found = WorkerProcess.last("s", in: lines)
    #expect(found == tally.acknowledged || found == tally.acknowledged + 1)
    if found > tally.acknowledged { tally.ahead += 1 }
    let last = WorkerProcess.last("a", in: lines)
    if last > 0 { tally.working += 1 } else { tally.starting += 1 }
    tally.acknowledged = max(found, last)
  }

  /// Holds what is there to what was acknowledged.
  private func check(_ path: String, _ tally: inout Tally) throws {
    let report = try Verifier.verify(at: path)
    #expect(report.isSound, "\(report.faults)")
    let image = try Image.open(path: path, options: .init(isReadOnly: true))
    let state = try Workload.state(of: image)
    #expect(state == tally.acknowledged || state == tally.acknowledged + 1)
    #expect(image.opening.outcome == .opened)
    if state > tally.acknowledged { tally.ahead += 1 }
    tally.acknowledged = state
    try image.close()
  }
}
