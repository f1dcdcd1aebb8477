internal import LMDB

/// Merging a change set into the rows of the image (R3).
extension CommitSession {
  /// Merges every record of a change set, in order of record numbers.
  mutating func apply(_ changes: borrowing ChangeSet) throws(ImageError) {
    var scratch = self.scratch.take() ?? MergeScratch()
    for place in changes.inOrder() {
      let record = changes.touched[place.index]
      if !record.isNew { touched.append(record.number) }
      try merge(record, of: changes, &scratch)
    }
    self.scratch = consume scratch
    try keepSuccessors()
  }

  /// Merges one record: writes its row when a field, its type or its life changed.
  private mutating func merge(
    _ record: ChangeSet.Touched, of changes: borrowing ChangeSet, _ scratch: inout MergeScratch
  ) throws(ImageError) {
    scratch.collect(record, of: changes)
    scratch.begin()
    let plan = try plan(record, of: changes, &scratch)
    let oldCells = plan.hasNaturalKeys ? try cells(of: record.number, plan, scratch) : [:]
    scratch.changed.append(contentsOf: plan.dropped)
    if plan.dropsSpilled { scratch.changed.append(contentsOf: try dropSpilled(record.number)) }
    if !plan.spilled.isEmpty {
      try spill(plan.spilled, of: record, changes, &scratch)
    }
    if plan.writesRow {
      scratch.row.seal(table: .records, key: UInt64(record.number))
      try putRow(scratch.row.span, record.number, appending: plan.isNew)
      if plan.isNew, record.number >= RowLayout.firstRecord {
        try index(record.number, hash: record.hash)
      }
    }
    if plan.hasNaturalKeys {
      try supersedeKeys(of: record.number, oldCells, changed: scratch.changed)
    }
    try note(record, plan, scratch.changed)
  }

  /// The cells that a record has before they change, or may change outside of the row.
  private borrowing func cells(
    of number: UInt32, _ plan: MergePlan, _ scratch: borrowing MergeScratch
  ) throws(ImageError) -> [UInt32: [UInt8]] {
    var cells: [UInt32: [UInt8]] = [:]
    for field in scratch.changed { cells[field] = try cell(of: number, field: field)?.bytes.copy() }
    for position in plan.spilled {
      let field = scratch.pending[position].field
      cells[field] = try cell(of: number, field: field)?.bytes.copy()
    }
    return cells
  }

  /// What merging a record comes to.
  private struct MergePlan {
    var isNew: Bool
    var writesRow: Bool
    var hasNaturalKeys = false
    /// The fields of the row that are another object's, and whether it has more in `cells`.
    var dropped: [UInt32] = []
    var dropsSpilled = false
    /// Indexes into the pending writes whose fields go to the table `cells`.
    var spilled: [Int] = []
    /// How many cells the row has room for.
    var room = RowLayout.maximumCells
  }

  /// Compares a record's writes with its row and builds the new row when they differ.
  private borrowing func plan(
    _ record: ChangeSet.Touched, of changes: borrowing ChangeSet, _ scratch: inout MergeScratch
  ) throws(ImageError) -> MergePlan {
    let row = try row(record.number)
    var flags: RowFlags = if let row { row.flags } else { record.isPath ? .pathKey : [] }
    let oldType = row?.type ?? 0
    // Another type at a path is another object, whose fields are not this one's.
    let isOther = record.isPath && oldType != 0 && record.type != 0 && oldType != record.type
    var plan = MergePlan(isNew: row == nil, writesRow: row == nil || isOther)
    plan.hasNaturalKeys = flags.contains(.hasNaturalKeys)
    if isOther, let row {
      plan.dropped = (0..<row.cellCount).map { row.field(at: $0) }
      plan.dropsSpilled = flags.contains(.spilled)
      flags.remove(.spilled)
    }
    if flags.contains(.deleted) || flags.contains(.evicted) {
      flags.remove(.deleted)
      flags.remove(.evicted)
      plan.writesRow = true
    }
    let type = record.type != 0 ? record.type : oldType
    if type != oldType { plan.writesRow = true }
    if !isOther, let row { plan.room -= row.cellCount }
    try mergeCells(of: isOther ? nil : row, changes, &scratch, &plan, flags)
    if !plan.spilled.isEmpty, !flags.contains(.spilled) {
      flags.insert(.spilled)
      plan.writesRow = true
    }
    if !scratch.changed.isEmpty { plan.writesRow = true }
    guard plan.writesRow else { return plan }
    if let row {
      scratch.build(
        type: type, commit: state.commit + 1, flags: flags, key: row.key, old: row.bytes,
        changes: changes)
    } else {
      let none: [UInt8] = []
      scratch.build(
        type: type, commit: state.commit + 1, flags: flags, key: changes.bytes.span(record.key),
        old: none.span, changes: changes)
    }
    return plan
  }

  /// Lays the cells of the old row and the writes into one order and notes what differs.
  private borrowing func mergeCells(
    of row: borrowing RowView?, _ changes: borrowing ChangeSet, _ scratch: inout MergeScratch,
    _ plan: inout MergePlan, _ flags: RowFlags
  ) throws(ImageError) {
    guard let row = copy row else {
      for position in 0..<scratch.pending.count {
        let pending = scratch.pending[position]
        try add(pending, at: position, &scratch, changes, &plan, isFull: false)
      }
      return
    }
    let oldCount = row.cellCount
    let isSpilled = flags.contains(.spilled)
    var old = 0
    var field = oldCount > 0 ? row.field(at: 0) : .max
    for position in 0..<scratch.pending.count {
      let pending = scratch.pending[position]
      while old < oldCount, field < pending.field {
        scratch.cells.append(.init(field: field, source: .old, range: try row.range(at: old)))
        old += 1
        field = old < oldCount ? row.field(at: old) : .max
      }
      if old < oldCount, field == pending.field {
        try replace(row.bytes, row.range(at: old), with: pending, changes, &scratch)
        old += 1
        field = old < oldCount ? row.field(at: old) : .max
      } else {
        try add(pending, at: position, &scratch, changes, &plan, isFull: isSpilled)
      }
    }
    while old < oldCount {
      scratch.cells.append(
        .init(field: row.field(at: old), source: .old, range: try row.range(at: old)))
      old += 1
    }
  }

  /// Lays a write in the place of an old cell, which stays when it is equal.
  @inline(__always)
  private borrowing func replace(
    _ row: Span<UInt8>, _ range: Range<Int>, with pending: MergeScratch.Pending,
    _ changes: borrowing ChangeSet, _ scratch: inout MergeScratch
  ) throws(ImageError) {
    let write = changes.writes[Int(pending.write)]
    let cell: MergeScratch.Cell
    switch write.kind {
    case .value:
      if row.extracting(range).isEqual(to: changes.bytes.span(write.bytes)) {
        cell = .init(field: write.field, source: .old, range: range)
      } else {
        cell = .init(field: write.field, source: .response, range: write.bytes)
      }
    case .coveredNull:
      let start = scratch.composed.count
      try MergeScratch.appendCovered(
        pending, of: changes, old: CellView(row.extracting(range)), to: &scratch.composed)
      let made = start..<scratch.composed.count
      if row.extracting(range).isEqual(to: scratch.composed.span(made)) {
        cell = .init(field: write.field, source: .old, range: range)
      } else {
        cell = .init(field: write.field, source: .composed, range: made)
      }
    }
    scratch.cells.append(cell)
    if cell.source != .old { scratch.changed.append(write.field) }
  }

  /// Adds a cell of a field that the row hasn't, or notes that it goes to the table `cells`.
  private borrowing func add(
    _ pending: MergeScratch.Pending, at position: Int, _ scratch: inout MergeScratch,
    _ changes: borrowing ChangeSet, _ plan: inout MergePlan, isFull: Bool
  ) throws(ImageError) {
    guard !isFull, plan.room > 0 else {
      plan.spilled.append(position)
      return
    }
    plan.room -= 1
    scratch.changed.append(pending.field)
    let write = changes.writes[Int(pending.write)]
    guard write.kind == .coveredNull else {
      scratch.cells.append(.init(field: write.field, source: .response, range: write.bytes))
      return
    }
    let start = scratch.composed.count
    try MergeScratch.appendCovered(pending, of: changes, old: nil, to: &scratch.composed)
    scratch.cells.append(
      .init(field: write.field, source: .composed, range: start..<scratch.composed.count))
  }

  /// Writes fields to the table `cells`, where they differ from what it holds.
  private mutating func spill(
    _ positions: [Int], of record: ChangeSet.Touched, _ changes: borrowing ChangeSet,
    _ scratch: inout MergeScratch
  ) throws(ImageError) {
    for position in positions {
      let pending = scratch.pending[position]
      let key = UInt64(record.number) << 32 | UInt64(pending.field)
      guard var value = try spilledCell(pending, at: key, changes) else { continue }
      try put(&value, .cells, key)
      scratch.changed.append(pending.field)
    }
  }

  /// The value a write makes in the table `cells`; nil when it is there already.
  private borrowing func spilledCell(
    _ pending: MergeScratch.Pending, at key: UInt64, _ changes: borrowing ChangeSet
  ) throws(ImageError) -> [UInt8]? {
    let write = changes.writes[Int(pending.write)]
    let old = try value(.cells, key)
    var new: [UInt8] = [0, 0, 0, 0]
    switch write.kind {
    case .value: new.append(changes.bytes.span(write.bytes))
    case .coveredNull:
      let cell =
        if let old { try CellView(old.extracting(droppingFirst: 4)) } else { nil as CellView? }
      try MergeScratch.appendCovered(pending, of: changes, old: cell, to: &new)
    }
    if let old, old.extracting(droppingFirst: 4).isEqual(to: new.span.extracting(4...)) {
      return nil
    }
    return new
  }

  /// Journals what merging a record did.
  private mutating func note(
    _ record: ChangeSet.Touched, _ plan: MergePlan, _ changed: [UInt32]
  ) throws(ImageError) {
    guard plan.writesRow || !changed.isEmpty else {
      if record.number >= RowLayout.firstRecord { journal.noteUnchanged(record.number) }
      return
    }
    journal.note(record.number, plan.isNew ? .created : .changed, fields: changed)
  }

  // MARK: Rows

  /// Writes a sealed row.
  mutating func putRow(
    _ row: Span<UInt8>, _ number: UInt32, appending: Bool = false
  ) throws(ImageError) {
    do throws(LMDBError) {
      try transaction.put(
        row, at: UInt64(number), in: tables[.records], appending: appending)
    } catch {
      throw ImageError(error)
    }
  }

  mutating func putRow(_ row: [UInt8], _ number: UInt32) throws(ImageError) {
    try putRow(row.span, number)
  }

  /// Makes a record found by the hash of its key.
  mutating func index(_ number: UInt32, hash: UInt64) throws(ImageError) {
    try put(NumberList.adding(number, to: try value(.ids, hash)), orDelete: .ids, hash)
  }
}
