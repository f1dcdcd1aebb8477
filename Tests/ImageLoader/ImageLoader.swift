import BatonImage
import FuzzTargets
import Foundation

/// Loads hostile files in a process of its own, so that what ends it, and what it uses, is theirs:
///
///     image-loader NOTES crafted
///     image-loader NOTES damaged SEED FIRST END STEP
///
/// It notes in the file NOTES what it is at, and at last what it came to. A finding is noted with
/// where it was met, and ends the process with status 1.
@main
struct ImageLoader {
  private let notes: String
  private var last = ""

  static func main() {
    let arguments = CommandLine.arguments
    precondition(arguments.count > 2, "usage: image-loader NOTES crafted | ...")
    var loader = ImageLoader(notes: arguments[1])
    do {
      switch arguments[2] {
      case "crafted": try loader.loadCrafted()
      default:
        let numbers = arguments.dropFirst(3).compactMap { UInt64($0) }
        precondition(numbers.count == 4, "damaged wants four numbers")
        let runs = stride(from: Int(numbers[1]), to: Int(numbers[2]), by: Int(numbers[3]))
        try loader.loadDamaged(numbers[0], Array(runs))
      }
    } catch {
      loader.note("\(loader.last): \(error)")
      exit(EXIT_FAILURE)
    }
  }

  private init(notes: String) { self.notes = notes }

  private mutating func note(_ text: String) {
    last = text
    try? text.write(toFile: notes, atomically: false, encoding: .utf8)
  }

  private mutating func loadDamaged(_ seed: UInt64, _ runs: [Int]) throws {
    let tally = try DamageTrial.run(seed: seed, runs: runs) { note($0) }
    note("\(tally)")
    // Damage that is never met has not been tested.
    guard runs.count < 100 || tally.reported > 0 && tally.refused > 0 && tally.sound > 0 else {
      throw Finding("nothing of one of these")
    }
  }

  private mutating func loadCrafted() throws {
    var trial = DamageTrial()
    for file in CraftedFile.all {
      note(file.name)
      let bytes = file.make()
      for policy in [.refuse, .salvage, .discard] as [Image.DamagePolicy] {
        let outcome = try trial.run(bytes, onDamage: policy)
        if case .sound = outcome, !file.isSound { throw Finding("taken for sound") }
      }
    }
    note("all \(CraftedFile.all.count) reported, or kept in bounds")
  }
}
