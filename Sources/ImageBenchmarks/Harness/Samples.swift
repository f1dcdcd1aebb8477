/// The times one contender took, in nanoseconds an operation.
struct Samples {
  private(set) var times: [Double] = []

  /// Times `body`, which does `operations` operations.
  mutating func time<Result, Failure: Error>(
    _ operations: Int = 1, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = ContinuousClock.now
    let result = try body()
    let elapsed = ContinuousClock.now - start
    add(elapsed / operations)
    return result
  }

  mutating func add(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    times.append(Double(seconds) * 1e9 + Double(attoseconds) * 1e-9)
  }

  /// Forgets what was timed so far: the warm-up.
  mutating func removeAll() { times.removeAll(keepingCapacity: true) }

  var best: Double { times.min() ?? .nan }

  var mean: Double { times.reduce(0, +) / Double(times.count) }

  var median: Double {
    guard !times.isEmpty else { return .nan }
    let sorted = times.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// Keeps a result from being optimized away.
@inline(never)
func consume<Value>(_ value: Value) {}
