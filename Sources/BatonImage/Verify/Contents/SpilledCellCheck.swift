/// Checks the cells that didn't fit their rows: Docs/Format.md sections 6 and 7.
extension Inspection {
  func checkCells() {
    let check = CellCheck(inspection: self)
    var current: (number: UInt32, row: StoredValue)?
    forEach(.cells) { key, value in
      let number = UInt32(truncatingIfNeeded: key >> 32)
      let field = UInt32(truncatingIfNeeded: key)
      let structure = "cell \(field) of record \(number)"
      if let problem = check.problem(in: value.span.extracting(4...)) {
        return fault(problem.moved(by: 4), in: structure, value)
      }
      guard isName(field, .storageKey) else {
        return fault(Problem("\(field) is no storage key's name"), in: structure, value)
      }
      guard whole.contains(.records) else { return }
      guard let flags = records[number], flags.contains(.spilled) else {
        return fault(
          Problem("the record has no row with spilled cells"), in: structure, value)
      }
      if current?.number != number, let row = row(number) { current = (number, row) }
      if let current, current.number == number,
        let row = try? RowView(current.row.span, number: number), row.index(of: field) != nil
      {
        fault(Problem("the field is in the row as well"), in: structure, value)
      }
      records.add(.seenCells, to: number)
    }
    for number in unseen(.cells, flag: .spilled, seen: .seenCells) {
      log.fault(
        "row \(number)", at: place(of: UInt64(number), in: .records),
        "flagged to have spilled cells and has none")
    }
  }

  /// The rows whose flag speaks of entries of `table` that are not there; none where one of the
  /// tables is damaged.
  private func unseen(_ table: ImageTable, flag: NumberFlags, seen: NumberFlags) -> [UInt32] {
    guard whole.contains(table), whole.contains(.records) else { return [] }
    return records.numbers(limit: VerificationReport.maximumFaults) {
      $0.contains(flag) && !$0.contains(seen)
    }
  }

  /// Notes such rows where the flag costs a look-up that finds nothing, and no more.
  func noteUnseen(_ table: ImageTable, flag: NumberFlags, seen: NumberFlags, _ what: String) {
    for number in unseen(table, flag: flag, seen: seen) {
      log.note("row \(number)", "flagged to have \(what) and has none")
    }
  }

  /// A record's row, found through the table's pages, which are right.
  private func row(_ number: UInt32) -> StoredValue? {
    step(to: UInt64(number), in: .records).flatMap { try? file.value(at: $0, of: meta) }
  }

  func step(to key: UInt64, in table: ImageTable) -> TreeStep? {
    guard let tree = tables[table] else { return nil }
    return (try? file.find(key, in: tree, of: meta)) ?? nil
  }

  /// Where an entry's value begins in the file.
  func place(of key: UInt64, in table: ImageTable) -> UInt64? {
    step(to: key, in: table).flatMap { file.place(of: $0) }
  }

  /// Where the value of the lowest key at `key` or above begins in the file.
  func place(atLeast key: UInt64, in table: ImageTable) -> UInt64? {
    guard let tree = tables[table],
      var cursor = try? TreeCursor<UInt64>(tree, from: key, in: file, of: meta),
      let (_, step) = try? cursor.next()
    else { return nil }
    return file.place(of: step)
  }
}
