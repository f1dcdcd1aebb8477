import Foundation

/// SplitMix64: the same numbers for the same seed, on every machine.
///
/// Made without a seed it takes one from `TEST_SEED`, or at random, and prints it, so that a failure
/// can be run again.
public struct SeededGenerator: RandomNumberGenerator {
  public let seed: UInt64
  private var state: UInt64

  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  public init(file: String = #fileID, line: Int = #line) {
    let asked = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) }
    self.init(seed: asked ?? UInt64.random(in: .min ... .max))
    print("\(file):\(line): TEST_SEED=\(seed)")
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Up to `limit` bytes of any value, fewer as often as more.
  public mutating func bytes(upTo limit: Int) -> [UInt8] {
    bytes(count: Int.random(in: 0...limit, using: &self))
  }

  public mutating func bytes(count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// True once in `n` times.
  public mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}
