import BatonImage
import ImageFixtures

/// A file that a hand which knows the format made to end its reader.
struct CraftedFile: Sendable {
  let name: String
  /// Whether it breaks no rule, so that only what it asks for has to be kept in bounds; any other
  /// must be reported.
  var isSound = false
  let make: @Sendable () -> [UInt8]

  /// Changes to the pages of a sound image.
  private static func pages(
    _ name: String, _ change: @escaping @Sendable (inout FileEditor) -> Void
  ) -> CraftedFile {
    CraftedFile(name: name) {
      var shape = FileComposer.Shape()
      shape.freePages = 3
      var file = FileEditor(FileComposer.file(of: .sample(extra: 250), shape: shape))
      precondition(file.depth(.records) == 2)
      change(&file)
      return file.bytes
    }
  }

  /// Changes to its values, sealed.
  private static func values(
    _ name: String, isSound: Bool = false,
    _ change: @escaping @Sendable (inout ImageFixture) -> Void
  ) -> CraftedFile {
    CraftedFile(name: name, isSound: isSound) {
      var image = ImageFixture.sample()
      change(&image)
      image.finish()
      return FileComposer.file(of: image)
    }
  }

  static let all = trees + nodes + numbers + rows + bulk

  // MARK: Pages

  private static let trees = [
    pages("a branch that leads to itself") { file in
      let root = file.root(.records)
      file.setChild(root, 1, root)
    },
    pages("branches that lead to each other") { file in
      let root = file.root(.records)
      let below = file.appendPage { number in FileEditor.branch(number, [(0, root), (9, root)]) }
      file.setChild(root, 0, below)
      file.set16(file.tree(.records) + 6, 32)
    },
    pages("branches that fan out without end") { file in
      var below = file.firstLeaf(.records)
      for _ in 0..<31 {
        below = file.appendPage { number in
          FileEditor.branch(number, (0..<200).map { (UInt64($0) * 1000, below) })
        }
      }
      file.set64(file.tree(.records) + 40, UInt64(below))
      file.set16(file.tree(.records) + 6, 32)
    },
    pages("a page used twice in a tree") { file in
      let root = file.root(.records)
      file.setChild(root, 2, file.child(root, 1))
    },
    pages("a page of two tables") { file in
      file.set64(file.tree(.cells) + 40, UInt64(file.root(.keysof)))
    },
    pages("all tables of one root") { file in
      for table in ImageTable.allCases {
        file.set64(file.tree(table) + 40, UInt64(file.mainRoot))
      }
    },
    pages("a child that is a meta page") { file in file.setChild(file.root(.records), 1, 1) },
    pages("a child past the file") { file in
      file.setChild(file.root(.records), 1, 0xFFFF_FFFF_FFFF)
    },
    pages("a free list with a page in use") { file in
      let leaf = Int(file.u64(file.freeTree + 40))
      file.set64(file.data(file.node(leaf, 0)) + 8, UInt64(file.root(.records)))
    },
  ]

  private static let nodes = [
    pages("one node for all entries of a page") { file in
      let leaf = file.firstLeaf(.records)
      for index in 1..<file.count(leaf) {
        file.set16(file.entry(leaf, index), file.u16(file.entry(leaf, 0)))
      }
    },
    pages("nodes that overlap") { file in
      let leaf = file.firstLeaf(.records)
      file.set16(file.entry(leaf, 1), file.u16(file.entry(leaf, 0)) + 2)
    },
    pages("a node past the page") { file in
      file.set16(file.entry(file.firstLeaf(.records), 0), 0xFFFF)
    },
    pages("a node at the page's last bytes") { file in
      file.set16(file.entry(file.firstLeaf(.records), 0), 4094)
    },
    pages("a node in the page's head") { file in
      file.set16(file.entry(file.firstLeaf(.records), 0), 0)
    },
    pages("a key past the page") { file in
      file.set16(file.node(file.firstLeaf(.records), 0) + 6, 0xFFFF)
    },
    pages("a value of 4 GB in a leaf") { file in
      file.set32(file.node(file.firstLeaf(.records), 0), 0xFFFF_FFFF)
    },
    pages("a value of 4 GB in a run") { file in
      file.set32(file.overflowNode(.records), 0xFFFF_FFFF)
    },
    pages("a run past the file") { file in
      file.set64(file.data(file.overflowNode(.records)), .max)
    },
    pages("a run that is a leaf") { file in
      file.set64(file.data(file.overflowNode(.records)), UInt64(file.firstLeaf(.records)))
    },
    pages("duplicates in a leaf") { file in
      file.set16(file.node(file.firstLeaf(.records), 0) + 4, 6)
    },
  ]

  private static let numbers = [
    pages("a page of 32,759 nodes") { file in
      file.set16(file.firstLeaf(.records) * 4096 + 12, 0xFFFE)
    },
    pages("a run of 4,294,967,295 pages") { file in
      let first = Int(file.u64(file.data(file.overflowNode(.records))))
      file.set32(first * 4096 + 12, 0xFFFF_FFFF)
    },
    pages("2^64 - 1 leaf pages") { file in file.set64(file.tree(.records) + 16, .max) },
    pages("2^63 entries") { file in file.set64(file.tree(.records) + 32, 1 << 63) },
    pages("65,535 levels") { file in file.set16(file.tree(.records) + 6, 0xFFFF) },
    pages("2^40 free pages in a list") { file in
      let leaf = Int(file.u64(file.freeTree + 40))
      file.set64(file.data(file.node(leaf, 0)), 1 << 40)
    },
    pages("a last page of 2^40 in a map of 2^62") { file in
      file.set64(file.newestMeta + 32, 1 << 62)
      file.set64(file.newestMeta + 136, 1 << 40)
    },
    pages("pages of 2^31 bytes") { file in
      file.set32(40, 1 << 31)
      file.set32(4096 + 40, 1 << 31)
    },
  ]

  // MARK: Values

  private static let rows = [
    values("a row of 65,535 cells") { image in
      image.change(.records, 5) { $0.store(u32: 0xFFFF, at: 16) }
    },
    values("a row whose key is 4 GB long") { image in
      image.change(.records, 5) { $0.store(u32: .max, at: 20) }
    },
    values("a cell behind its row") { image in
      image.change(.records, 5) { $0.store(u32: 0xFFFF_FFF0, at: 36) }
    },
    values("lists without bottom") { image in
      var deep: [UInt8] = []
      for _ in 0..<4000 { deep = ImageFixture.element(.list, deep) }
      image.addRow(type: 4, key: Array("I_new".utf8), cells: [(5, [9] + deep)])
    },
    values("JSON without bottom") { image in
      let source = [6] + [UInt8](repeating: UInt8(ascii: "["), count: 200_000)
      image.addRow(type: 4, key: Array("I_new".utf8), cells: [(5, source)])
    },
    values("errors of 2^63 bytes") { image in
      var cell: [UInt8] = [0x20]
      cell.append(varint: 1 << 63)
      image.addRow(type: 4, key: Array("I_new".utf8), cells: [(5, cell)])
    },
    values("moved records that lead to each other") { image in
      for (number, other) in [(8, 20), (20, 8)] as [(UInt64, UInt32)] {
        image.put(
          .records, number,
          ImageFixture.row(
            4, [.moved], Array("M_\(number)".utf8), [(0, ImageFixture.link(.link, [other]))]))
      }
    },
    values("a moved record that leads to a path below it") { image in
      image.put(
        .records, 8,
        ImageFixture.row(4, [.moved], Array("I_4".utf8), [(0, ImageFixture.link(.link, [9]))]))
      image.put(
        .records, 9, ImageFixture.row(4, [.pathKey], ImageFixture.path(8, 5, 0, []), []))
    },
    values("paths below each other") { image in
      for (number, parent) in [(6, 9), (9, 6)] as [(UInt64, UInt32)] {
        image.put(
          .records, number,
          ImageFixture.row(0, [.pathKey], ImageFixture.path(parent, 5, 0, []), []))
      }
    },
    values("a record beyond all numbers is next") { image in image.nextRecord = .max },
    values("a name beyond all numbers is next") { image in image.nextName = .max },
    values("a commit beyond all numbers") { image in image.commit = .max },
    values("a journal entry of 2^63 changes") { image in
      image.change(.journal, 9) { value in
        value.removeLast(9)
        value.append(varint: 1 << 63)
      }
    },
  ]

  /// What breaks no rule and asks for more than it is long.
  private static let bulk = [
    values("a path of 20,000 steps", isSound: true) { image in
      var parent: UInt32 = 4
      for _ in 0..<20_000 {
        parent = image.addRow(
          type: 0, flags: [.pathKey], key: ImageFixture.path(parent, 5, 0, []), cells: [])
      }
    },
    values("4,000 paths through a name of 60,000 bytes", isSound: true) { image in
      let name = image.addName(.storageKey, String(repeating: "n", count: 60_000))
      for index in 0..<4000 as Range<UInt32> {
        image.addRow(
          type: 0, flags: [.pathKey], key: ImageFixture.path(4, name, 0, [index]), cells: [])
      }
    },
    values("200,000 links to a path of 60,000 bytes", isSound: true) { image in
      let name = image.addName(.storageKey, String(repeating: "n", count: 60_000))
      let number = image.addRow(
        type: 0, flags: [.pathKey], key: ImageFixture.path(4, name, 0, []), cells: [])
      let links = [UInt32](repeating: number, count: 200_000)
      image.addRow(
        type: 4, key: Array("I_links".utf8), cells: [(5, ImageFixture.link(.links, links))])
    },
  ]
}
