import TestSupport
import Testing

/// Holds an image that gives up what is not used to a store of a few dictionaries, over launches (R8).
@Suite(.timeLimit(.minutes(60))) struct LaunchTests {
  @Test(arguments: ModelRuns.lanes)
  func `an image gives up what a store of dictionaries gives up`(lane: Int) throws {
    try ModelRuns.run(lane) { seed in
      var sequence = try LaunchSequence(seed: seed)
      do {
        for _ in 0..<16 {
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
