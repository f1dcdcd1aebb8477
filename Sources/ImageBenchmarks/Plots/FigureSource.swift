/// Which measurements of a question a figure shows.
struct FigureSource {
  struct Bar {
    var name: String
    var detail: String
    /// The measurement's name in the answer.
    var contender: String

    init(_ name: String, _ detail: String, _ contender: String) {
      self.name = name
      self.detail = detail
      self.contender = contender
    }
  }

  var question: String
  /// Whether the mean is shown; else the median.
  var isMean: Bool
  /// A figure whose bars are yet to be measured.
  var frame: Figure
  var bars: [Bar]

  /// The figure, or nil when the answer is another question's or lacks a contender.
  func figure(of answer: Answer) -> Figure? {
    guard answer.question == question else { return nil }
    var figure = frame
    for bar in bars {
      guard let measured = answer.measurements.first(where: { $0.contender == bar.contender })
      else { return nil }
      figure.bars.append(
        Figure.Bar(
          name: bar.name, detail: bar.detail,
          nanoseconds: isMean ? measured.mean : measured.median,
          isImage: bar.name == Self.image))
    }
    return figure
  }

  private static let image = "baton-image"

  /// All figures.
  static let all = [rows, commits, unchanged]

  private static let rows = FigureSource(
    question: "B1", isMean: false,
    frame: Figure(
      name: "row-by-id", title: "Reading a row by id",
      subtitle: "eight fields as Swift values, anywhere among 100,000 records",
      measure: "median time of a row", bars: []),
    bars: [
      Bar("raw LMDB", "two gets, no values made", "raw LMDB, two gets"),
      Bar(image, "values from its row", "image, row"),
      Bar("SQLite layout", "the same row as a blob", "SQLite layout, row"),
      Bar("SQLite with JSON", "a text, Foundation's parser", "SQLite with JSON, row"),
    ])

  private static let commits = FigureSource(
    question: "B3", isMean: true,
    frame: Figure(
      name: "commit", title: "Committing a response",
      subtitle: "50 subjects, 200 records all changed, into 100,000 records, without a flush",
      measure: "mean time of a commit", bars: []),
    bars: [
      Bar("raw LMDB", "writes rows made before", "raw LMDB without sync, the rows alone"),
      Bar(image, "from the response's bytes", "image, checkpointed"),
      Bar("SQLite layout", "writes rows made before", "SQLite layout, the rows alone"),
      Bar("SQLite with JSON", "from the response's bytes", "SQLite with JSON"),
    ])

  private static let unchanged = FigureSource(
    question: "B4", isMean: true,
    frame: Figure(
      name: "unchanged", title: "Committing the same response again",
      subtitle: "50 subjects, 200 records, none changed",
      measure: "mean time of a commit", bars: []),
    bars: [
      Bar("raw LMDB", "compares rows made before", "raw LMDB, the rows compared"),
      Bar(image, "knows the response's bytes", "image, the same response again"),
      Bar("SQLite layout", "compares rows made before", "SQLite layout, the rows compared"),
      Bar(
        "SQLite with JSON", "from the response's bytes", "SQLite with JSON, the same response again"
      ),
    ])
}
