internal import LMDB

/// Rows and their cells, with what is still known of what they refer to.
extension SalvageWriting {
  mutating func copyRows(_ transaction: inout WriteTransaction) throws(ImageError) {
    for number in 1...UInt32(ImageMaking.roots.count) {
      do throws(LMDBError) {
        try transaction.delete(at: UInt64(number), in: tables[.records])
      } catch {
        throw ImageError(error)
      }
    }
    try copy(.records, &transaction) { (copy, key, value, transaction) throws(ImageError) in
      guard let number = UInt32(exactly: key), number >= 1,
        let draft = try copy.draft(of: value, number)
      else {
        copy.lose("row \(key)", "what it refers to is lost")
        return nil
      }
      if number >= RowLayout.firstRecord, !draft.flags.contains(.moved) {
        guard try copy.index(draft, number, &transaction) else { return nil }
      }
      copy.rows[number] = draft.flags
      copy.state.commit = max(copy.state.commit, draft.commit)
      copy.state.nextRecord = max(copy.state.nextRecord, UInt64(number) + 1)
      return draft.encoded(number: number)
    }
    for (index, name) in ImageMaking.roots.enumerated() where rows[UInt32(index + 1)] == nil {
      let number = UInt32(index + 1)
      let root = RowDraft(type: number, commit: 0, flags: [.pathKey], key: [])
      try put(root.encoded(number: number), .records, UInt64(number), &transaction)
      rows[number] = root.flags
      lose("row \(number)", "the root of type \(name) is lost")
    }
  }

  /// A row with what is still known of it; nil when it can't be a record any more.
  private mutating func draft(
    of value: Span<UInt8>, _ number: UInt32
  ) throws(ImageError) -> RowDraft? {
    guard let row = try? RowView(value, number: number) else { return nil }
    guard var draft = try? RowDraft(row), draft.flags.isSubset(of: .known) else { return nil }
    draft.flags.subtract([.spilled, .hasAliases, .hasNaturalKeys])
    if draft.type != 0, !isName(draft.type, .type) { draft.type = 0 }
    if number < RowLayout.firstRecord {
      guard draft.flags.contains(.pathKey), draft.key.isEmpty else { return nil }
    } else if draft.flags.contains(.pathKey) {
      guard let path = PathKey(draft.key.span), path.parent >= 1, path.parent < number,
        isName(path.field, .storageKey), path.type == 0 || isName(path.type, .type)
      else { return nil }
    } else if draft.key.isEmpty {
      return nil
    }
    if draft.flags.contains(.moved) { return draft }
    let count = draft.cells.count
    draft.cells.removeAll { !isName($0.field, .storageKey) }
    for _ in draft.cells.count..<count { lose("row \(number)", "a field whose name is lost") }
    for cell in draft.cells { try noteLinks(of: cell.bytes.span) }
    return draft
  }

  /// Numbers that are linked to were given, whether their rows are left or not.
  private mutating func noteLinks(of bytes: Span<UInt8>) throws(ImageError) {
    let cell = try CellView(bytes)
    for offset in try CellLinks.offsets(in: cell) {
      state.nextRecord = max(state.nextRecord, UInt64(bytes.u32(at: offset)) + 1)
    }
  }

  /// Enters a row in `ids`; false when a row with its key was copied before.
  private func index(
    _ draft: RowDraft, _ number: UInt32, _ transaction: inout WriteTransaction
  ) throws(ImageError) -> Bool {
    let isPath = draft.flags.contains(.pathKey)
    let hash = keyHash(draft.key.span, isPath: isPath)
    let entry = IdRun.entry(hash: hash, number: number)
    let run = try run(of: entry, &transaction)
    var others: [UInt32] = []
    if let run {
      try IdRun.forEachNumber(in: run.value.span, hash: hash) { number in
        others.append(number)
        return true
      }
    }
    for other in others {
      guard let row = try copied(.records, UInt64(other), &transaction) else { continue }
      let view = try RowView(row.span, number: other)
      if view.hasKey(draft.key.span, isPath: isPath) { return false }
    }
    for piece in IdRun.adding([entry], to: run?.value.span, key: run?.key ?? IdRun.lastKey) {
      try put(piece.value, .ids, piece.key, &transaction)
    }
    return true
  }

  /// The run of the copy's table `ids` that an entry belongs to; nil where it has none.
  private func run(
    of entry: UInt64, _ transaction: inout WriteTransaction
  ) throws(ImageError) -> (key: UInt64, value: [UInt8])? {
    do throws(LMDBError) {
      guard
        let run = try transaction.entry(atLeast: IdRun.half(of: entry), in: tables[.ids])
      else { return nil }
      return (run.key, run.value.copy())
    } catch {
      throw ImageError(error)
    }
  }

  mutating func copyCells(_ transaction: inout WriteTransaction) throws(ImageError) {
    try copy(.cells, &transaction) { (copy, key, value, transaction) throws(ImageError) in
      let number = UInt32(truncatingIfNeeded: key >> 32)
      let field = UInt32(truncatingIfNeeded: key)
      guard let flags = copy.rows[number], flags.isDisjoint(with: [.moved, .deleted]),
        copy.isName(field, .storageKey), value.count > 4,
        let row = try copy.copied(.records, UInt64(number), &transaction),
        try RowView(row.span, number: number).index(of: field) == nil
      else {
        copy.lose("cell \(field) of record \(number)", "its row or its name is lost")
        return nil
      }
      try copy.noteLinks(of: value.extracting(4...))
      copy.spilled.insert(number)
      return value.copy()
    }
  }
}
