import Foundation

/// A question of the budget: what is measured, against what.
protocol Question: Sendable {
  /// `B1`.
  static var name: String { get }
  static var title: String { get }

  /// Measures, and fills the answer.
  static func ask(_ answer: inout Answer, _ setting: Setting) throws
}

/// What a run is like, and where it may write.
struct Setting {
  let isQuick: Bool
  let folder: Scratch

  /// A count for a full run, or the one for a quick look.
  func count(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }
}

/// The questions in their order.
enum Suite {
  static var questions: [any Question.Type] {
    [
      RowByIdQuestion.self, FieldQuestion.self, CommitQuestion.self, UnchangedQuestion.self,
      OpenQuestion.self, SizeQuestion.self, ScaleQuestion.self, EncodingQuestion.self,
      MemoryQuestion.self, ParallelReadsQuestion.self, CommitBesideReadersQuestion.self,
    ]
  }

  static func run(_ arguments: Arguments) throws -> Report {
    var report = Report(isQuick: arguments.isQuick)
    for question in questions
    where arguments.filter.isEmpty || arguments.filter.contains(question.name) {
      var answer = Answer(question: question.name, title: question.title)
      let folder = try Scratch()
      try question.ask(&answer, Setting(isQuick: arguments.isQuick, folder: folder))
      if !arguments.printsJSON { print(answer.table) }
      report.answers.append(answer)
    }
    return report
  }
}
