import BatonImage
import TestSupport
import Testing

/// Holds encoded values to bytes that were read field by field against Docs/Format.md.
@Suite struct GoldenTests {
  @Test func `a header is encoded as section 4 says`() throws {
    let header = Header(
      pageSize: 4096, schemaDigest: 0x0102_0304_0506_0708, created: -2,
      imageId: Array(0xA0...0xAF), identity: "{}", lookups: "[]", account: "me")
    #expect(hexadecimal(header.encoded()) == hexadecimal(Golden.header))
    let golden = Golden.header
    let decoded = try Header(golden.span)
    #expect(decoded == header)
    #expect(Self.isWhole(Golden.header, .meta, MetaKey.header))
  }

  @Test func `a state is encoded as section 4 says`() throws {
    var counters = ImageCounters()
    counters.commit = 5
    counters.time = 0x0102_0304_0506
    counters.nextRecord = 9
    counters.nextName = 17
    counters.generation = 3
    counters.oldestJournal = 2
    #expect(hexadecimal(counters.encoded()) == hexadecimal(Golden.state))
    let golden = Golden.state
    let decoded = try ImageCounters(golden.span)
    #expect(decoded == counters)
  }

  @Test func `a row with a cell of each kind is written as sections 6 and 7 say`() throws {
    let image = try GoldenImage()
    let row = hexadecimal(try image.value(.records, 4))
    #expect(row == hexadecimal(Golden.row))
  }

  @Test func `a natural key is written as section 9 says`() throws {
    let image = try GoldenImage()
    let key = hash(Array("all(n:1)".utf8).span)
    let entries = hexadecimal(try image.value(.keys, key))
    #expect(entries == hexadecimal(Golden.naturalKey))
  }

  @Test func `the fields of a natural key lie where section 9 says`() throws {
    let fields = try FormatDocument().offsets(of: 9)
    let number = try #require(fields["number"])
    let state = try #require(fields["keyState"])
    let commit = try #require(fields["commit"])
    let text = try #require(fields["text"])
    let kept = Golden.naturalKey
    // Behind the checksum and the entry's length.
    let entry = Array(kept[8...])
    #expect(Int(kept[4]) == entry.count)
    #expect(entry[number.offset..<state.offset].elementsEqual([4, 0, 0, 0]))
    #expect(entry[state.offset] == 1)
    #expect(entry[commit.offset..<text.offset].elementsEqual([1, 0, 0, 0, 0, 0, 0, 0]))
    #expect(entry[text.offset...].elementsEqual("all(n:1)".utf8))
  }

  @Test func `each harm to a byte of a row is told by its checksum and never read past`() {
    for damage in ByteDamage.everyByte(count: Golden.row.count) {
      let row = damage.applied(to: Golden.row)
      #expect(!Self.isWhole(row, .records, 4), "\(damage)")
      Self.walk(row)
    }
    #expect(Self.isWhole(Golden.row, .records, 4))
    #expect(!Self.isWhole(Golden.row, .records, 5))
    #expect(!Self.isWhole(Golden.row, .cells, 4))
    #expect(Self.walk(Golden.row))
  }

  @Test func `a row cut in its header, directory or key is refused whatever its checksum`() {
    let cells = RowLayout.directory + RowLayout.entrySize * 13 + 1
    for count in 0..<cells {
      let row = ByteDamage.cut(count: count).applied(to: Golden.row)
      #expect(throws: ImageError.self, "\(count)") { _ = try RowView(row.span, number: 4) }
    }
  }

  /// Whether a value has the checksum of its place.
  private static func isWhole(_ value: [UInt8], _ table: ImageTable, _ key: UInt64) -> Bool {
    isSealed(value.span, table: table, key: key)
  }

  /// Reads all of a row without asking for its checksum; whether nothing was wrong.
  @discardableResult
  private static func walk(_ bytes: [UInt8]) -> Bool {
    do {
      let row = try RowView(bytes.span, number: 4)
      _ = (row.type, row.commit, row.flags, row.key.copy(), try row.target())
      for index in 0..<row.cellCount {
        _ = row.index(of: row.field(at: index))
        try walk(row.cell(at: index))
      }
      return true
    } catch {
      return false
    }
  }

  private static func walk(_ cell: CellView) throws {
    _ = (cell.int, cell.float, cell.link, cell.isErrored)
    for index in 0..<cell.linkCount { _ = cell.link(at: index) }
    if cell.hasErrors { _ = try FieldError.decode(cell.errors) }
    guard cell.kind == .list else { return }
    var reader = ByteReader(cell.payload)
    while !reader.isAtEnd {
      guard reader.byte() != nil, reader.prefixed() != nil else { return }
    }
  }
}
