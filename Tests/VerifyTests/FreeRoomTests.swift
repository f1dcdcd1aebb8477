import BatonImage
import ImageFixtures
import Testing

/// What of a file is taken to be free, and files that lie about it.
@Suite(.timeLimit(.minutes(60)))
struct FreeRoomTests {
  let scratch = Scratch()

  /// A file whose last 40 pages are free, and what is made of it.
  private func file(_ change: (inout FileEditor) -> Void = { _ in }) throws -> PageFile {
    var shape = FileComposer.Shape()
    shape.freePages = 40
    var file = FileEditor(FileComposer.file(of: ImageFixture.sample(extra: 100), shape: shape))
    change(&file)
    return try PageFile(path: scratch.write(file.bytes))
  }

  /// Where the list of free pages begins.
  private static func list(_ file: FileEditor) -> Int {
    file.data(file.node(Int(file.u64(file.freeTree + 40)), 0))
  }

  @Test func `free pages that follow one another are one run, of whole blocks`() throws {
    let file = try file()
    let whole = try #require(try FreeRoom(file, before: 2, block: 4096))
    let run = try #require(whole.runs.first)
    #expect(whole.runs.count == 1 && run.count == 40 * 4096 && whole.size == run.count)
    let coarse = try #require(try FreeRoom(file, before: 2, block: 32_768))
    let part = try #require(coarse.runs.first)
    #expect(part.lowerBound % 32_768 == 0 && part.upperBound % 32_768 == 0)
    #expect(run.contains(part.lowerBound) && part.upperBound <= run.upperBound)
    #expect(try FreeRoom(file, before: 2, block: 1 << 20)?.size == 0)
  }

  @Test func `what a transaction freed whose state somebody may read is not free`() throws {
    let file = try file()
    #expect(try FreeRoom(file, before: 1, block: 4096)?.runs == [])
    #expect(try FreeRoom(file, before: 0, block: 4096)?.runs == [])
  }

  @Test func `runs come with the longest first`() throws {
    // A page alone, then a gap, then eight in a row, then every other one.
    let file = try file { file in
      let list = Self.list(file)
      let last = file.u64(list + 8)
      let kept = [0] + (4..<12).map { UInt64($0) } + (6..<16).map { UInt64(2 * $0 + 1) }
      file.set64(list, UInt64(kept.count))
      for (index, page) in kept.enumerated() { file.set64(list + 8 + 8 * index, last - page) }
    }
    let room = try #require(try FreeRoom(file, before: 2, block: 4096))
    #expect(room.runs.map { $0.count / 4096 } == [8] + [Int](repeating: 1, count: 11))
    #expect(room.size == 19 * 4096)
  }

  /// A way in which a table of free pages lies.
  struct Lie: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var tell: @Sendable (inout FileEditor) -> Void

    init(_ name: String, _ tell: @escaping @Sendable (inout FileEditor) -> Void) {
      testDescription = name
      self.tell = tell
    }
  }

  static let lies = [
    Lie("a page twice") { file in
      let list = FreeRoomTests.list(file)
      file.set64(list + 16, file.u64(list + 8))
    },
    Lie("a meta page") { file in
      let list = FreeRoomTests.list(file)
      file.set64(list + 8 * Int(file.u64(list)), 1)
    },
    Lie("the table's own page") { file in
      let list = FreeRoomTests.list(file)
      let (count, own) = (Int(file.u64(list)), file.u64(file.freeTree + 40))
      for index in 1...count { file.set64(list + 8 * index, own + UInt64(count - index)) }
    },
    Lie("a page behind the last") { file in
      file.set64(FreeRoomTests.list(file) + 8, 1 << 40)
    },
    Lie("a page whose place no file reaches") { file in
      file.set64(FreeRoomTests.list(file) + 8, .max)
    },
    Lie("more pages than there are") { file in
      file.set64(FreeRoomTests.list(file), 1 << 60)
    },
    Lie("freed by a transaction yet to come") { file in
      file.set64(file.node(Int(file.u64(file.freeTree + 40)), 0) + 8, 9)
    },
    Lie("a circle") { file in
      let meta = file.newestMeta
      let page = file.appendPage { FileEditor.branch($0, [(0, $0), (1, $0)]) }
      file.set64(meta + 40 + 40, UInt64(page))
      file.set16(meta + 40 + 6, 32)
    },
  ]

  @Test(arguments: lies) func `of a table that lies nothing is believed`(_ lie: Lie) throws {
    #expect(try FreeRoom(file(lie.tell), before: .max, block: 4096) == nil)
  }
}
