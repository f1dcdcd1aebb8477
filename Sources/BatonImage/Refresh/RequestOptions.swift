/// How requests of a refresh or of discoveries are made.
public struct RequestOptions: Sendable {
  /// How many requests are under way at most.
  public var concurrency: Int
  public var retry: RetryPolicy
  public var rateLimits: RateLimitPolicy
  public var timing: Timing

  public init(
    concurrency: Int = 2, retry: RetryPolicy = RetryPolicy(),
    rateLimits: RateLimitPolicy = .wait(atMost: .seconds(30)), timing: Timing = .system
  ) {
    self.concurrency = max(1, concurrency)
    self.retry = retry
    self.rateLimits = rateLimits
    self.timing = timing
  }
}
