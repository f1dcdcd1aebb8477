import Foundation

/// The answers of one run.
struct Report: Encodable {
  let isQuick: Bool
  var answers: [Answer] = []

  var isPassed: Bool { answers.allSatisfy(\.isPassed) }

  /// The last line of the tables.
  var verdictLine: String {
    let failed = answers.flatMap(\.ratios).count { $0.isPassed == false }
    let judged = answers.flatMap(\.ratios).count { $0.isPassed != nil }
    return failed == 0 ? "\(judged) budgets hold" : "\(failed) of \(judged) budgets do not hold"
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
