import Foundation
import Synchronization

/// What the requests of one run hold in common: a pause after a rate limit, and the reason to stop.
final class RequestGate: Sendable {
  private let options: RequestOptions
  private let state = Mutex(State())

  private struct State {
    /// Until when nothing is sent.
    var resumesAt: Date?
    /// Why nothing more is sent.
    var stop: ServiceFailure?
    var failuresInARow = 0
    /// How many limits came without a time since the last answer.
    var limitsUnsaid = 0
  }

  init(_ options: RequestOptions) {
    self.options = options
  }

  /// When the pause of a rate limit ends; nil when there is none.
  var pausedUntil: Date? {
    let resumesAt = state.withLock { $0.resumesAt }
    return resumesAt.flatMap { $0 > options.timing.now() ? $0 : nil }
  }

  /// Waits until a request may be sent; the reason when none may be any more.
  func pass() async -> ServiceFailure? {
    while true {
      if let stop = state.withLock({ $0.stop }) { return stop }
      if Task.isCancelled { return ServiceFailure(.cancelled, "cancelled before it was sent") }
      guard let until = pausedUntil else { return nil }
      let pause = until.timeIntervalSince(options.timing.now())
      // A pause ends early by cancellation alone, which the next turn finds.
      try? await options.timing.sleep(.seconds(pause))
    }
  }

  /// Ends the run: what is not sent yet is not sent.
  func stop(_ reason: ServiceFailure) {
    state.withLock { if $0.stop == nil { $0.stop = reason } }
  }

  /// Notes that a request was answered with data.
  func noteAnswer() {
    state.withLock {
      $0.failuresInARow = 0
      $0.limitsUnsaid = 0
    }
  }

  /// Notes a failure, and waits when the request is worth another try; false when it isn't.
  func shouldRetry(after failure: ServiceFailure, attempt: Int) async -> Bool {
    if failure.kind == .rateLimited {
      return noteLimit(failure) && attempt < options.retry.attempts
    }
    let isOver = state.withLock { (state) -> Bool in
      state.failuresInARow += 1
      guard failure.kind.concernsAll || state.failuresInARow >= options.retry.failuresInARow else {
        return state.stop != nil
      }
      if state.stop == nil { state.stop = failure }
      return true
    }
    guard !isOver, failure.kind.isPassing, attempt < options.retry.attempts else { return false }
    var pause = options.retry.delay(after: attempt, chance: options.timing.random())
    if let retryAt = failure.retryAt {
      let said = Duration.seconds(retryAt.timeIntervalSince(options.timing.now()))
      guard said <= options.rateLimits.limit else { return false }
      pause = max(pause, said)
    }
    do { try await options.timing.sleep(pause) } catch { return false }
    return true
  }

  /// Pauses the run for a rate limit; false, and the run stops, when the wait would be too long.
  private func noteLimit(_ failure: ServiceFailure) -> Bool {
    let now = options.timing.now()
    let chance = options.timing.random()
    return state.withLock { state in
      guard state.stop == nil else { return false }
      let wait: Duration
      if let retryAt = failure.retryAt {
        wait = .seconds(retryAt.timeIntervalSince(now))
      } else if let resumesAt = state.resumesAt, resumesAt > now {
        // Requests that were under way together met the same limit.
        return true
      } else {
        wait = RateLimitPolicy.unsaid * (1 << min(state.limitsUnsaid, 10))
        state.limitsUnsaid += 1
      }
      guard options.rateLimits != .report, wait <= options.rateLimits.limit else {
        state.stop = failure
        return false
      }
      // A little later than said, so that clients that wait together don't return together.
      let until = now + max(wait.seconds, 0) + chance
      state.resumesAt = max(state.resumesAt ?? until, until)
      return true
    }
  }
}
