import BatonDocuments
import BatonImage
import BatonPlan
import Foundation
import TestSupport
import Testing

/// Holds the image to a store of a few dictionaries, over random documents and responses.
///
/// `MODEL_SEQUENCES` says how many sequences are run; `TEST_SEED` runs the one of that seed alone.
@Suite(.timeLimit(.minutes(20))) struct SequenceTests {
  private static let lanes = 4

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test(arguments: 0..<lanes)
  func `an image holds what a store of dictionaries holds after the same responses`(
    lane: Int
  ) throws {
    if let seed = Self.number("TEST_SEED") {
      if lane == 0 { try Self.run(seed: seed, reopens: true) }
      return
    }
    let count = Int(Self.number("MODEL_SEQUENCES") ?? 400)
    var seeds = SeededGenerator(seed: UInt64.random(in: .min ... .max))
    for index in stride(from: lane, to: count, by: Self.lanes) {
      let seed = seeds.next()
      guard try Self.run(seed: seed, reopens: index / Self.lanes % 20 == 0) else { return }
    }
  }

  /// Runs one sequence; false when the image and the store differ.
  @discardableResult
  private static func run(seed: UInt64, reopens: Bool) throws -> Bool {
    var generator = SeededGenerator(seed: seed)
    var sequence = try ModelSequence()
    do {
      for _ in 0..<Int.random(in: 3...6, using: &generator) {
        try sequence.commit(using: &generator)
      }
      try sequence.compare()
      if reopens {
        try sequence.reopen()
        try sequence.compare()
      }
      try sequence.close()
      return true
    } catch {
      Issue.record("TEST_SEED=\(seed): \(error)\n\(sequence.history)")
      return false
    }
  }
}
