import Foundation
import Testing

/// The tables of Docs/Format.md.
struct FormatDocument {
  /// The rows of the tables, each as its cells, by the number of the section.
  private var sections: [Int: [[String]]] = [:]

  init() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Docs/Format.md")
    let text = try String(contentsOf: path, encoding: .utf8)
    for part in text.components(separatedBy: "\n## ").dropFirst() {
      let number = try #require(Int(part.prefix { $0.isNumber }))
      sections[number] = part.split(separator: "\n").filter { $0.hasPrefix("|") }.map(Self.cells)
    }
  }

  private static func cells(of line: Substring) -> [String] {
    let text = line.replacing("\\|", with: "/")
    return text.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The rows of the tables of a section whose first row begins with `heading`.
  func rows(of section: Int, _ heading: String) throws -> [[String]] {
    var rows: [[String]] = []
    var isInside = false
    var before: [String] = []
    for row in try #require(sections[section]) {
      if row.first?.hasPrefix("---") == true {
        isInside = before.first == heading
        if !rows.isEmpty, rows.last == before { rows.removeLast() }
      } else if isInside {
        rows.append(row)
      }
      before = row
    }
    return rows
  }

  /// The names of a section's fields with their offsets and sizes, of those that have an offset.
  func offsets(of section: Int) throws -> [String: (offset: Int, size: Int?)] {
    var fields: [String: (offset: Int, size: Int?)] = [:]
    for row in try rows(of: section, "offset") {
      if let offset = Int(row[0]) { fields[row[2]] = (offset, Int(row[1])) }
    }
    return fields
  }
}
