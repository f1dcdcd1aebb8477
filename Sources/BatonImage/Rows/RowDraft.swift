/// A row taken apart, for the rare changes that a merge doesn't make: new keys, flags, deletion.
struct RowDraft {
  var type: UInt32
  var commit: UInt64
  var flags: RowFlags
  var key: [UInt8]
  /// The cells in order of their fields.
  var cells: [(field: UInt32, bytes: [UInt8])]

  init(type: UInt32, commit: UInt64, flags: RowFlags, key: [UInt8]) {
    self.type = type
    self.commit = commit
    self.flags = flags
    self.key = key
    cells = []
  }

  init(_ row: borrowing RowView) throws(ImageError) {
    self.init(type: row.type, commit: row.commit, flags: row.flags, key: row.key.copy())
    for index in 0..<row.cellCount {
      cells.append((row.field(at: index), try row.cell(at: index).bytes.copy()))
    }
  }

  /// The row's value, sealed.
  func encoded(number: UInt32) -> [UInt8] {
    var row: [UInt8] = []
    row.appendRowHead(
      type: type, commit: commit, cells: cells.count, flags: flags, keyLength: key.count)
    var offset = RowLayout.directory + RowLayout.entrySize * cells.count + key.count
    for cell in cells {
      row.append(u32: cell.field)
      row.append(u32: UInt32(offset))
      offset += cell.bytes.count
    }
    row.append(contentsOf: key)
    for cell in cells { row.append(contentsOf: cell.bytes) }
    row.seal(table: .records, key: UInt64(number))
    return row
  }
}
