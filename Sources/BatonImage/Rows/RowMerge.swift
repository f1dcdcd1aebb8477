/// The buffers a merge works in, kept from one record to the next.
struct MergeScratch: ~Copyable {
  /// The record's writes by field, each field once.
  var pending = Buffer<Pending>(capacity: 64)
  /// The new row's cells in order of their fields.
  var cells = Buffer<Cell>(capacity: 64)
  /// Cells that are made of an old value and new errors.
  var composed = Buffer<UInt8>(capacity: 64)
  /// The new row.
  var row = Buffer<UInt8>(capacity: 1024)
  /// The fields whose cells differ from before.
  var changed: [UInt32] = []

  struct Pending: BitwiseCopyable {
    var field: UInt32
    var write: Int32
    /// The value of the same response that a null under an error came after; -1 for none.
    var value: Int32 = -1

    /// Puts a later write in the place of this one. Before a null under an error a value stays in
    /// mind: it is the last good one.
    mutating func take(_ next: Int32, of changes: borrowing ChangeSet) {
      if changes.writes[Int(next)].kind == .value {
        value = -1
      } else if changes.writes[Int(write)].kind == .value {
        value = write
      }
      write = next
    }
  }

  /// Where a cell of the new row comes from.
  struct Cell: BitwiseCopyable {
    enum Source: UInt8, BitwiseCopyable {
      case old
      case response
      case composed
    }

    let field: UInt32
    let source: Source
    private let start: Int
    private let end: Int

    init(field: UInt32, source: Source, range: Range<Int>) {
      self.field = field
      self.source = source
      start = range.lowerBound
      end = range.upperBound
    }

    /// Where the bytes lie, in the old row, the change set or `composed`.
    var range: Range<Int> { start..<end }
  }

  /// Collects a record's writes, sorted by field; of several to one field the last stays.
  mutating func collect(_ record: ChangeSet.Touched, of changes: borrowing ChangeSet) {
    pending.removeAll()
    var next = record.first
    var highest: UInt32 = 0
    while next >= 0 {
      let write = changes.writes[Int(next)]
      if write.field > highest || pending.isEmpty {
        highest = write.field
        pending.append(Pending(field: write.field, write: next))
      } else {
        insert(next, field: write.field, of: changes)
      }
      next = write.next
    }
  }

  /// Puts a write among those of higher fields, or in the place of one to the same field.
  private mutating func insert(_ next: Int32, field: UInt32, of changes: borrowing ChangeSet) {
    var position = pending.count
    while position > 0, pending[position - 1].field > field { position -= 1 }
    if position > 0, pending[position - 1].field == field {
      var entry = pending[position - 1]
      entry.take(next, of: changes)
      pending[position - 1] = entry
      return
    }
    let last = pending[pending.count - 1]
    pending.append(last)
    var index = pending.count - 2
    while index > position {
      pending[index] = pending[index - 1]
      index -= 1
    }
    pending[position] = Pending(field: field, write: next)
  }

  mutating func begin() {
    cells.removeAll()
    composed.removeAll()
    changed.removeAll(keepingCapacity: true)
  }

  /// Appends the cell of a null that errors cover: the last good value stays behind it (R3), that
  /// of the response itself before the one of the row.
  static func appendCovered<Sink: ByteSink & ~Copyable>(
    _ pending: Pending, of changes: borrowing ChangeSet, old: borrowing CellView?,
    to bytes: inout Sink
  ) throws(ImageError) {
    let errors = changes.bytes.span(changes.writes[Int(pending.write)].bytes)
    guard pending.value >= 0 else {
      appendCovered(old: copy old, errors: errors, to: &bytes)
      return
    }
    let value = changes.bytes.span(changes.writes[Int(pending.value)].bytes)
    appendCovered(old: try CellView(value), errors: errors, to: &bytes)
  }

  private static func appendCovered<Sink: ByteSink & ~Copyable>(
    old: borrowing CellView?, errors: Span<UInt8>, to bytes: inout Sink
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
    type: UInt32, commit: UInt64, flags: RowFlags, key: Span<UInt8>, old: Span<UInt8>,
    changes: borrowing ChangeSet
  ) {
    row.removeAll()
    var size = RowLayout.directory + RowLayout.entrySize * cells.count + key.count
    for index in 0..<cells.count { size &+= cells[index].range.count }
    row.reserve(size)
    row.appendRowHead(
      type: type, commit: commit, cells: cells.count, flags: flags, keyLength: key.count)
    var offset = RowLayout.directory + RowLayout.entrySize * cells.count + key.count
    for index in 0..<cells.count {
      let cell = cells[index]
      row.append(u32: cell.field)
      row.append(u32: UInt32(truncatingIfNeeded: offset))
      offset += cell.range.count
    }
    row.append(key)
    for index in 0..<cells.count {
      let cell = cells[index]
      switch cell.source {
      case .old: row.append(old.extracting(cell.range))
      case .response: row.append(changes.bytes.span(cell.range))
      case .composed: row.append(composed, cell.range)
      }
    }
  }
}
