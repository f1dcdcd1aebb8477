import TestSupport
import Testing

/// Holds the image to a store of a few dictionaries over pages of connections, inserted and deleted
/// edges, and new launches (R6).
@Suite(.timeLimit(.minutes(60))) struct ListTests {
  @Test(arguments: ModelRuns.lanes)
  func `an image has the edges that a store of dictionaries has`(lane: Int) throws {
    try ModelRuns.run(lane) { seed in
      var sequence = try ListSequence(seed: seed)
      do {
        for _ in 0..<10 {
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
