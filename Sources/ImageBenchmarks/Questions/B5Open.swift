import BatonImage

/// Opening an image and reading its first row.
enum OpenQuestion: Question {
  static let name = "B5"
  static let title = "open, first row, close"

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let sizes = [1000, setting.count(1_000_000, quick: 100_000)]
    let fixtures = try sizes.map { try Fixture(setting, records: $0) }
    var times = sizes.map { _ in Times() }
    // Sizes in turn as well, as they are compared.
    for round in 0..<setting.count(300, quick: 100) + 5 {
      if round == 5 { times = sizes.map { _ in Times() } }
      for index in sizes.indices { try times[index].take(of: fixtures[index]) }
    }
    for (size, times) in zip(sizes, times) {
      answer.add("raw LMDB, \(size) records", times.raw)
      answer.add("image, \(size) records", times.image)
      answer.add("SQLite layout, \(size) records", times.layout)
      answer.compare(
        "image / raw LMDB, \(size) records", times.image.median / times.raw.median, .atMost(2))
    }
    answer.compare(
      "raw LMDB, \(sizes[1]) / \(sizes[0]) records", times[1].raw.median / times[0].raw.median)
    answer.compare(
      "image, \(sizes[1]) / \(sizes[0]) records", times[1].image.median / times[0].image.median,
      .atMost(1.2))
  }

  private struct Times {
    var raw = Samples()
    var image = Samples()
    var layout = Samples()

    mutating func take(of fixture: Fixture) throws {
      consume(
        try raw.time {
          try RawStore.openAndGet(
            path: fixture.rawPath, hash: fixture.hash, number: fixture.number)
        })
      try image.time { try fixture.openImage() }
      try layout.time { try fixture.openLayout() }
    }
  }

  /// Closed files with the same records.
  private struct Fixture {
    let imagePath: String
    let rawPath: String
    let layoutPath: String
    let id: String
    let hash: UInt64
    let number: UInt64

    init(_ setting: Setting, records: Int) throws {
      imagePath = setting.folder.path("image-\(records)")
      rawPath = setting.folder.path("raw-\(records)")
      layoutPath = setting.folder.path("layout-\(records)")
      let subjects = try SubjectImage(path: imagePath, records: records, inBulk: true)
      id = Batch(subjects.batches / 2).ids[7]
      let prefixed = [0] + Array(id.utf8)
      hash = BatonImage.hash(prefixed.span)
      number = try Self.fill(subjects, id, rawPath: rawPath, layoutPath: layoutPath)
      try subjects.image.close()
      for name in ["image-\(records)", "raw-\(records)", "layout-\(records)"] {
        try setting.folder.warm(name)
      }
    }

    private static func fill(
      _ subjects: SubjectImage, _ id: String, rawPath: String, layoutPath: String
    ) throws -> UInt64 {
      let snapshot = try subjects.image.snapshot()
      try RawStore(path: rawPath, isSynchronous: false).fill(from: snapshot)
      let keys = try RecordKeys(snapshot)
      let rows = try RowList(snapshot, table: .records)
      try LayoutStore(path: layoutPath).fill(with: rows, keys: keys)
      return UInt64(try snapshot.number(ofId: Array(id.utf8)) ?? 0)
    }

    func openImage() throws {
      let image = try Image.open(path: imagePath)
      try Self.readFirst(image.snapshot(), id)
      try image.close()
    }

    private static func readFirst(_ snapshot: borrowing Snapshot, _ id: String) throws {
      guard let number = try snapshot.number(ofId: Array(id.utf8)),
        let row = try snapshot.row(number)
      else { throw ImageError.notFound("the first row") }
      consume(row.cellCount)
    }

    func openLayout() throws {
      let layout = try LayoutStore(path: layoutPath)
      _ = try layout.row(id) { row in consume(row.cellCount) }
    }
  }
}
