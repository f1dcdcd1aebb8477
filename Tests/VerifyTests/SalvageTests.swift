import BatonImage
import ImageFixtures
import TestSupport
import Testing

@Suite struct SalvageTests {
  let scratch = Scratch()

  /// How many values of the image are read, none of them a wrong one.
  private func salvaged(_ image: ImageFixture, _ salvage: Salvage) throws -> Int {
    var count = 0
    for table in ImageTable.allCases {
      try salvage.forEach(table) { (key, value) throws(ImageError) in
        #expect(image.tables[table]?[key] == value.copy())
        count += 1
      }
    }
    return count
  }

  @Test func `a leaf that is zeroed costs its own values and no others`() throws {
    let image = ImageFixture.sample(extra: 600)
    let whole = scratch.path("whole.image")
    try image.write(to: whole)
    let all = image.tables.values.map(\.count).reduce(0, +)
    #expect(try salvaged(image, Salvage(PageFile(path: whole))) == all)

    var file = FileEditor(scratch.read(whole))
    let leaf = file.child(file.root(.records), 3)
    let lost = file.count(leaf)
    for index in leaf * 4096..<(leaf + 1) * 4096 { file.bytes[index] = 0 }
    let salvage = try Salvage(PageFile(path: scratch.write(file.bytes)))
    #expect(try salvaged(image, salvage) == all - lost)
    #expect(salvage.faultCount == 1)
    #expect(salvage.faults.first?.offset == UInt64(leaf * 4096))
  }

  @Test func `the state before is read when the newest has lost its main table`() throws {
    let image = ImageFixture.sample(extra: 50)
    let path = scratch.path("whole.image")
    try image.write(to: path)
    var later = ImageFixture()
    later.put(.stamps, 9, [UInt8](repeating: 1, count: 1028))
    try EngineFile.extend(path, later.steps())
    var file = FileEditor(scratch.read(path))
    for index in file.mainRoot * 4096..<(file.mainRoot + 1) * 4096 { file.bytes[index] = 0 }
    let harmed = scratch.write(file.bytes)
    #expect(try Salvage(PageFile(path: harmed)).tables.isEmpty)
    let salvage = try Salvage(PageFile(path: harmed), previous: true)
    #expect(try salvaged(image, salvage) == image.tables.values.map(\.count).reduce(0, +))
    #expect(salvage.faultCount == 0)
  }
}
