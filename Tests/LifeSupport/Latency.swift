/// The times that commits of one process take to reach another.
///
/// Both are processes of their own: in that of the tests others hold the threads that tasks run on.
public struct Latency: CustomStringConvertible, Sendable {
  private let milliseconds: [Double]

  /// Of lines with a commit's number and a time in nanoseconds: of the commits that both list.
  public init(from committed: [String], to delivered: [String]) {
    let times = Self.times(delivered)
    milliseconds = Self.times(committed).compactMap { commit, time in
      times[commit].map { $0 < time ? 0 : Double($0 - time) / 1e6 }
    }.sorted()
  }

  public var count: Int { milliseconds.count }

  public var description: String {
    guard let worst = milliseconds.last else { return "none" }
    return "median \(milliseconds[count / 2]) ms, worst \(worst) ms, of \(count)"
  }

  /// Times by commit number; of several the first.
  private static func times(_ lines: [String]) -> [UInt64: UInt64] {
    let pairs = lines.map { $0.split(separator: " ").compactMap { UInt64($0) } }
    return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
  }
}
