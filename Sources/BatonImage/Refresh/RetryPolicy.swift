/// When a request that failed is sent again.
public struct RetryPolicy: Sendable, Hashable {
  /// How often an id is asked at most.
  public var attempts: Int
  /// The pause after the first failure; it doubles with each further one, and up to half of it is
  /// left out at random, so that clients that failed together don't return together.
  public var firstDelay: Duration
  public var maximumDelay: Duration
  /// How many requests in a row may fail before the rest is given up: a service that answers
  /// nothing is not asked in ever smaller batches.
  public var failuresInARow: Int

  public init(
    attempts: Int = 5, firstDelay: Duration = .seconds(1), maximumDelay: Duration = .seconds(30),
    failuresInARow: Int = 10
  ) {
    self.attempts = max(1, attempts)
    self.firstDelay = firstDelay
    self.maximumDelay = maximumDelay
    self.failuresInARow = max(1, failuresInARow)
  }

  /// The pause after a number of failures, at least 1; `chance` is from 0 up to 1.
  func delay(after failures: Int, chance: Double) -> Duration {
    let doublings = min(failures - 1, 30)
    let full = min(firstDelay * (1 << doublings), maximumDelay)
    return full * (1 - chance / 2)
  }
}

/// What a rate limit leads to.
public enum RateLimitPolicy: Sendable, Hashable {
  /// The limit ends the run: what was not answered is reported as `rateLimited`.
  case report
  /// The limit is waited for, if the wait is no longer than this; else it is reported.
  ///
  /// A service that doesn't say until when is given a minute, and twice as long each further time.
  case wait(atMost: Duration)

  /// The longest wait.
  var limit: Duration {
    switch self {
    case .report: .zero
    case .wait(let limit): limit
    }
  }

  /// The first wait for a service that doesn't say how long.
  static let unsaid = Duration.seconds(60)
}
