import BatonImage
import ImageFixtures
import Testing

@Suite struct SoundImageTests {
  let scratch = Scratch()

  @Test(arguments: [(0, 0), (300, 0), (300, 3), (3000, 2)])
  func `an image made by the engine is sound`(extra: Int, churn: Int) throws {
    let path = scratch.path("whole.image")
    let image = ImageFixture.sample(extra: extra)
    try image.write(to: path, churn: churn)
    let report = try Verifier.verify(at: path)
    #expect(report.faults == [])
    #expect(report.isSound)
    #expect(report.notes == [])
    #expect(report.records == UInt64(image.tables[.records]?.count ?? 0))
    #expect(report.commit == image.commit)
    #expect((report.freePages > 0) == (churn > 0))
  }

  @Test func `record numbers may lie far apart`() throws {
    let path = scratch.path("whole.image")
    var image = ImageFixture.sample()
    for number in [1000, 1064, 70_000, 4_000_000_000, UInt32.max - 1] as [UInt32] {
      image.addRow(
        type: 4, key: Array("I_\(number)".utf8),
        cells: [(5, ImageFixture.link(.links, [number - 1, number, 0]))], number: number)
      let alias = Array("A_\(number)".utf8)
      image.change(.records, UInt64(number)) { $0[18] |= UInt8(RowFlags.hasAliases.rawValue) }
      var entry: [UInt8] = []
      entry.append(u32: number)
      image.appendEntry(.aliases, hash(alias.span), entry + alias)
    }
    image.finish()
    try image.write(to: path)
    let report = try Verifier.verify(at: path)
    #expect(report.faults == [])
    #expect(report.notes == [])
  }

  @Test func `every value is found by key and in order`() throws {
    let path = scratch.path("whole.image")
    let image = ImageFixture.sample(extra: 800)
    try image.write(to: path, churn: 1)
    let file = try PageFile(path: path)
    try file.reading { (snapshot) throws(ImageError) in
      for table in ImageTable.allCases {
        let values = image.tables[table] ?? [:]
        for (key, value) in values {
          let found = try snapshot.value(table, key)?.copy()
          #expect(found == value, "\(table) \(key)")
        }
        #expect(try snapshot.value(table, 0xDEAD_BEEF_0000_0000)?.copy() == nil)
        var keys: [UInt64] = []
        try snapshot.forEach(table, from: 0) { (key, value) throws(ImageError) in
          keys.append(key)
          #expect(value.copy() == values[key])
          return true
        }
        #expect(keys == values.keys.sorted())
      }
    }
  }

  @Test func `iteration begins at the key asked and ends when told`() throws {
    let path = scratch.path("whole.image")
    try ImageFixture.sample(extra: 500).write(to: path)
    let snapshot = try PageSnapshot(PageFile(path: path))
    var keys: [UInt64] = []
    try snapshot.forEach(.records, from: 300) { (key, _) throws(ImageError) in
      keys.append(key)
      return keys.count < 100
    }
    #expect(keys == Array(300..<400))
  }

  @Test func `values lent out stay as they were while others are read`() throws {
    let path = scratch.path("whole.image")
    let image = ImageFixture.sample(extra: 2000)
    try image.write(to: path)
    var snapshot = try PageSnapshot(PageFile(path: path))
    for _ in 0..<2 {
      let first = try #require(try snapshot.value(.records, 5)?.copy())
      if let held = try snapshot.value(.records, 5) {
        for key in UInt64(4)..<1500 { _ = try snapshot.value(.records, key) }
        #expect(held.copy() == first)
      }
      snapshot.releasePages()
    }
  }
}

extension SoundImageTests {
  static let shapes: [FileComposer.Shape] = [512, 1024, 4096, 32_768].flatMap { pageSize in
    [(Int.max, Int.max, 0), (3, 2, 5), (1, 3, 40)].map { (leafNodes, fanout, freePages) in
      var shape = FileComposer.Shape()
      shape.pageSize = pageSize
      shape.leafNodes = leafNodes
      shape.fanout = fanout
      shape.freePages = freePages
      return shape
    }
  }

  @Test(arguments: shapes)
  func `an image laid out by hand is sound, whatever its pages' size and fill`(
    shape: FileComposer.Shape
  ) throws {
    var image = ImageFixture.sample(extra: 60)
    image.finish(pageSize: UInt32(shape.pageSize))
    let path = scratch.write(FileComposer.file(of: image, shape: shape))
    let report = try Verifier.verify(at: path)
    #expect(report.faults == [])
    #expect(report.notes == [])
    #expect(report.freePages == UInt64(shape.freePages))
    #expect(report.records == UInt64(image.tables[.records]?.count ?? 0))
  }

  @Test func `the engine reads what is laid out by hand and writes on in it`() throws {
    let image = ImageFixture.sample(extra: 60)
    let path = scratch.write(FileComposer.file(of: image, shape: Self.shapes[7]))
    let added: [UInt8] = [0, 0, 0, 0, 1, 2, 3]
    try EngineFile.extend(
      path, [EngineFile.Step(puts: [("records", [(key: 9999, value: added)])])])
    let file = try PageFile(path: path)
    try file.reading { (snapshot) throws(ImageError) in
      for (key, value) in image.tables[.records] ?? [:] {
        #expect(try snapshot.value(.records, key)?.copy() == value)
      }
    }
    #expect(try Verifier.verify(at: path).faults.map(\.structure) == ["records 9999"])
  }
}
