import Foundation

/// Where a time lies between the two ends of an axis.
struct Scale {
  let isLogarithmic: Bool
  /// The times that are marked, ascending; the first and the last are the ends.
  let ticks: [Double]

  /// The longest may be this many times the shortest before bars become unreadable.
  private static let linearSpan = 20.0

  /// The scale for some times, which are above zero.
  init(_ times: [Double]) {
    let (shortest, longest) = (times.min() ?? 1, times.max() ?? 1)
    isLogarithmic = longest > shortest * Self.linearSpan
    ticks =
      isLogarithmic
      ? Self.decades(from: shortest, to: longest) : Self.steps(to: longest)
  }

  /// 0 at the first tick, 1 at the last.
  func position(of time: Double) -> Double {
    guard let first = ticks.first, let last = ticks.last else { return 0 }
    return isLogarithmic
      ? log10(time / first) / log10(last / first) : (time - first) / (last - first)
  }

  /// Powers of ten around both; the shortest keeps a bar of a third of a decade at least.
  private static func decades(from shortest: Double, to longest: Double) -> [Double] {
    let first = Int(floor(log10(shortest / 2)))
    let last = max(first + 1, Int(ceil(log10(longest))))
    return (first...last).map { pow(10, Double($0)) }
  }

  /// Zero and up to five round steps.
  private static func steps(to longest: Double) -> [Double] {
    let decade = pow(10, floor(log10(longest / 5)))
    let step = [1, 2, 5, 10].map { $0 * decade }.first { $0 * 5 >= longest } ?? longest
    return (0...Int(ceil(longest / step))).map { Double($0) * step }
  }
}
