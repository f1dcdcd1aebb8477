import BatonImage
import ImageFixtures
import TestSupport
import Testing

/// One way to make a sound file's pages lie, and a word the report must name it by.
struct PageTrick: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var word: String
  var change: @Sendable (inout FileEditor) -> Void

  init(
    _ testDescription: String, _ word: String,
    _ change: @escaping @Sendable (inout FileEditor) -> Void
  ) {
    self.testDescription = testDescription
    self.word = word
    self.change = change
  }
}

@Suite struct CraftedPageTests {
  let scratch = Scratch()

  static let tricks =
    headTricks + nodeTricks + treeTricks + [
      PageTrick("a branch that leads to itself", "second time") { file in
        let root = file.root(.records)
        file.setChild(root, 1, root)
      },
      PageTrick("a branch with a single child", "single child") { file in
        let (tree, root) = (file.tree(.records), file.root(.records))
        let only = file.appendPage { number in FileEditor.branch(number, [(0, root)]) }
        file.set64(tree + 40, UInt64(only))
        file.set16(tree + 6, file.u16(tree + 6) + 1)
      },
      PageTrick("a page used twice", "second time") { file in
        let root = file.root(.records)
        file.setChild(root, 2, file.child(root, 1))
      },
      PageTrick("a page of another table", "second time") { file in
        file.set64(file.tree(.cells) + 40, UInt64(file.root(.keysof)))
      },
      PageTrick("a child that is an overflow page", "flags 4|second time") { file in
        let node = file.overflowNode(.records)
        let root = file.root(.records)
        file.setChild(root, 1, Int(file.u64(file.data(node))))
      },
      PageTrick("a child behind the last page", "outside") { file in
        file.setChild(file.root(.records), 1, 0xFFFF_FFFF_FFFF)
      },
      PageTrick("a child that is a meta page", "outside") { file in
        file.setChild(file.root(.records), 1, 0)
      },
      PageTrick("a free page that is in use", "in use") { file in
        let leaf = Int(file.u64(file.freeTree + 40))
        let list = file.data(file.node(leaf, 0))
        file.set64(list + 8, UInt64(file.bytes.count / 4096 - 1))
      },
      PageTrick("more free pages than the list holds", "pages in") { file in
        let leaf = Int(file.u64(file.freeTree + 40))
        file.set64(file.data(file.node(leaf, 0)), 1 << 40)
      },
      PageTrick("pages freed by a transaction yet to come", "yet to come") { file in
        let leaf = Int(file.u64(file.freeTree + 40))
        file.set64(file.node(leaf, file.count(leaf) - 1) + 8, 1 << 50)
      },
      PageTrick("pages freed by no transaction", "no transaction") { file in
        let leaf = Int(file.u64(file.freeTree + 40))
        file.set64(file.node(leaf, 0) + 8, 0)
      },
    ]

  private static let headTricks = [
    PageTrick("another page's number", "page number") { file in
      file.set64(file.firstLeaf(.records) * 4096, 5)
    },
    PageTrick("a leaf and a branch at once", "flags 3") { file in
      file.set16(file.firstLeaf(.records) * 4096 + 10, 3)
    },
    PageTrick("a page of fixed-size duplicates", "flags 34") { file in
      file.set16(file.firstLeaf(.records) * 4096 + 10, 0x22)
    },
    PageTrick("an absurd number of nodes", "bounds") { file in
      file.set16(file.firstLeaf(.records) * 4096 + 12, 0xFFFE)
    },
    PageTrick("no nodes", "bounds") { file in
      file.set16(file.firstLeaf(.records) * 4096 + 12, 16)
    },
    PageTrick("nodes that begin behind the page", "bounds") { file in
      file.set16(file.firstLeaf(.records) * 4096 + 14, 5000)
    },
  ]

  private static let nodeTricks = [
    PageTrick("two nodes at one place", "overlap") { file in
      let leaf = file.firstLeaf(.records)
      file.set16(file.entry(leaf, 1), file.u16(file.entry(leaf, 0)))
    },
    PageTrick("a node that overlaps another", "overlap") { file in
      let leaf = file.firstLeaf(.records)
      file.set16(file.entry(leaf, 1), file.u16(file.entry(leaf, 0)) + 2)
    },
    PageTrick("a node that passes the page's end", "overlap") { file in
      let leaf = file.firstLeaf(.records)
      file.set16(file.entry(leaf, 0), 4094)
    },
    PageTrick("a node in the page's header", "overlap") { file in
      let leaf = file.firstLeaf(.records)
      file.set16(file.entry(leaf, 0), 0)
    },
    PageTrick("a value of 4 GB in a leaf", "overlap") { file in
      file.set32(file.node(file.firstLeaf(.records), 0), 0xFFFF_FFFF)
    },
    PageTrick("a key of 65,535 bytes", "overlap") { file in
      file.set16(file.node(file.firstLeaf(.records), 0) + 6, 0xFFFF)
    },
    PageTrick("a value of 4 GB in an overflow run", "ends inside") { file in
      file.set32(file.overflowNode(.records), 0xFFFF_FFFF)
    },
    PageTrick("an overflow run of 4,294,967,295 pages", "a run of") { file in
      let first = Int(file.u64(file.data(file.overflowNode(.records))))
      file.set32(first * 4096 + 12, 0xFFFF_FFFF)
    },
    PageTrick("an overflow run of no pages", "a run of") { file in
      let first = Int(file.u64(file.data(file.overflowNode(.records))))
      file.set32(first * 4096 + 12, 0)
    },
    PageTrick("an overflow run at the end of all numbers", "outside") { file in
      file.set64(file.data(file.overflowNode(.records)), .max)
    },
    PageTrick("an overflow run that begins in a leaf", "overflow page|second time") { file in
      file.set64(file.data(file.overflowNode(.records)), UInt64(file.firstLeaf(.records)))
    },
    PageTrick("keys in the wrong order", "comes after") { file in
      let leaf = file.firstLeaf(.records)
      let first = file.u16(file.entry(leaf, 0))
      file.set16(file.entry(leaf, 0), file.u16(file.entry(leaf, 1)))
      file.set16(file.entry(leaf, 1), first)
    },
    PageTrick("a key above the separator", "not below") { file in
      let leaf = file.firstLeaf(.records)
      file.set64(file.node(leaf, file.count(leaf) - 1) + 8, 1 << 40)
    },
    PageTrick("branches in the wrong order", "comes after|not below") { file in
      let root = file.root(.records)
      let (left, right) = (file.child(root, 1), file.child(root, 2))
      file.setChild(root, 1, right)
      file.setChild(root, 2, left)
    },
    PageTrick("duplicates in a leaf", "sub-tree") { file in
      file.set16(file.node(file.firstLeaf(.records), 0) + 4, 4)
    },
    PageTrick("a sub-tree in a leaf", "sub-tree") { file in
      file.set16(file.node(file.firstLeaf(.records), 0) + 4, 2)
    },
  ]

  private static let treeTricks = [
    PageTrick("a table of duplicates", "flags 12") { file in
      file.set16(file.tree(.ids) + 4, 0x0C)
    },
    PageTrick("a depth of 65,535", "depth") { file in
      file.set16(file.tree(.records) + 6, 0xFFFF)
    },
    PageTrick("a depth of none with a root", "depth") { file in
      file.set16(file.tree(.records) + 6, 0)
    },
    PageTrick("a level too many", "level") { file in
      file.set16(file.tree(.records) + 6, file.depth(.records) + 1)
    },
    PageTrick("a level too few", "level") { file in
      file.set16(file.tree(.records) + 6, file.depth(.records) - 1)
    },
    PageTrick("a root behind the last page", "root") { file in
      file.set64(file.tree(.records) + 40, 1 << 60)
    },
    PageTrick("no root", "without root") { file in
      file.set64(file.tree(.records) + 40, .max)
    },
    PageTrick("an entry too many", "entries") { file in
      file.set64(file.tree(.records) + 32, file.u64(file.tree(.records) + 32) + 1)
    },
    PageTrick("a leaf page too many", "leaf pages") { file in
      file.set64(file.tree(.records) + 16, .max)
    },
    PageTrick("an overflow page too few", "overflow pages") { file in
      file.set64(file.tree(.records) + 24, 0)
    },
    PageTrick("a last page beyond the map", "last page") { file in
      file.set64(file.newestMeta + 136, 1 << 60)
    },
    PageTrick("a last page far behind the file's end", "pages in a file") { file in
      file.set64(file.newestMeta + 32, 1 << 62)
      file.set64(file.newestMeta + 136, 1 << 40)
    },
    PageTrick("a table that is not there", "missing") { file in
      let page = file.mainRoot
      let removed = file.node(page, 0)
      let upper = file.u16(page * 4096 + 14)
      let size = 8 + file.u16(removed + 6) + 48
      let gap = (size + 1) & ~1
      for index in 1..<file.count(page) {
        let node = file.node(page, index)
        if node < removed { file.set16(file.entry(page, index), node % 4096 + gap) }
      }
      for place in stride(from: removed - 1, through: page * 4096 + upper, by: -1) {
        file.bytes[place + gap] = file.bytes[place]
      }
      for index in 1..<file.count(page) {
        file.set16(file.entry(page, index - 1), file.u16(file.entry(page, index)))
      }
      file.set16(page * 4096 + 12, file.u16(page * 4096 + 12) - 2)
      file.set16(page * 4096 + 14, upper + gap)
      file.set64(file.newestMeta + 88 + 32, UInt64(ImageTable.allCases.count - 1))
    },
    PageTrick("a torn meta page", "magic|page number") { file in
      for index in 0..<512 { file.bytes[file.olderMeta + index] = 0 }
    },
    PageTrick("a main table with flags", "flags") { file in
      file.set16(file.newestMeta + 88 + 4, 4)
    },
    PageTrick("a table that no image has", "no table|comes after|not below") { file in
      let node = file.node(file.mainRoot, 0)
      file.bytes[node + 8] = UInt8(ascii: "A")
    },
  ]

  @Test(.timeLimit(.minutes(60)), arguments: tricks)
  func `a page that lies is named`(_ trick: PageTrick) throws {
    let image = ImageFixture.sample(extra: 600)
    let whole = scratch.path("whole.image")
    try image.write(to: whole, churn: 1)
    var file = FileEditor(scratch.read(whole))
    #expect(file.depth(.records) == 2)
    trick.change(&file)
    let path = scratch.write(file.bytes)
    let report = try Verifier.verify(at: path)
    let words = trick.word.split(separator: "|")
    let isNamed = report.faults.contains { fault in
      words.contains { fault.description.contains($0) }
    }
    #expect(isNamed, "\(report.faults.prefix(5))")
    image.demandRightOutcome(path, trick.testDescription)
  }

  @Test(.timeLimit(.minutes(60)))
  func `branches that fan out without end are walked once`() throws {
    let image = ImageFixture.sample(extra: 600)
    let whole = scratch.path("whole.image")
    try image.write(to: whole)
    var file = FileEditor(scratch.read(whole))
    var below = file.firstLeaf(.records)
    let children = (0..<200).map { UInt64($0) * 1000 }
    for _ in 0..<31 {
      below = file.appendPage { number in
        FileEditor.branch(number, children.map { (key: $0, child: below) })
      }
    }
    file.set64(file.tree(.records) + 40, UInt64(below))
    file.set16(file.tree(.records) + 6, 32)
    let path = scratch.write(file.bytes)
    let elapsed = try ThreadTime.measure {
      let report = try Verifier.verify(at: path)
      #expect(!report.isSound)
      #expect(report.faults.count <= VerificationReport.maximumFaults)
      #expect(report.faultCount >= report.faults.count)
      image.demandRightOutcome(path, "a fan")
    }
    #expect(elapsed < .seconds(2))
  }

  @Test(.timeLimit(.minutes(60)))
  func `nodes that share one overflow run don't multiply the work`() throws {
    var image = ImageFixture.sample()
    for index in 0..<3000 {
      image.put(.stamps, UInt64(index), [UInt8](repeating: 1, count: 3000))
    }
    image.put(.stamps, 5000, [UInt8](repeating: 1, count: 2_000_000))
    let whole = scratch.path("whole.image")
    try image.write(to: whole)
    var file = FileEditor(scratch.read(whole))
    let root = file.root(.stamps)
    let last = file.child(root, file.count(root) - 1)
    let large = file.node(last, file.count(last) - 1)
    let first = file.u64(file.data(large))
    for child in 0..<file.count(root) {
      let leaf = file.child(root, child)
      for index in 0..<file.count(leaf) {
        file.set32(file.node(leaf, index), 2_000_004)
        file.set64(file.data(file.node(leaf, index)), first)
      }
    }
    let path = scratch.write(file.bytes)
    let elapsed = try ThreadTime.measure {
      let report = try Verifier.verify(at: path)
      #expect(!report.isSound)
    }
    #expect(elapsed < .seconds(2))
  }

  @Test func `a table of duplicates the engine made is foreign structure`() throws {
    let path = scratch.path("whole.image")
    var steps = ImageFixture.sample().steps()
    steps.append(
      EngineFile.Step(
        puts: [("copies", (0..<50).map { (key: 7, value: [UInt8($0), 1, 2, 3]) })],
        flags: UInt32(0x08 | 0x04)))
    try EngineFile.make(at: path, steps)
    let report = try Verifier.verify(at: path)
    #expect(report.faults.map(\.structure) == ["table copies"])
  }

  @Test func `a file that ends before its last page is sound when only free pages are missing`()
    throws
  {
    let path = scratch.path("whole.image")
    var steps = ImageFixture.sample(extra: 100).steps(churn: 2)
    steps.append(
      EngineFile.Step(
        puts: [("records", [(9_999_999, [UInt8](repeating: 0, count: 900_000))])],
        deletions: [("records", [9_999_999])]))
    try EngineFile.make(at: path, steps)
    let file = try PageFile(path: path)
    #expect(!file.isWhole)
    let report = try Verifier.verify(file)
    #expect(report.faults == [])
    #expect(report.notes.map(\.structure) == ["file"])
  }
}

@Suite struct CraftedRunTests {
  let scratch = Scratch()

  @Test(.timeLimit(.minutes(60)))
  func `overflow runs inside one another are damage, whatever their checksums say`() throws {
    // A long value whose pages each look like the first of a run of their own.
    var image = ImageFixture.sample()
    for index in UInt64(0)..<40 {
      image.put(.stamps, index, [UInt8](repeating: 7, count: 5000))
    }
    image.put(.stamps, 90, [UInt8](repeating: 7, count: 400_000))
    let whole = scratch.path("whole.image")
    try image.write(to: whole)
    var file = FileEditor(scratch.read(whole))
    let root = file.root(.stamps)
    #expect(file.depth(.stamps) == 1)
    let large = file.data(file.node(root, file.count(root) - 1))
    let first = Int(file.u64(large))
    for index in stride(from: 39, through: 0, by: -1) {
      let node = file.node(root, index)
      let page = first + 1 + index
      file.set64(file.data(node), UInt64(page))
      file.set64(page * 4096, UInt64(page))
      file.set32(page * 4096 + 8, 4 << 16)
      file.set32(page * 4096 + 12, 2)
      let value = Array(file.bytes[page * 4096 + 16..<page * 4096 + 16 + 5000])
      let seal = seal(
        value.span.extracting(4...), table: .stamps, key: UInt64(index))
      file.set32(page * 4096 + 16, Int(seal))
    }
    let path = scratch.write(file.bytes)
    let report = try Verifier.verify(at: path)
    #expect(report.faults.contains { $0.message.contains("second time") })
    let snapshot = try PageSnapshot(PageFile(path: path))
    #expect(throws: ImageError.self) {
      for key in UInt64(0)..<40 { _ = try snapshot.value(.stamps, key)?.count }
    }
    #expect(throws: ImageError.self) {
      try snapshot.forEach(.stamps, from: 0) { (_, _) throws(ImageError) in true }
    }
  }
}
