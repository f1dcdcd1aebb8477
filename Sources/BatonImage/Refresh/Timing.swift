public import Foundation

/// Where requests get the time, their pauses and their chance from; tests bring their own.
public struct Timing: Sendable {
  public var now: @Sendable () -> Date
  /// Waits; throws when the task is cancelled meanwhile.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// A number from 0 up to 1, without 1.
  public var random: @Sendable () -> Double

  public init(
    now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void,
    random: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.sleep = sleep
    self.random = random
  }

  /// The machine's clock and random numbers.
  public static let system = Timing(
    now: { Date() }, sleep: { try await Task.sleep(for: $0) }, random: { .random(in: 0..<1) })
}

extension Duration {
  /// The duration in seconds, as the Foundation counts them.
  var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
