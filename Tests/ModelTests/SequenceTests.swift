import TestSupport
import Testing

/// Holds the image to a store of a few dictionaries, over random documents and responses.
@Suite(.timeLimit(.minutes(60))) struct SequenceTests {
  @Test(arguments: ModelRuns.lanes)
  func `an image holds what a store of dictionaries holds after the same responses`(
    lane: Int
  ) throws {
    try ModelRuns.run(lane) { seed in
      var generator = SeededGenerator(seed: seed)
      var sequence = try ModelSequence()
      do {
        for _ in 0..<Int.random(in: 3...6, using: &generator) {
          try sequence.commit(using: &generator)
        }
        try sequence.compare()
        if generator.oneIn(20) {
          try sequence.reopen()
          try sequence.compare()
        }
        try sequence.close()
      } catch {
        throw ModelRuns.Failure(error: error, history: sequence.history)
      }
    }
  }
}
