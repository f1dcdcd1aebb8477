import Foundation

extension Answer {
  /// The answer for people.
  var table: String {
    var lines = ["\(question)  \(title)"]
    lines.append(Table.row("", ["best", "median", "mean"]))
    for measurement in measurements {
      let figures = [measurement.best, measurement.median, measurement.mean]
      lines.append(
        Table.row(measurement.contender, figures.map { Table.text($0, measurement.unit) }))
    }
    for ratio in ratios {
      var columns = [String(format: "%.2f", ratio.value)]
      if let budget = ratio.budget, let isPassed = ratio.isPassed {
        let sign = budget.side == .atMost ? "<=" : ">="
        columns.append("\(sign) \(String(format: "%.2f", budget.limit))")
        columns.append(isPassed ? "pass" : "FAIL")
      }
      lines.append(Table.row(ratio.what, columns))
    }
    lines.append(contentsOf: notes.map { "    \($0)" })
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Columns of text.
enum Table {
  private static let nameWidth = 52
  private static let columnWidth = 12

  static func row(_ name: String, _ columns: [String]) -> String {
    var line = "    " + name.padding(toLength: nameWidth, withPad: " ", startingAt: 0)
    for column in columns {
      line += String(repeating: " ", count: max(1, columnWidth - column.count)) + column
    }
    return line
  }

  static func text(_ value: Double, _ unit: Measurement.Unit) -> String {
    switch unit {
    case .nanoseconds:
      if value < 10_000 { return String(format: "%.1f ns", value) }
      if value < 10_000_000 { return String(format: "%.1f us", value / 1e3) }
      return String(format: "%.1f ms", value / 1e6)
    case .bytes: return String(format: "%.1f B", value)
    case .megabytesPerSecond: return String(format: "%.0f MB/s", value)
    }
  }
}
