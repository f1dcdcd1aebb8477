import Foundation
import Testing

/// The table of Docs/Testing.md names tests that there are.
@Suite struct ScenarioTableTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A file or target that the table names, and the sentences it names of it.
  struct Reference: Equatable {
    var place: String
    var sentences: [String]
  }

  /// The last column of each scenario's line.
  static func references() throws -> [(scenario: String, references: [Reference])] {
    let text = try String(
      contentsOf: root.appending(path: "Docs/Testing.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("| S") }.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let references = cells.last.map { cell in
        cell.components(separatedBy: "; ").map { part in
          let pieces = part.components(separatedBy: "`")
          return Reference(
            place: pieces[0].trimmingCharacters(in: .whitespaces),
            sentences: stride(from: 1, to: pieces.count, by: 2).map { pieces[$0] })
        }
      }
      return (cells.first ?? "", references ?? [])
    }
  }

  /// The text of the file a place means, or of all files of a target.
  static func source(_ place: String) throws -> String {
    let tests = root.appending(path: "Tests")
    let isFolder = { (url: URL) in
      (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
    }
    let own = place.hasPrefix("Rules/") || place.hasPrefix("Scenarios/")
    let url = tests.appending(path: own ? "BatonImageTests/" + place : place)
    guard isFolder(url) else {
      return try String(contentsOf: url.appendingPathExtension("swift"), encoding: .utf8)
    }
    let files = try FileManager.default.contentsOfDirectory(
      at: url, includingPropertiesForKeys: nil)
    return try files.filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
  }

  @Test func `every test that the table of scenarios names is there`() throws {
    let lines = try Self.references()
    #expect(lines.count > 40)
    for (scenario, references) in lines {
      #expect(!references.isEmpty, "\(scenario)")
      for reference in references {
        let source = try Self.source(reference.place)
        #expect(source.contains("@Test"), "\(scenario): \(reference.place)")
        for sentence in reference.sentences {
          #expect(
            source.contains("func `\(sentence)`("), "\(scenario): \(reference.place): \(sentence)")
        }
      }
    }
  }
}
