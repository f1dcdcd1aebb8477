/// Rows of cells in aligned columns.
struct TextTable {
  enum Alignment {
    case left
    case right
  }

  private let alignments: [Alignment]
  private var rows: [[String]] = []

  init(_ alignments: [Alignment]) {
    self.alignments = alignments
  }

  /// Adds a row, with a cell for each column.
  mutating func add(_ cells: String...) {
    precondition(cells.count == alignments.count, "a cell for each column")
    rows.append(cells)
  }

  var isEmpty: Bool { rows.isEmpty }

  /// The lines, indented, without spaces at their ends.
  var lines: [String] {
    let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = " "
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        line += " " + (alignments[column] == .left ? cell + padding : padding + cell) + " "
      }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
