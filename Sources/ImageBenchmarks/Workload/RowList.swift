import BatonImage

/// Values copied out of an image, one after another: what the other contenders are given to write.
struct RowList {
  struct Row {
    var key: UInt64
    var range: Range<Int>
  }

  private(set) var bytes: [UInt8] = []
  private(set) var rows: [Row] = []

  init() {}

  /// All of a table.
  init(_ snapshot: borrowing Snapshot, table: ImageTable) throws(ImageError) {
    var copied = RowList()
    try snapshot.forEach(table, from: 0) { key, value in
      copied.append(value, key)
      return true
    }
    self = copied
  }

  /// The rows of some records.
  init(_ snapshot: borrowing Snapshot, numbers: Range<UInt32>) throws(ImageError) {
    for number in numbers {
      guard let row = try snapshot.row(number) else {
        throw .notFound("there is no record \(number)")
      }
      append(row.bytes, UInt64(number))
    }
  }

  /// The numbers of the rows that have an id or a path, by the hashes of those, in order.
  func index() throws(ImageError) -> RowList {
    var entries: [(hash: UInt64, number: UInt64)] = []
    for row in rows where row.key >= 4 {
      let view = try RowView(bytes.span.extracting(row.range), number: UInt32(row.key))
      let key = [view.flags.contains(.pathKey) ? 1 : 0] + view.key.copy()
      entries.append((hash(key.span), row.key))
    }
    entries.sort { $0.hash < $1.hash }
    var index = RowList()
    for (hash, number) in entries {
      var value: [UInt8] = []
      value.append(u64: number)
      index.append(value.span, hash)
    }
    return index
  }

  /// The same rows in another order.
  func sorted(by areInOrder: (Row, Row) -> Bool) -> RowList {
    var list = self
    list.rows.sort(by: areInOrder)
    return list
  }

  private mutating func append(_ value: Span<UInt8>, _ key: UInt64) {
    let start = bytes.count
    bytes.append(value)
    rows.append(Row(key: key, range: start..<bytes.count))
  }
}
