/// The buffers a merge works in, kept from one record to the next.
struct MergeScratch {
  /// The record's writes by field, each field once.
  var pending: [Pending] = []
  /// The new row's cells in order of their fields.
  var cells: [Cell] = []
  /// Cells that are made of an old value and new errors.
  var composed: [UInt8] = []
  /// The new row.
  var row: [UInt8] = []
  /// The fields whose cells differ from before.
  var changed: [UInt32] = []

  struct Pending {
    var field: UInt32
    var write: Int
    /// The value of the same response that a null under an error came after; -1 for none.
    var value = -1

    /// Puts a later write in the place of this one. Before a null under an error a value stays in
    /// mind: it is the last good one.
    mutating func take(_ next: Int, of changes: ChangeSet) {
      if changes.writes[next].kind == .value {
        value = -1
      } else if changes.writes[write].kind == .value {
        value = write
      }
      write = next
    }
  }

  /// Where a cell of the new row comes from.
  struct Cell {
    enum Source: UInt8 {
      case old
      case response
      case composed
    }

    var field: UInt32
    var source: Source
    /// The index of the old cell, or where the bytes lie.
    var range: Range<Int>
  }

  /// Collects a record's writes, sorted by field; of several to one field the last stays.
  mutating func collect(_ record: ChangeSet.Touched, of changes: ChangeSet) {
    pending.removeAll(keepingCapacity: true)
    var next = record.first
    while next >= 0 {
      let write = changes.writes[next]
      var position = pending.count
      while position > 0, pending[position - 1].field > write.field { position -= 1 }
      if position > 0, pending[position - 1].field == write.field {
        pending[position - 1].take(next, of: changes)
      } else {
        pending.insert(Pending(field: write.field, write: next), at: position)
      }
      next = write.next
    }
  }

  mutating func begin() {
    cells.removeAll(keepingCapacity: true)
    composed.removeAll(keepingCapacity: true)
    changed.removeAll(keepingCapacity: true)
  }

  /// Appends the cell of a null that errors cover: the last good value stays behind it (R3), that
  /// of the response itself before the one of the row.
  static func appendCovered(
    _ pending: Pending, of changes: ChangeSet, old: borrowing CellView?, to bytes: inout [UInt8]
  ) throws(ImageError) {
    let errors = changes.bytes.span.extracting(changes.writes[pending.write].bytes)
    guard pending.value >= 0 else {
      appendCovered(old: copy old, errors: errors, to: &bytes)
      return
    }
    let value = changes.bytes.span.extracting(changes.writes[pending.value].bytes)
    appendCovered(old: try CellView(value), errors: errors, to: &bytes)
  }

  private static func appendCovered(
    old: borrowing CellView?, errors: Span<UInt8>, to bytes: inout [UInt8]
  ) {
    guard let old = copy old, !(old.isErrored && !old.isStale) else {
      bytes.append(CellKind.null.rawValue | CellKind.errors)
      bytes.append(varint: UInt64(errors.count))
      bytes.append(errors)
      return
    }
    bytes.append(old.kind.rawValue | CellKind.errors | CellKind.stale)
    bytes.append(varint: UInt64(errors.count))
    bytes.append(errors)
    bytes.append(old.payload)
  }

  /// Builds the row of the cells collected; the checksum is left to the caller.
  mutating func build(
    type: UInt32, commit: UInt64, flags: RowFlags, key: Span<UInt8>, old: borrowing RowView?,
    changes: ChangeSet
  ) throws(ImageError) {
    row.removeAll(keepingCapacity: true)
    row.append(u32: 0)
    row.append(u32: type)
    row.append(u64: commit)
    row.append(u16: UInt16(cells.count))
    row.append(u16: flags.rawValue)
    row.append(u32: UInt32(key.count))
    let directory = row.count
    row.append(contentsOf: repeatElement(0, count: RowLayout.entrySize * cells.count))
    row.append(key)
    let composed = composed
    for (index, cell) in cells.enumerated() {
      let entry = directory + RowLayout.entrySize * index
      row.store(u32: cell.field, at: entry)
      let offset = UInt32(row.count)
      row.store(u32: offset, at: entry + 4)
      switch cell.source {
      case .old:
        guard let old = copy old else { continue }
        row.append(try old.cell(at: cell.range.lowerBound).bytes)
      case .response: row.append(changes.bytes.span.extracting(cell.range))
      case .composed: row.append(composed.span.extracting(cell.range))
      }
    }
  }
}
