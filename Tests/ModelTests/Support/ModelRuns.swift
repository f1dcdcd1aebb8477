import Foundation
import TestSupport
import Testing

/// How many sequences are run, and with which seeds: `MODEL_SEQUENCES` and `TEST_SEED`.
enum ModelRuns {
  /// Sequences run beside each other, a lane each.
  static let lanes = 0..<max(2, ProcessInfo.processInfo.activeProcessorCount)

  /// What went wrong, after which steps.
  struct Failure: Error {
    var error: any Error
    var history: String
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private static let count = Int(number("MODEL_SEQUENCES") ?? 400)
  /// The seeds of all sequences come from one.
  private static let seed = number("MODEL_SEED") ?? UInt64.random(in: .min ... .max)

  /// Runs the lane's sequences until one fails; the one of `TEST_SEED` alone where that is given.
  static func run(_ lane: Int, _ sequence: (_ seed: UInt64) throws -> Void) throws {
    if let seed = number("TEST_SEED") {
      if lane == 0 { run(seed: seed, sequence) }
      return
    }
    var seeds = SeededGenerator(seed: seed &+ UInt64(lane))
    for _ in stride(from: lane, to: count, by: lanes.count) {
      guard run(seed: seeds.next(), sequence) else { return }
    }
  }

  @discardableResult
  private static func run(seed: UInt64, _ sequence: (UInt64) throws -> Void) -> Bool {
    do {
      try sequence(seed)
      return true
    } catch let failure as Failure {
      Issue.record("TEST_SEED=\(seed): \(failure.error)\n\(failure.history)")
    } catch {
      Issue.record("TEST_SEED=\(seed): \(error)")
    }
    return false
  }
}
