import BatonImage
import ImageFixtures
import Testing

/// One way to break a rule of sections 3 to 13 with every checksum right, and the structure and
/// word the report must name it by.
struct ValueTrick: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var structure: String
  var word: String
  var change: @Sendable (inout ImageFixture) -> Void

  init(
    _ testDescription: String, _ structure: String, _ word: String,
    _ change: @escaping @Sendable (inout ImageFixture) -> Void
  ) {
    self.testDescription = testDescription
    self.structure = structure
    self.word = word
    self.change = change
  }

  /// A trick on the cell of field 5 of a row of its own, number 20.
  static func cell(_ description: String, _ word: String, _ cell: [UInt8]) -> ValueTrick {
    ValueTrick(description, "row", word) { image in
      image.addRow(type: 4, key: Array("I_new".utf8), cells: [(5, cell)])
      image.finish()
    }
  }
}

@Suite struct CraftedValueTests {
  let scratch = Scratch()

  static let tricks =
    metaTricks + nameTricks + rowTricks + cellTricks + referenceTricks + otherTricks
    + FetchTricks.all

  private static let metaTricks = [
    ValueTrick("a header of another page size", "header", "page size") { image in
      image.change(.meta, 1) { $0.store(u32: 8192, at: 16) }
    },
    ValueTrick("a header whose account is cut", "header", "account") { image in
      image.change(.meta, 1) { $0.removeLast() }
    },
    ValueTrick("a header with more behind it", "header", "behind") { image in
      image.change(.meta, 1) { $0.append(0) }
    },
    ValueTrick("no state", "state", "none") { $0.tables[.meta]?[2] = nil },
    ValueTrick("a third key in meta", "meta 3", "no image") { $0.put(.meta, 3, [0, 0, 0, 0, 1]) },
    ValueTrick("a next record that was given", "row", "never given") { image in
      image.change(.meta, 2) { $0.store(u32: 5, at: 20) }
    },
    ValueTrick("a next record beyond all numbers", "state", "next record") { image in
      image.change(.meta, 2) { $0.store(u32: 2, at: 24) }
    },
    ValueTrick("more names than an image has", "state", "next name") { image in
      image.change(.meta, 2) { $0.store(u32: 20_000_000, at: 28) }
    },
    ValueTrick("an identity that can't be read", "header", "identity") { image in
      image.texts[0] = #"{"scope":"planet"}"#
      image.finish()
    },
    ValueTrick("a commit beyond all numbers", "state", "last commit") { image in
      image.commit = .max
      image.finish()
    },
    ValueTrick("a journal that begins elsewhere", "journal", "begins with") { image in
      image.change(.meta, 2) { $0.store(u32: 7, at: 36) }
    },
  ]

  private static let nameTricks = [
    ValueTrick("a name that is not UTF-8", "name 5", "UTF-8") { image in
      image.put(.names, 5, [0, 0, 0, 0, 2, 0xFF, 0xFE])
    },
    ValueTrick("a name of no kind", "name 5", "kind") { image in
      image.change(.names, 5) { $0[4] = 4 }
    },
    ValueTrick("an operation without its variable", "name", "zero bytes") { image in
      _ = image.addName(.operation, "Refresh\0{}")
      image.finish()
    },
    ValueTrick("a name never given", "name", "never given") { image in
      image.put(.names, 500, [0, 0, 0, 0, 2, 65])
    },
    ValueTrick("a root's type under another name", "name 1", "root") { image in
      image.put(.names, 1, [0, 0, 0, 0, 1, 65])
    },
    ValueTrick("a name nameids doesn't list", "name", "doesn't list") { image in
      image.put(.names, 5, [0, 0, 0, 0, 2] + Array("another".utf8))
    },
    ValueTrick("a number in nameids without a name", "nameids", "lists") { image in
      let bytes = Array("\u{2}title".utf8)
      image.appendNumber(.nameids, hash(bytes.span), 9)
    },
    ValueTrick("a condition that is a storage key", "types", "no type's name") { image in
      image.put(.types, 4 << 32 | 5, [0, 0, 0, 0, 1])
    },
    ValueTrick("a membership of two", "types", "0 or 1") { image in
      image.put(.types, 4 << 32 | 1, [0, 0, 0, 0, 2])
    },
  ]

  private static let rowTricks = [
    ValueTrick("a root without a row", "row 2", "root") { $0.tables[.records]?[2] = nil },
    ValueTrick("a row that ends in its header", "row 5", "a row of") { image in
      image.change(.records, 5) { $0.removeLast($0.count - 20) }
    },
    ValueTrick("a row of 65,535 cells", "row 5", "cells") { image in
      image.change(.records, 5) { $0.store(u32: 0xFFFF, at: 16) }
    },
    ValueTrick("a key of 4 GB", "row 5", "pass the row's end") { image in
      image.change(.records, 5) { $0.store(u32: .max, at: 20) }
    },
    ValueTrick("a flag of a later version", "row 5", "flags") { image in
      image.change(.records, 5) { $0[19] = 0x80 }
    },
    ValueTrick("a type that is a storage key", "row 5", "no type's name") { image in
      image.change(.records, 5) { $0.store(u32: 5, at: 4) }
    },
    ValueTrick("a commit yet to come", "row 5", "yet to come") { image in
      image.change(.records, 5) { $0.store(u32: 10, at: 8) }
    },
    ValueTrick("a directory that is not sorted", "row 5", "not sorted") { image in
      image.change(.records, 5) { $0.store(u32: 5, at: 32) }
    },
    ValueTrick("a field that has no name", "row 5", "no storage key") { image in
      image.change(.records, 5) { $0.store(u32: 60_000, at: 24 + 8 * 5) }
    },
    ValueTrick("a gap between the key and the cells", "row 5", "follow") { image in
      image.change(.records, 5) { $0.store(u32: $0.span.u32(at: 28) + 1, at: 28) }
    },
    ValueTrick("a cell behind the row", "row 5", "pass") { image in
      image.change(.records, 5) { $0.store(u32: 100_000, at: 36) }
    },
    ValueTrick("bytes behind a row without cells", "row 7", "behind") { image in
      image.change(.records, 7) { $0.append(1) }
    },
    ValueTrick("a root with a key", "row 1", "root") { image in
      image.put(.records, 1, ImageFixture.row(1, [.pathKey], [65], []))
    },
    ValueTrick("an empty id", "row 7", "an id of") { image in
      image.put(.records, 7, ImageFixture.row(4, [.deleted], [], []))
    },
    ValueTrick("a deleted record with cells", "row 7", "deleted") { image in
      image.put(
        .records, 7, ImageFixture.row(4, [.deleted], Array("I_3".utf8), [(5, [1])]))
    },
    ValueTrick("a moved record with two cells", "row 8", "moved") { image in
      image.put(.records, 8, ImageFixture.row(4, [.moved], [65], [(0, [1]), (5, [1])]))
    },
    ValueTrick("a moved record that leads to no link", "row 8", "without a link") { image in
      image.put(.records, 8, ImageFixture.row(4, [.moved], [65], [(0, [1])]))
    },
    ValueTrick("a moved record that leads to itself", "row 8", "moved") { image in
      image.put(
        .records, 8, ImageFixture.row(4, [.moved], [65], [(0, ImageFixture.link(.link, [8]))]))
    },
    ValueTrick("a path below itself", "row 9", "parent") { image in
      image.put(
        .records, 9, ImageFixture.row(4, [.pathKey], ImageFixture.path(9, 5, 0, []), []))
    },
    ValueTrick("a path of 13 bytes", "row 9", "path of") { image in
      image.put(.records, 9, ImageFixture.row(4, [.pathKey], [UInt8](repeating: 1, count: 13), []))
    },
    ValueTrick("a path through a type", "row 9", "no storage key") { image in
      image.put(
        .records, 9, ImageFixture.row(4, [.pathKey], ImageFixture.path(6, 4, 0, []), []))
    },
  ]

  private static let cellTricks: [ValueTrick] = {
    var deep: [UInt8] = []
    for _ in 0..<70 { deep = ImageFixture.element(.list, deep) }
    var half: [UInt8] = [CellKind.float.rawValue]
    half.append(u64: (0.5).bitPattern)
    var infinite: [UInt8] = [CellKind.float.rawValue]
    infinite.append(u64: Double.infinity.bitPattern)
    return [
      .cell("a cell of unknown kind", "kind 10", [10]),
      .cell("a cell with an unknown flag", "unknown flags", [0x40]),
      .cell("a null with a payload", "payload", [0, 1]),
      .cell("an integer of three bytes", "integer of 3", [3, 1, 2, 3]),
      .cell("an integer in more bytes than it needs", "hold", [3, 1, 0]),
      .cell("a float of four bytes", "float of 4", [4, 1, 2, 3, 4]),
      .cell("an infinite float", "finite", infinite),
      .cell("a float with another number's text", "text", half + Array("0.75".utf8)),
      .cell("a string that is not UTF-8", "UTF-8", [5, 0xC3]),
      .cell("an empty source", "not JSON", [6]),
      .cell("a source that is not JSON", "not JSON", [6] + Array(#"{"a":1"#.utf8)),
      .cell("a source of two values", "not JSON", [6] + Array("1 2".utf8)),
      .cell("a source of brackets alone", "not JSON", [6] + [UInt8](repeating: 91, count: 9000)),
      .cell("an error whose path is no list", "not JSON", [0x20, 5, 0, 1, 0x7B, 0, 0]),
      .cell("a link of five bytes", "link of 5", [7, 4, 0, 0, 0, 0]),
      .cell("a link to nothing", "never given", [7, 0, 0, 0, 0]),
      .cell("a link to a record never given", "never given", ImageFixture.link(.link, [900])),
      .cell("links cut in the middle", "links of", [8, 4, 0]),
      .cell("links to a record never given", "never given", ImageFixture.link(.links, [0, 900])),
      .cell("a list cut in an element", "list's end", [9, 5, 9, 65]),
      .cell("a list with a flagged element", "unknown kind", [9, 0x25, 0]),
      .cell("lists without bottom", "deep", [9] + deep),
      .cell("a length in more bytes than it needs", "list's end", [9, 0, 0x80, 0]),
      .cell("stale without errors", "stale", [0x15, 65]),
      .cell("errors that pass the cell", "errors block", [0x20, 50]),
      .cell("no errors where errors are flagged", "empty errors", [0x20, 0]),
      .cell("an error that is cut", "error is cut", [0x20, 2, 1, 65]),
    ]
  }()

  private static let referenceTricks = [
    ValueTrick("a row that ids doesn't list", "row 20", "doesn't list") { image in
      image.addRow(
        type: 4, key: Array("I_lost".utf8), cells: [], number: 20, isListed: false)
      image.finish()
    },
    ValueTrick("an id that leads to no row", "ids", "lists") { image in
      image.list(11, [], Array("I_ghost".utf8))
      image.nextRecord += 5
      image.finish()
    },
    ValueTrick("an id that leads to another row", "ids", "lists") { image in
      image.list(4, [], Array("I_other".utf8))
    },
    ValueTrick("entries of ids that don't ascend", "ids", "ascend") { image in
      image.change(.ids, 0xFFFF_FFFF) { run in run.swapAt(11, 19) }
    },
    ValueTrick("an entry of ids of another run", "ids", "another run") { image in
      image.putRun(1, [1 << 33 | 4])
    },
    ValueTrick("an empty run of ids", "ids", "no entries") { image in image.putRun(1, []) },
    ValueTrick("a run of ids with part of an entry", "ids", "no entries") { image in
      image.change(.ids, 0xFFFF_FFFF) { run in run.append(0) }
    },
    ValueTrick("a run of ids above all hashes", "ids", "no half") { image in
      image.putRun(1 << 32, [])
    },
    ValueTrick("ids without the last run", "table ids", "highest") { image in
      image.tables[.ids]?[0xFFFF_FFFE] = nil
      guard let run = image.tables[.ids]?.removeValue(forKey: 0xFFFF_FFFF) else { return }
      image.put(.ids, 0xFFFF_FFFE, run)
    },
    ValueTrick("a spilled cell without its row's flag", "cell 5 of record 4", "spilled") { image in
      image.put(.cells, 4 << 32 | 5, [0, 0, 0, 0, 1])
    },
    ValueTrick("a spilled cell of a field in the row", "cell 11 of record 10", "as well") { image in
      image.put(.cells, 10 << 32 | 11, [0, 0, 0, 0, 1])
    },
    ValueTrick("a row whose spilled cells are gone", "row 10", "spilled cells") { image in
      image.tables[.cells] = [:]
    },
    ValueTrick("an alias of a row that isn't flagged", "aliases", "flagged") { image in
      let id: [UInt8] = Array("old".utf8)
      image.appendEntry(.aliases, hash(id.span), [5, 0, 0, 0] + id)
    },
    ValueTrick("an alias that is the record's id", "aliases", "own id") { image in
      let id: [UInt8] = Array("I_1".utf8)
      image.appendEntry(.aliases, hash(id.span), [4, 0, 0, 0] + id)
    },
    ValueTrick("an alias under another hash", "aliases", "hash") { image in
      image.appendEntry(.aliases, 77, [4, 0, 0, 0, 65])
    },
    ValueTrick("an entry longer than its value", "aliases", "passes") { image in
      image.put(.aliases, 77, [0, 0, 0, 0, 255, 255, 255, 255, 4])
    },
    ValueTrick("a value without entries", "aliases", "without entries") { image in
      image.put(.aliases, 77, [0, 0, 0, 0])
    },
    ValueTrick("natural keys that are gone", "keysof 4", "no entry") { $0.tables[.keys] = [:] },
    ValueTrick("natural keys of a record that are gone", "keys", "list") { image in
      image.tables[.keysof] = [:]
    },
    ValueTrick("a hash twice", "keysof 4", "twice") { image in
      image.change(.keysof, 4) { $0 += $0[4...] }
    },
    ValueTrick("natural keys of a row that isn't flagged", "keysof 5", "flagged") { image in
      image.put(.keysof, 5, [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
    },
  ]

  private static let otherTricks = [
    ValueTrick("an operation under another hash", "operations", "hash") { image in
      image.appendEntry(.operations, 7, [UInt8](repeating: 0, count: 17))
    },
    ValueTrick("an operation of a commit yet to come", "operations", "yet to come") { image in
      image.appendEntry(.operations, 7, [UInt8](repeating: 9, count: 17))
    },
    ValueTrick("a miss that is cut", "misses", "miss of") { image in
      image.appendEntry(.misses, 7, [1, 0, 0, 0, 1])
    },
    ValueTrick("a miss of an unknown kind", "misses", "kind 9") { image in
      image.appendEntry(.misses, 7, [1, 0, 0, 0, 9] + [UInt8](repeating: 0, count: 30))
    },
    ValueTrick("a block of stamps too short", "stamps 3", "bytes") { image in
      image.put(.stamps, 3, [UInt8](repeating: 0, count: 1000))
    },
    ValueTrick("stamps beyond all records", "stamps", "no image") { image in
      image.put(.stamps, 1 << 24, [UInt8](repeating: 0, count: 1028))
    },
    ValueTrick("a journal that ends before the last commit", "journal", "ends with") { image in
      image.tables[.journal]?[9] = nil
    },
    ValueTrick("a journal with a gap", "journal 9", "missing") { image in
      image.put(.journal, 7, image.tables[.journal]?[8] ?? [])
      image.tables[.journal]?[8] = nil
    },
    ValueTrick("a commit yet to come in the journal", "journal 10", "commits") { image in
      image.put(.journal, 10, image.tables[.journal]?[9] ?? [])
    },
    ValueTrick("2^64 - 1 changes", "journal 9", "ascend") { image in
      image.put(
        .journal, 9,
        [UInt8](repeating: 0, count: 14) + [UInt8](repeating: 0xFF, count: 9) + [1])
    },
    ValueTrick("more changes than there are", "journal 9", "ascend") { image in
      image.change(.journal, 9) { $0[18] = 4 }
    },
    ValueTrick("a change of no kind", "journal 9", "unknown change") { image in
      image.change(.journal, 9) { $0[21] = 99 }
    },
    ValueTrick("a change like one yet to come", "journal 9", "isn't there") { image in
      image.change(.journal, 9) { $0[30] = 3 }
    },
    ValueTrick("a change like one of many fields", "journal 9", "too many") { image in
      // One name seventeen times over would not ascend: names enough, and one record more.
      let names = (0..<17).map { image.addName(.storageKey, "many\($0)") }
      image.finish()
      image.change(.journal, 9) { value in
        value = Array(value[..<18]) + [2, 4, 0, 1, 17, UInt8(names[0])]
        value += [UInt8](repeating: 1, count: 16) + [1, 1]
      }
    },
    ValueTrick("bytes behind the changes", "journal 9", "behind") { image in
      image.change(.journal, 9) { $0.append(0) }
    },
    ValueTrick("a checksum of another key", "stamps 1", "checksum") { image in
      let stamps = image.tables[.stamps]?[0]
      image.tables[.stamps]?[1] = stamps
    },
  ]

  @Test(arguments: tricks)
  func `a value that breaks a rule is named`(_ trick: ValueTrick) throws {
    var image = ImageFixture.sample()
    trick.change(&image)
    let path = scratch.path("crafted.image")
    try image.write(to: path)
    let report = try Verifier.verify(at: path)
    let structures = trick.structure.split(separator: "|")
    let words = trick.word.split(separator: "|")
    let named = report.faults.filter { fault in
      structures.contains { fault.structure.hasPrefix($0) }
        && words.contains { fault.message.contains($0) }
    }
    #expect(!named.isEmpty, "\(report.faults)")
    // Each fault that lies in a value says where.
    let bytes = UInt64(scratch.read(path).count)
    #expect(named.allSatisfy { $0.offset.map { $0 < bytes } ?? true })
  }

  @Test func `an image of another version is refused, not reported`() throws {
    let path = scratch.path("crafted.image")
    var image = ImageFixture.sample()
    image.change(.meta, 1) { $0[12] = 1 }
    try image.write(to: path)
    #expect(throws: ImageError.incompatible("format version 1, key rules version 1")) {
      _ = try Verifier.verify(at: path)
    }
    image.change(.meta, 1) { $0[5] = 66 }
    try image.write(to: path)
    #expect(throws: ImageError.foreign("the header is not an image's")) {
      _ = try Verifier.verify(at: path)
    }
  }

  @Test func `a flag that speaks of aliases that are gone is a note`() throws {
    let path = scratch.path("crafted.image")
    var image = ImageFixture.sample()
    image.tables[.aliases] = [:]
    image.tables[.keys] = [:]
    image.tables[.keysof] = [:]
    try image.write(to: path)
    let report = try Verifier.verify(at: path)
    #expect(report.isSound)
    #expect(report.notes.map(\.structure) == ["row 4", "row 4"])
  }

  @Test func `a link to a record whose row is gone is sound`() throws {
    let path = scratch.path("crafted.image")
    var image = ImageFixture.sample()
    image.nextRecord = 40
    image.addRow(
      type: 4, key: Array("I_linking".utf8), cells: [(5, ImageFixture.link(.link, [33]))])
    image.finish()
    try image.write(to: path)
    #expect(try Verifier.verify(at: path).faults == [])
  }

  @Test func `lists as deep as the format allows are sound`() throws {
    let path = scratch.path("crafted.image")
    var image = ImageFixture.sample()
    var deep: [UInt8] = []
    for _ in 1..<CellKind.maximumDepth { deep = ImageFixture.element(.list, deep) }
    image.addRow(type: 4, key: Array("I_deep".utf8), cells: [(5, [9] + deep)])
    image.finish()
    try image.write(to: path)
    #expect(try Verifier.verify(at: path).faults == [])
  }
}
