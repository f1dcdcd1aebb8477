import BatonImage
import Foundation
import FuzzTargets
import ImageFixtures
import TestSupport
import Testing

/// Hostile files, loaded in processes of their own: what ends one fails a test here by name, and its
/// memory is measured alone.
@Suite struct DamagedImageTests {
  private let folder: TemporaryFolder
  /// Where a process notes what it loads, which is what it did when it ended.
  private let notes: String

  init() throws {
    folder = try TemporaryFolder()
    notes = folder.file("notes")
  }

  /// How many files are damaged in all, `DAMAGED_IMAGES` of them.
  static let count =
    ProcessInfo.processInfo.environment["DAMAGED_IMAGES"].flatMap { Int($0) } ?? 440
  static let lanes = 4
  static let seed = SeededGenerator().seed

  @Test(.timeLimit(.minutes(10)), arguments: 0..<lanes)
  func `a damaged file ends with a report or a right read, soon and in little memory`(
    lane: Int
  ) async throws {
    let (seed, count) = (Self.seed, Self.count)
    let result = await #expect(processExitsWith: .success) {
      [lane = lane as Int, seed = seed as UInt64, count = count as Int, notes = notes as String] in
      noting(notes) { note in
        let runs = stride(from: lane, to: count, by: DamagedImageTests.lanes)
        let tally = try DamageTrial.run(seed: seed, runs: runs, note: note)
        note("\(tally)")
        // Damage that is never met has not been tested.
        #expect(count < 100 || tally.reported > 0 && tally.refused > 0 && tally.sound > 0)
      }
    }
    tell(result, "lane \(lane)")
  }

  @Test(.timeLimit(.minutes(5)))
  func `a file made to end its reader is reported, soon and in little memory`() async throws {
    let result = await #expect(processExitsWith: .success) { [notes = notes as String] in
      noting(notes) { note in
        var trial = DamageTrial()
        for file in CraftedFile.all {
          note(file.name)
          let bytes = file.make()
          for policy in [.refuse, .salvage, .discard] as [Image.DamagePolicy] {
            let outcome = try trial.run(bytes, onDamage: policy)
            if case .sound = outcome { throw Finding("taken for sound") }
          }
        }
        note("all reported")
      }
    }
    tell(result, "crafted files")
  }

  /// Prints what a process came to, or names what it was at when it failed.
  private func tell(_ result: ExitTest.Result?, _ what: String) {
    let note = (try? String(contentsOfFile: notes, encoding: .utf8)) ?? "nothing noted"
    print("\(what): \(note)")
    if result == nil { Issue.record("\(what) ended at: \(note)") }
  }
}

/// Runs a body that notes what it is at, in a file; then ends this process as the body does.
private func noting(_ path: String, _ body: ((String) -> Void) throws -> Void) {
  var last = ""
  func write(_ text: String) { try? text.write(toFile: path, atomically: false, encoding: .utf8) }
  do {
    try body { note in
      last = note
      write(note)
    }
  } catch {
    write("\(last): \(error)")
    exit(EXIT_FAILURE)
  }
}
