import BatonImage
import Foundation
import Testing

/// Holds the offsets in code to the tables of Docs/Format.md, sections 14 to 17.
@Suite struct FormatDocumentTests {
  static let offsets: [(section: Int, name: String, offset: Int)] = [
    (14, "number", PageLayout.number), (14, "flags", PageLayout.flags),
    (14, "lower", PageLayout.lower), (14, "upper", PageLayout.upper),
    (14, "runLength", PageLayout.runLength),
    (15, "magic", MetaLayout.magic), (15, "version", MetaLayout.version),
    (15, "mapSize", MetaLayout.mapSize), (15, "freeTree", MetaLayout.freeTree),
    (15, "mainTree", MetaLayout.mainTree), (15, "lastPage", MetaLayout.lastPage),
    (15, "transaction", MetaLayout.transaction),
    (15, "pad", TreeLayout.padding), (15, "treeFlags", TreeLayout.flags),
    (15, "depth", TreeLayout.depth), (15, "branchPages", TreeLayout.branchPages),
    (15, "leafPages", TreeLayout.leafPages), (15, "overflowPages", TreeLayout.overflowPages),
    (15, "entries", TreeLayout.entries), (15, "root", TreeLayout.root),
    (17, "low", NodeLayout.low), (17, "high", NodeLayout.high),
    (17, "nodeFlags", NodeLayout.flags), (17, "keySize", NodeLayout.keySize),
    (17, "key", NodeLayout.key),
  ]

  /// The rows of the tables of a section that begin with an offset: name and offset.
  private static func rows(of section: Int) throws -> [String: Int] {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Docs/Format.md")
    let text = try String(contentsOf: path, encoding: .utf8)
    let parts = text.components(separatedBy: "\n## ")
    let body = try #require(parts.first { $0.hasPrefix("\(section). ") })
    var rows: [String: Int] = [:]
    for line in body.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.count == 6, let offset = Int(cells[1]) { rows[cells[3]] = offset }
    }
    return rows
  }

  @Test(arguments: [14, 15, 17])
  func `the engine's offsets are those of the document`(section: Int) throws {
    let rows = try Self.rows(of: section)
    let stated = Self.offsets.filter { $0.section == section }
    for (_, name, offset) in stated { #expect(rows[name] == offset, "\(name)") }
    // What no code reads: the pad of pages, the map's address, and the value behind a node's key.
    let unread = Set(rows.keys).subtracting(stated.map(\.name))
    #expect(unread.isSubset(of: ["pad", "address", "value"]))
  }
}
