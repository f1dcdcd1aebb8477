import BatonImage
import Testing

/// Holds the numbers in code to the tables of Docs/Format.md, sections 2 to 12, 20 and 21.
@Suite struct FormatTableTests {
  let document: FormatDocument

  init() throws { document = try FormatDocument() }

  @Test func `the tables are those of section 2 in its order`() throws {
    let stated = try document.rows(of: 2, "number").map { "\($0[0]) \($0[1])" }
    #expect(stated == ImageTable.allCases.map { "\($0.rawValue) `\($0.name)`" })
  }

  @Test func `the checksum lies where section 3 says`() throws {
    let field = try document.offsets(of: 3)["checksum"]
    #expect(field?.offset == RowLayout.checksum)
    #expect(field?.size == 4)
  }

  @Test func `the offsets of header and state are those of section 4`() throws {
    let fields = try document.offsets(of: 4)
    let expected = [
      "magic": HeaderLayout.magic, "formatVersion": HeaderLayout.formatVersion,
      "keyRulesVersion": HeaderLayout.keyRulesVersion, "pageSize": HeaderLayout.pageSize,
      "engineVersion": HeaderLayout.engineVersion, "schemaDigest": HeaderLayout.schemaDigest,
      "created": HeaderLayout.created, "imageId": HeaderLayout.imageId,
      "identity": HeaderLayout.identity,
      "commit": StateLayout.commit, "time": StateLayout.time,
      "nextRecord": StateLayout.nextRecord, "nextName": StateLayout.nextName,
      "generation": StateLayout.generation, "oldestJournal": StateLayout.oldestJournal,
    ]
    #expect(fields.mapValues(\.offset) == expected)
  }

  @Test func `the fields of header and state follow one another without a gap`() throws {
    let rows = try document.rows(of: 4, "offset").compactMap { row in
      Int(row[0]).map { (offset: $0, size: Int(row[1])) }
    }
    for (row, next) in zip(rows, rows.dropFirst()) where next.offset > row.offset {
      #expect(row.size.map { row.offset + $0 } == next.offset, "offset \(row.offset)")
    }
    let last = try #require(rows.last)
    #expect(last.size.map { last.offset + $0 } == StateLayout.size)
  }

  @Test func `the offsets of a row are those of section 6`() throws {
    let fields = try document.offsets(of: 6)
    let expected = [
      "checksum": RowLayout.checksum, "type": RowLayout.type, "commit": RowLayout.commit,
      "cellCount": RowLayout.cellCount, "flags": RowLayout.flags,
      "keyLength": RowLayout.keyLength, "directory": RowLayout.directory,
    ]
    #expect(fields.mapValues(\.offset) == expected)
    let sizes = try document.rows(of: 6, "offset").map { "\($0[2]) \($0[1])" }
    #expect(sizes.contains("directory \(RowLayout.entrySize)n"))
  }

  @Test func `the flags of a row are those of section 6`() throws {
    let stated = try document.rows(of: 6, "bit").map { "\($0[0]) \($0[1])" }
    let flags: [(String, RowFlags)] = [
      ("pathKey", .pathKey), ("deleted", .deleted), ("spilled", .spilled),
      ("hasNaturalKeys", .hasNaturalKeys), ("hasAliases", .hasAliases), ("moved", .moved),
      ("evicted", .evicted), ("pinned", .pinned),
    ]
    #expect(stated == flags.map { "\($0.1.rawValue.trailingZeroBitCount) \($0.0)" })
    #expect(RowFlags(flags.map(\.1)) == .known)
  }

  @Test func `the kinds and flags of a cell are those of section 7`() throws {
    let stated = try document.rows(of: 7, "kind").map { "\($0[0]) \($0[1])" }
    let kinds = (UInt8.min...CellKind.mask).compactMap { CellKind(rawValue: $0) }
    #expect(stated == kinds.map { "\($0.rawValue) \($0)" })
    let flags = try document.rows(of: 7, "bit").map { "\($0[0]) \($0[1])" }
    #expect(
      flags == [
        "\(CellKind.stale.trailingZeroBitCount) stale",
        "\(CellKind.errors.trailingZeroBitCount) errors",
      ])
  }

  @Test func `the kinds of a name are those of section 5`() throws {
    let row = try #require(try document.rows(of: 5, "offset").first { $0[2] == "nameKind" })
    let kinds: [(NameKind, String)] = [
      (.type, "type name"), (.storageKey, "storage key"), (.operation, "operation"),
    ]
    #expect(row[3] == kinds.map { "\($0.0.rawValue) \($0.1)" }.joined(separator: ", "))
    #expect(NameKind(rawValue: 4) == nil)
  }

  @Test func `a group of fetch times is that of section 10`() throws {
    let fields = try document.offsets(of: 10)
    let time = try #require(fields["groupTime"])
    let records = try #require(fields["records"])
    #expect(time.offset == 0)
    #expect(time.size == records.offset)
    #expect(records.size.map { records.offset + $0 } == FetchBlock.groupSize)
    #expect(records.size.map { UInt32($0 * 8) } == FetchBlock.width)
  }

  @Test func `what a journal says of a record is what section 12 names`() throws {
    let stated = try document.rows(of: 12, "what").map { "\($0[0]) \($0[1])" }
    let whats = (UInt8.min...UInt8.max).compactMap { JournalDraft.What(rawValue: $0) }
    #expect(stated == whats.map { "\($0.rawValue) \($0)" })
  }

  @Test func `a checkpoint's slot is that of section 20`() throws {
    let fields = try document.offsets(of: 20)
    let expected = [
      "magic": CheckpointLayout.magic, "version": CheckpointLayout.version,
      "flags": CheckpointLayout.flags, "pageSize": CheckpointLayout.pageSize,
      "sequence": CheckpointLayout.sequence, "transaction": CheckpointLayout.transaction,
      "imageId": CheckpointLayout.imageId, "boot": CheckpointLayout.boot,
      "fileSize": CheckpointLayout.fileSize, "modified": CheckpointLayout.modified,
      "changed": CheckpointLayout.changed, "meta": CheckpointLayout.meta,
      "epoch": CheckpointLayout.epoch, "checksum": CheckpointLayout.checksum,
    ]
    #expect(fields.mapValues(\.offset) == expected)
    let end = fields.values.map { $0.offset + ($0.size ?? 0) }.max()
    #expect(end == CheckpointLayout.size)
    let text = try document.rows(of: 20, "offset")
    #expect(text[0][3] == "`\(String(decoding: CheckpointLayout.magicBytes, as: UTF8.self))`")
    #expect(text[1][3] == "\(CheckpointLayout.currentVersion)")
    let places = try document.rows(of: 20, "place").map { "\($0[0]) \($0[2])" }
    #expect(
      places == [
        "\(CheckpointLayout.marks) marks", "\(CheckpointLayout.flushed) flushed",
        "\(CheckpointLayout.headerSize) headerSize", "\(CheckpointLayout.header) header",
      ])
    #expect(
      CheckpointLayout.marks + CheckpointLayout.markCount * CheckpointLayout.markSize
        == CheckpointLayout.flushed)
  }

  @Test func `a record of the log is that of section 21`() throws {
    let fields = try document.offsets(of: 21)
    let expected = [
      "magic": CommitLogLayout.magic, "epoch": CommitLogLayout.epoch,
      "transaction": CommitLogLayout.transaction, "size": CommitLogLayout.size,
      "writes": CommitLogLayout.writes,
    ]
    #expect(fields.mapValues(\.offset) == expected)
    let segments = try document.rows(of: 21, "segment").map { $0.compactMap { Int($0) } }
    #expect(
      segments
        == (0..<CommitLogLayout.segmentCount).map { segment in
          let size = CommitLogLayout.segmentSize
          return [segment, size, CommitLogLayout.start + segment * size]
        })
    let rows = try document.rows(of: 21, "offset")
    #expect(rows[0][3] == "`\(String(decoding: CommitLogLayout.magicBytes, as: UTF8.self))`")
    let writes = try document.rows(of: 21, "place").filter { !$0[2].isEmpty }
    #expect(
      writes.map { "\($0[0]) \($0[2])" } == [
        "\(CommitLogLayout.writeKind) writeKind", "\(CommitLogLayout.writeTable) writeTable",
        "\(CommitLogLayout.writeValueSize) writeValueSize",
        "\(CommitLogLayout.writeKey) writeKey", "\(CommitLogLayout.writeValue) writeValue",
      ])
  }
}
