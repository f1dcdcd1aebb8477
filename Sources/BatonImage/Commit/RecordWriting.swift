internal import LMDB

/// Merging a change set into the rows of the image (R3).
extension CommitSession {
  /// Merges every record of a change set, in order of record numbers.
  mutating func apply(_ changes: ChangeSet) throws(ImageError) {
    let order = changes.touched.indices.sorted {
      changes.touched[$0].number < changes.touched[$1].number
    }
    for index in order where !changes.touched[index].isNew {
      touched.append(changes.touched[index].number)
    }
    for index in order { try merge(changes.touched[index], of: changes) }
    try keepSuccessors()
  }

  /// Merges one record: writes its row when a field, its type or its life changed.
  private mutating func merge(
    _ record: ChangeSet.Touched, of changes: ChangeSet
  ) throws(ImageError) {
    var scratch = take(&self.scratch)
    defer { self.scratch = scratch }
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
      try putRow(scratch.row, record.number, appending: plan.isNew)
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
    of number: UInt32, _ plan: MergePlan, _ scratch: MergeScratch
  ) throws(ImageError) -> [UInt32: [UInt8]] {
    var cells: [UInt32: [UInt8]] = [:]
    for field in scratch.changed + plan.spilled.map({ scratch.pending[$0].field }) {
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
  }

  /// Compares a record's writes with its row and builds the new row when they differ.
  private borrowing func plan(
    _ record: ChangeSet.Touched, of changes: ChangeSet, _ scratch: inout MergeScratch
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
    try mergeCells(of: isOther ? nil : row, changes, &scratch, &plan, flags)
    if !plan.spilled.isEmpty, !flags.contains(.spilled) {
      flags.insert(.spilled)
      plan.writesRow = true
    }
    if !scratch.changed.isEmpty { plan.writesRow = true }
    guard plan.writesRow else { return plan }
    let key = if let row { row.key } else { changes.bytes.span.extracting(record.key) }
    try scratch.build(
      type: type, commit: state.commit + 1, flags: flags, key: key, old: isOther ? nil : row,
      changes: changes)
    return plan
  }

  /// Lays the cells of the old row and the writes into one order and notes what differs.
  private borrowing func mergeCells(
    of row: borrowing RowView?, _ changes: ChangeSet, _ scratch: inout MergeScratch,
    _ plan: inout MergePlan, _ flags: RowFlags
  ) throws(ImageError) {
    let row = copy row
    let oldCount = row?.cellCount ?? 0
    var room = RowLayout.maximumCells - oldCount
    var old = 0
    for (position, pending) in scratch.pending.enumerated() {
      while let row, old < oldCount, row.field(at: old) < pending.field {
        scratch.cells.append(.init(field: row.field(at: old), source: .old, range: old..<old))
        old += 1
      }
      if let row, old < oldCount, row.field(at: old) == pending.field {
        try replace(row.cell(at: old), at: old, with: pending, changes, &scratch)
        old += 1
      } else if flags.contains(.spilled) || room <= 0 {
        plan.spilled.append(position)
      } else {
        room -= 1
        scratch.changed.append(pending.field)
        try add(pending, &scratch, changes)
      }
    }
    while let row, old < oldCount {
      scratch.cells.append(.init(field: row.field(at: old), source: .old, range: old..<old))
      old += 1
    }
  }

  private borrowing func replace(
    _ cell: borrowing CellView, at index: Int, with pending: MergeScratch.Pending,
    _ changes: ChangeSet, _ scratch: inout MergeScratch
  ) throws(ImageError) {
    let write = changes.writes[pending.write]
    let kept = MergeScratch.Cell(field: write.field, source: .old, range: index..<index)
    switch write.kind {
    case .value:
      if cell.bytes.isEqual(to: changes.bytes.span.extracting(write.bytes)) {
        scratch.cells.append(kept)
        return
      }
      scratch.cells.append(.init(field: write.field, source: .response, range: write.bytes))
    case .coveredNull:
      let start = scratch.composed.count
      try MergeScratch.appendCovered(
        pending, of: changes, old: copy cell, to: &scratch.composed)
      let range = start..<scratch.composed.count
      if cell.bytes.isEqual(to: scratch.composed.span.extracting(range)) {
        scratch.cells.append(kept)
        return
      }
      scratch.cells.append(.init(field: write.field, source: .composed, range: range))
    }
    scratch.changed.append(write.field)
  }

  private borrowing func add(
    _ pending: MergeScratch.Pending, _ scratch: inout MergeScratch, _ changes: ChangeSet
  ) throws(ImageError) {
    let write = changes.writes[pending.write]
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
    _ positions: [Int], of record: ChangeSet.Touched, _ changes: ChangeSet,
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
    _ pending: MergeScratch.Pending, at key: UInt64, _ changes: ChangeSet
  ) throws(ImageError) -> [UInt8]? {
    let write = changes.writes[pending.write]
    let old = try value(.cells, key)
    var new: [UInt8] = [0, 0, 0, 0]
    switch write.kind {
    case .value: new.append(changes.bytes.span.extracting(write.bytes))
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
    _ row: [UInt8], _ number: UInt32, appending: Bool = false
  ) throws(ImageError) {
    do throws(LMDBError) {
      try transaction.put(
        row.span, at: UInt64(number), in: tables[.records], appending: appending)
    } catch {
      throw ImageError(error)
    }
  }

  /// Makes a record found by the hash of its key.
  mutating func index(_ number: UInt32, hash: UInt64) throws(ImageError) {
    try put(NumberList.adding(number, to: try value(.ids, hash)), orDelete: .ids, hash)
  }
}

/// Takes a value out of a place, leaving an empty one.
private func take(_ scratch: inout MergeScratch) -> MergeScratch {
  let taken = scratch
  scratch = MergeScratch()
  return taken
}
