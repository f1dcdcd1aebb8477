import TestSupport
import Testing

/// Holds the image to a store of a few dictionaries over refreshes, changed ids, discoveries,
/// deletions, writes and new launches (R4, R5, R9).
@Suite(.timeLimit(.minutes(60))) struct SubjectTests {
  @Test(arguments: ModelRuns.lanes)
  func `an image leads to the subjects that a store of dictionaries leads to`(lane: Int) throws {
    try ModelRuns.run(lane) { seed in
      var sequence = try SubjectSequence(seed: seed)
      do {
        for _ in 0..<8 {
          try sequence.step()
          try sequence.compare()
        }
        try sequence.close()
      } catch {
        throw ModelRuns.Failure(error: error, history: sequence.history)
      }
    }
  }
}
