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
  var changed = Buffer<UInt32>(capacity: 64)
  /// Indexes into the pending writes whose fields go to the table `cells`.
  var spilled = Buffer<Int>(capacity: 8)
  /// The cells that take the place of others in a row whose fields stay the same.
  private var patches = Buffer<Patch>(capacity: 64)

  struct Patch: BitwiseCopyable {
    /// Which cell of the old row.
    var index: Int
    var start: Int
    var end: Int
    /// The write whose cell takes its place.
    var write: Int32
  }

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
    var next = record.chain.first
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
    changed.removeAll()
    spilled.removeAll()
    patches.removeAll()
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

  // MARK: A row whose fields stay the same

  /// Notes the cells that differ from those of a row which has one for every write, as the row of a
  /// record that is refreshed has. False, with nothing noted, where it lacks one, or where an error
  /// covers a field: that takes `merge`.
  ///
  /// Goes along the record's writes as they came, as long as that is the order of their fields, and
  /// else along them as `collect` sorts them.
  mutating func compare(
    _ record: ChangeSet.Touched, of changes: borrowing ChangeSet, with row: borrowing RowView
  ) throws(ImageError) -> Bool {
    var place = RowLayout.directory
    var lowest: UInt32 = 0
    var next = record.chain.first
    while next >= 0 {
      let write = changes.writes[Int(next)]
      guard write.field >= lowest else { return try compareSorted(record, of: changes, with: row) }
      lowest = write.field &+ 1
      guard try compare(write, at: next, of: changes, with: row, &place) else { return false }
      next = write.next
    }
    return true
  }

  /// The same along the writes as `collect` sorts them.
  private mutating func compareSorted(
    _ record: ChangeSet.Touched, of changes: borrowing ChangeSet, with row: borrowing RowView
  ) throws(ImageError) -> Bool {
    collect(record, of: changes)
    changed.removeAll()
    patches.removeAll()
    var place = RowLayout.directory
    for position in 0..<pending.count {
      let next = pending[position].write
      guard try compare(changes.writes[Int(next)], at: next, of: changes, with: row, &place) else {
        return false
      }
    }
    return true
  }

  /// Notes a write's cell where it differs from the row's, which stands at `place` of the directory or
  /// behind it. False, with nothing noted at all, where the row has none, or an error covers it.
  @inline(__always)
  private mutating func compare(
    _ write: ChangeSet.Write, at index: Int32, of changes: borrowing ChangeSet,
    with row: borrowing RowView, _ place: inout Int
  ) throws(ImageError) -> Bool {
    let bytes = row.bytes
    let directoryEnd = RowLayout.directory &+ RowLayout.entrySize &* row.cellCount
    // The field is the lower half of an entry, the cell's offset the upper.
    var entry: UInt64 = 0
    while place < directoryEnd {
      entry = bytes.u64(at: place)
      if UInt32(truncatingIfNeeded: entry) >= write.field { break }
      place &+= RowLayout.entrySize
    }
    guard place < directoryEnd, UInt32(truncatingIfNeeded: entry) == write.field,
      write.kind == .value
    else {
      changed.removeAll()
      patches.removeAll()
      return false
    }
    let cell = (place &- RowLayout.directory) / RowLayout.entrySize
    place &+= RowLayout.entrySize
    let start = Int(entry &>> 32)
    let end = place < directoryEnd ? Int(bytes.u32(at: place &+ 4)) : bytes.count
    guard start >= row.dataStart, start < end, end <= bytes.count else {
      throw RowView.outside(cell)
    }
    if end &- start != write.count
      || !bytes.extracting(start..<end).isEqual(to: changes.bytes.span(write.bytes))
    {
      patches.append(Patch(index: cell, start: start, end: end, write: index))
      changed.append(write.field)
    }
    return true
  }

  /// Builds the row of what `compare` noted: the old bytes, with the cells that differ in their
  /// places. The checksum is left to the caller.
  mutating func patch(
    _ old: borrowing RowView, type: UInt32, commit: UInt64, flags: RowFlags,
    _ changes: borrowing ChangeSet
  ) throws(ImageError) {
    let bytes = old.bytes
    row.removeAll()
    row.appendRowHead(
      type: type, commit: commit, cells: old.cellCount, flags: flags, keyLength: old.key.count)
    var place = RowLayout.directory
    for position in 0..<patches.count {
      let patch = patches[position]
      // In a row made by a hostile hand cells may lie in any order.
      guard patch.start >= place else {
        throw .damaged(Damage("row", "cell \(patch.index) lies before the one before it"))
      }
      row.append(bytes.extracting(place..<patch.start))
      row.append(changes.bytes.span(changes.writes[Int(patch.write)].bytes))
      place = patch.end
    }
    row.append(bytes.extracting(place..<bytes.count))
    moveOffsets(of: old.cellCount, changes)
  }

  /// Brings the directory's offsets behind cells of another size in line.
  private mutating func moveOffsets(of cellCount: Int, _ changes: borrowing ChangeSet) {
    var moved = 0
    for position in 0..<patches.count {
      let patch = patches[position]
      moved &+= changes.writes[Int(patch.write)].count &- (patch.end &- patch.start)
      guard moved != 0 else { continue }
      let next = position &+ 1 < patches.count ? patches[position &+ 1].index : cellCount &- 1
      var index = patch.index &+ 1
      while index <= next {
        let place = RowLayout.directory &+ RowLayout.entrySize &* index &+ 4
        let offset = UInt32(truncatingIfNeeded: moved) &+ row.span.u32(at: place)
        row.store(u32: offset, at: place)
        index &+= 1
      }
    }
  }

  // MARK: Any row

  /// Lays the cells of the old row and the writes into one order and notes what differs. A write
  /// that a row with `room` cells to spare doesn't take is spilled, and with it all of a row that
  /// spilled before.
  mutating func merge(
    with row: borrowing RowView?, _ changes: borrowing ChangeSet, room: Int, isSpilled: Bool
  ) throws(ImageError) {
    var room = room
    guard let row = copy row else {
      for position in 0..<pending.count {
        try add(pending[position], at: position, changes, room: &room)
      }
      return
    }
    if isSpilled { room = 0 }
    let oldCount = row.cellCount
    var old = 0
    for position in 0..<pending.count {
      let pending = pending[position]
      while old < oldCount, row.field(at: old) < pending.field {
        cells.append(Cell(field: row.field(at: old), source: .old, range: try row.range(at: old)))
        old += 1
      }
      if old < oldCount, row.field(at: old) == pending.field {
        try replace(row.bytes, row.range(at: old), with: pending, changes)
        old += 1
      } else {
        try add(pending, at: position, changes, room: &room)
      }
    }
    while old < oldCount {
      cells.append(Cell(field: row.field(at: old), source: .old, range: try row.range(at: old)))
      old += 1
    }
  }

  /// Lays a write in the place of an old cell, which stays when it is equal.
  private mutating func replace(
    _ row: Span<UInt8>, _ range: Range<Int>, with pending: Pending, _ changes: borrowing ChangeSet
  ) throws(ImageError) {
    let write = changes.writes[Int(pending.write)]
    let cell: Cell
    switch write.kind {
    case .value:
      if row.extracting(range).isEqual(to: changes.bytes.span(write.bytes)) {
        cell = Cell(field: write.field, source: .old, range: range)
      } else {
        cell = Cell(field: write.field, source: .response, range: write.bytes)
      }
    case .coveredNull:
      let start = composed.count
      try Self.appendCovered(
        pending, of: changes, old: CellView(row.extracting(range)), to: &composed)
      let made = start..<composed.count
      if row.extracting(range).isEqual(to: composed.span(made)) {
        cell = Cell(field: write.field, source: .old, range: range)
      } else {
        cell = Cell(field: write.field, source: .composed, range: made)
      }
    }
    cells.append(cell)
    if cell.source != .old { changed.append(write.field) }
  }

  /// Adds a cell of a field that the row hasn't, or notes that it goes to the table `cells`.
  private mutating func add(
    _ pending: Pending, at position: Int, _ changes: borrowing ChangeSet, room: inout Int
  ) throws(ImageError) {
    guard room > 0 else {
      spilled.append(position)
      return
    }
    room -= 1
    changed.append(pending.field)
    let write = changes.writes[Int(pending.write)]
    guard write.kind == .coveredNull else {
      cells.append(Cell(field: write.field, source: .response, range: write.bytes))
      return
    }
    let start = composed.count
    try Self.appendCovered(pending, of: changes, old: nil, to: &composed)
    cells.append(Cell(field: write.field, source: .composed, range: start..<composed.count))
  }

  /// Builds the row of the cells collected; the checksum is left to the caller.
  mutating func build(
    type: UInt32, commit: UInt64, flags: RowFlags, key: Span<UInt8>, old: Span<UInt8>,
    changes: borrowing ChangeSet
  ) {
    row.removeAll()
    row.appendRowHead(
      type: type, commit: commit, cells: cells.count, flags: flags, keyLength: key.count)
    var offset = RowLayout.directory + RowLayout.entrySize * cells.count + key.count
    row.reserve(offset)
    for index in 0..<cells.count {
      let cell = cells[index]
      row.appendEntry(field: cell.field, offset: offset)
      offset &+= cell.range.count
    }
    row.reserve(offset - row.count)
    row.append(key)
    // Cells that lie one behind the other where they come from are copied at once.
    var index = 0
    while index < cells.count {
      let first = cells[index]
      var end = first.range.upperBound
      index += 1
      while index < cells.count, cells[index].source == first.source,
        cells[index].range.lowerBound == end
      {
        end = cells[index].range.upperBound
        index += 1
      }
      let range = first.range.lowerBound..<end
      switch first.source {
      case .old: row.append(old.extracting(range))
      case .response: row.append(changes.bytes.span(range))
      case .composed: row.append(composed, range)
      }
    }
  }
}
