import BatonImage
import Foundation
import Synchronization

/// A clock that stands still but for what is slept, which takes no time.
final class ManualTiming: Sendable {
  private struct State {
    var now = Date()
    var sleeps: [Duration] = []
  }

  private let state = Mutex(State())
  private let chance: Double

  init(chance: Double = 0) {
    self.chance = chance
  }

  var now: Date { state.withLock { $0.now } }

  /// How long was slept, in order.
  var sleeps: [Duration] { state.withLock { $0.sleeps } }

  /// The sleeps in whole milliseconds.
  var milliseconds: [Int] { sleeps.map { Int(($0 / .milliseconds(1)).rounded()) } }

  func advance(by seconds: Double) {
    state.withLock { $0.now += seconds }
  }

  var timing: Timing {
    Timing(
      now: { self.now },
      sleep: { duration in
        try Task.checkCancellation()
        self.state.withLock {
          $0.sleeps.append(duration)
          $0.now += duration / .seconds(1)
        }
      },
      random: { self.chance })
  }

  /// Options with this clock, one request at a time.
  func options(
    _ rateLimits: RateLimitPolicy = .wait(atMost: .seconds(120)),
    retry: RetryPolicy = RetryPolicy(), concurrency: Int = 1
  ) -> RequestOptions {
    RequestOptions(
      concurrency: concurrency, retry: retry, rateLimits: rateLimits, timing: timing)
  }
}
