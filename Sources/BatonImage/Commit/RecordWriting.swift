internal import LMDB

/// Merging a change set into the rows of the image (R3).
extension CommitSession {
  /// Merges every record of a change set, in order of record numbers, which it returns.
  @discardableResult
  mutating func apply(_ changes: borrowing ChangeSet) throws(ImageError) -> [UInt32] {
    var scratch = self.scratch.take() ?? MergeScratch()
    var new: [UInt64] = []
    let order = changes.inOrder()
    for place in order {
      let record = changes.touched[place.index]
      if !record.isNew { touched.append(record.number) }
      if try merge(record, of: changes, &scratch), record.number >= RowLayout.firstRecord {
        new.append(IdRun.entry(hash: record.hash, number: record.number))
      }
    }
    self.scratch = consume scratch
    try index(new)
    try keepSuccessors()
    return order.map(\.number)
  }

  /// Merges one record: writes its row when a field, its type or its life changed. Whether it had
  /// none before.
  private mutating func merge(
    _ record: ChangeSet.Touched, of changes: borrowing ChangeSet, _ scratch: inout MergeScratch
  ) throws(ImageError) -> Bool {
    scratch.begin()
    let plan = try plan(record, of: changes, &scratch)
    let oldCells = plan.hasNaturalKeys ? try cells(of: record.number, scratch) : nil
    if plan.isOther { try drop(record.number, plan, &scratch) }
    if !scratch.spilled.isEmpty { try spill(record, changes, &scratch) }
    if plan.writesRow {
      scratch.row.seal(table: .records, key: UInt64(record.number))
      try putRow(scratch.row.span, record.number, appending: plan.isNew)
    }
    if let oldCells {
      let changed = scratch.changed.copy(0..<scratch.changed.count)
      try supersedeKeys(of: record.number, oldCells, changed: changed)
    }
    note(record, plan, scratch)
    return plan.isNew
  }

  /// The cells that a record has before they change, or may change outside of the row.
  private borrowing func cells(
    of number: UInt32, _ scratch: borrowing MergeScratch
  ) throws(ImageError) -> [UInt32: [UInt8]] {
    var cells: [UInt32: [UInt8]] = [:]
    for index in 0..<scratch.changed.count {
      let field = scratch.changed[index]
      cells[field] = try cell(of: number, field: field)?.bytes.copy()
    }
    for index in 0..<scratch.spilled.count {
      let field = scratch.pending[scratch.spilled[index]].field
      cells[field] = try cell(of: number, field: field)?.bytes.copy()
    }
    return cells
  }

  /// What merging a record comes to.
  private struct MergePlan {
    var isNew: Bool
    var writesRow: Bool
    var hasNaturalKeys: Bool
    /// Whether the record's path has another object now: the fields of the row were not this one's.
    var isOther: Bool
    var wasSpilled: Bool
  }

  /// Compares a record's writes with its row and builds the new row when they differ.
  ///
  /// Mutating though it changes nothing: a session lent by value is copied.
  private mutating func plan(
    _ record: ChangeSet.Touched, of changes: borrowing ChangeSet, _ scratch: inout MergeScratch
  ) throws(ImageError) -> MergePlan {
    let commit = state.commit + 1
    let value: Span<UInt8>?
    do throws(LMDBError) {
      value = try transaction.nearValue(at: UInt64(record.number), in: tables[.records])
    } catch {
      throw ImageError(error)
    }
    guard let value else {
      return try plan(new: record, of: changes, &scratch, commit: commit)
    }
    try checkSeal(of: value, .records, UInt64(record.number))
    let row = try RowView(value, number: record.number)
    var flags = row.flags
    let oldType = row.type
    // Another type at a path is another object, whose fields are not this one's.
    let isOther = record.isPath && oldType != 0 && record.type != 0 && oldType != record.type
    let type = record.type != 0 ? record.type : oldType
    var plan = MergePlan(
      isNew: false, writesRow: isOther || type != oldType,
      hasNaturalKeys: flags.contains(.hasNaturalKeys), isOther: isOther,
      wasSpilled: flags.contains(.spilled))
    if isOther { flags.remove(.spilled) }
    if flags.contains(.deleted) || flags.contains(.evicted) {
      flags.remove(.deleted)
      flags.remove(.evicted)
      plan.writesRow = true
    }
    if !isOther, try scratch.compare(record, of: changes, with: row) {
      if !scratch.changed.isEmpty { plan.writesRow = true }
      if plan.writesRow {
        try scratch.patch(row, type: type, commit: commit, flags: flags, changes)
      }
      return plan
    }
    scratch.collect(record, of: changes)
    let room = RowLayout.maximumCells - (isOther ? 0 : row.cellCount)
    try scratch.merge(
      with: isOther ? nil : row, changes, room: room, isSpilled: flags.contains(.spilled))
    if !scratch.spilled.isEmpty, !flags.contains(.spilled) {
      flags.insert(.spilled)
      plan.writesRow = true
    }
    if !scratch.changed.isEmpty { plan.writesRow = true }
    if plan.writesRow {
      scratch.build(
        type: type, commit: commit, flags: flags, key: row.key, old: row.bytes, changes: changes)
    }
    return plan
  }

  /// The same for a record that has no row.
  private func plan(
    new record: ChangeSet.Touched, of changes: borrowing ChangeSet, _ scratch: inout MergeScratch,
    commit: UInt64
  ) throws(ImageError) -> MergePlan {
    if !scratch.build(new: record, commit: commit, changes) {
      scratch.collect(record, of: changes)
      try scratch.merge(with: nil, changes, room: RowLayout.maximumCells, isSpilled: false)
      var flags: RowFlags = record.isPath ? .pathKey : []
      if !scratch.spilled.isEmpty { flags.insert(.spilled) }
      let none: [UInt8] = []
      scratch.build(
        type: record.type, commit: commit, flags: flags, key: changes.bytes.span(record.key),
        old: none.span, changes: changes)
    }
    return MergePlan(
      isNew: true, writesRow: true, hasNaturalKeys: false, isOther: false, wasSpilled: false)
  }

  /// Notes that the fields of the object that was at a record's path are gone, and removes those
  /// that lie outside of its row.
  private mutating func drop(
    _ number: UInt32, _ plan: MergePlan, _ scratch: inout MergeScratch
  ) throws(ImageError) {
    if let row = try row(number) {
      for index in 0..<row.cellCount { scratch.changed.append(row.field(at: index)) }
    }
    guard plan.wasSpilled else { return }
    for field in try dropSpilled(number) { scratch.changed.append(field) }
  }

  /// Writes fields to the table `cells`, where they differ from what it holds.
  private mutating func spill(
    _ record: ChangeSet.Touched, _ changes: borrowing ChangeSet, _ scratch: inout MergeScratch
  ) throws(ImageError) {
    for index in 0..<scratch.spilled.count {
      let pending = scratch.pending[scratch.spilled[index]]
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
    _ record: ChangeSet.Touched, _ plan: MergePlan, _ scratch: borrowing MergeScratch
  ) {
    guard plan.writesRow || !scratch.changed.isEmpty else {
      if record.number >= RowLayout.firstRecord { journal.noteUnchanged(record.number) }
      return
    }
    journal.note(
      record.number, plan.isNew ? .created : .changed, fields: scratch.changed.span)
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
}
