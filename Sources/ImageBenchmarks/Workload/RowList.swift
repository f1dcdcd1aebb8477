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
