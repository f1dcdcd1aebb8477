import BatonImage

/// Records from raw bytes in memory, with no checksum and no verification between them and what
/// reads them.
///
/// Where a table's keys are hashes, any key finds some value: what reads has to compare the texts.
struct MemorySource: RecordSource {
  private struct Entry {
    var key: UInt64
    var range: Range<Int>
  }

  private var bytes: [UInt8] = []
  private var tables: [[Entry]] = Array(repeating: [], count: ImageTable.allCases.count)

  mutating func put(_ table: ImageTable, _ key: UInt64, _ value: [UInt8]) {
    let start = bytes.count
    bytes.append(contentsOf: value)
    let index = Int(table.rawValue) - 1
    tables[index].removeAll { $0.key == key }
    tables[index].append(Entry(key: key, range: start..<bytes.count))
    tables[index].sort { $0.key < $1.key }
  }

  func keys(of table: ImageTable) -> [UInt64] { tables[Int(table.rawValue) - 1].map(\.key) }

  private static let hashed: Set<ImageTable> = [
    .ids, .aliases, .keys, .nameids, .operations, .misses,
  ]

  @_lifetime(borrow self)
  func value(_ table: ImageTable, _ key: UInt64) throws(ImageError) -> Span<UInt8>? {
    let entries = tables[Int(table.rawValue) - 1]
    let found: Entry?
    if Self.hashed.contains(table), !entries.isEmpty {
      found = entries[Int(key % UInt64(entries.count))]
    } else {
      found = entries.first { $0.key == key }
    }
    guard let found else { return nil }
    return bytes.span.extracting(found.range)
  }

  @_lifetime(borrow self)
  func value(_ table: ImageTable, atLeast key: UInt64) throws(ImageError) -> Span<UInt8>? {
    try value(table, key)
  }

  func forEach(
    _ table: ImageTable, from start: UInt64,
    _ body: (_ key: UInt64, _ value: Span<UInt8>) throws(ImageError) -> Bool
  ) throws(ImageError) {
    for entry in tables[Int(table.rawValue) - 1] where entry.key >= start {
      guard try body(entry.key, bytes.span.extracting(entry.range)) else { return }
    }
  }
}
