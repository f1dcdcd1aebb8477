/// Checks rows: Docs/Format.md section 6.
extension Inspection {
  func checkRecords() {
    let cells = CellCheck(inspection: self)
    forEach(.records) { key, value in
      let problem = rowProblem(key, value.span, cells)
      fault(problem, in: "row \(key)", value)
    }
    report.records = UInt64(records.count)
    guard whole.contains(.records) else { return }
    for number in RowLayout.queryRoot...RowLayout.subscriptionRoot where records[number] == nil {
      log.fault("row \(number)", at: nil, "a root has no row")
    }
    for (from, to) in links.moves
    where !(records[to]?.isDisjoint(with: [.moved, .pathKey]) ?? false) {
      log.fault(
        "row \(from)", at: place(of: UInt64(from), in: .records),
        "moved to record \(to), which has no row, has no id or was moved itself")
    }
  }

  private func rowProblem(
    _ key: UInt64, _ row: Span<UInt8>, _ cells: CellCheck
  ) -> Problem? {
    guard isGiven(key), let number = UInt32(exactly: key) else {
      return Problem("a number that was never given")
    }
    guard row.count >= RowLayout.directory else { return Problem("a row of \(row.count) bytes") }
    let flags = RowFlags(rawValue: row.u16(at: RowLayout.flags))
    guard flags.isSubset(of: .known) else { return Problem("unknown flags", at: RowLayout.flags) }
    let type = row.u32(at: RowLayout.type)
    guard type == 0 || isName(type, .type) else {
      return Problem("\(type) is no type's name", at: RowLayout.type)
    }
    guard isPast(row.u64(at: RowLayout.commit)) else {
      return Problem("changed by a commit yet to come", at: RowLayout.commit)
    }
    let count = Int(row.u16(at: RowLayout.cellCount))
    guard count <= RowLayout.maximumCells else {
      return Problem("\(count) cells", at: RowLayout.cellCount)
    }
    let keyStart = RowLayout.directory + RowLayout.entrySize * count
    let keyLength = Int(row.u32(at: RowLayout.keyLength))
    guard keyStart <= row.count, keyLength <= row.count - keyStart else {
      return Problem("the directory and key pass the row's end", at: RowLayout.keyLength)
    }
    let recordKey = row.extracting(keyStart..<keyStart + keyLength)
    if let problem = keyProblem(number, flags, recordKey) { return problem.moved(by: keyStart) }
    if let problem = directoryProblem(row, count, flags, cells, start: keyStart + keyLength) {
      return problem
    }
    insert(number, flags)
    if number >= RowLayout.firstRecord, !flags.contains(.moved) {
      let hash = keyHash(recordKey, isPath: flags.contains(.pathKey))
      links.rows.add(IdRun.half(of: hash), key)
    }
    if flags.contains(.moved) { return moveProblem(row, from: number, at: keyStart + keyLength) }
    return nil
  }

  private func insert(_ number: UInt32, _ flags: RowFlags) {
    var kept: NumberFlags = []
    if flags.contains(.moved) { kept.insert(.moved) }
    if flags.contains(.pathKey) { kept.insert(.pathKey) }
    if flags.contains(.spilled) { kept.insert(.spilled) }
    if flags.contains(.hasAliases) { kept.insert(.hasAliases) }
    if flags.contains(.hasNaturalKeys) { kept.insert(.hasNaturalKeys) }
    records.insert(number, kept)
  }

  /// The problem of a record's key: Docs/Format.md section 8.
  private func keyProblem(
    _ number: UInt32, _ flags: RowFlags, _ key: Span<UInt8>
  ) -> Problem? {
    if number < RowLayout.firstRecord {
      return flags.contains(.pathKey) && key.count == 0
        ? nil : Problem("a root with a key, or without the flag of a path")
    }
    guard flags.contains(.pathKey) else { return idProblem(key) }
    guard key.count >= 12, key.count % 4 == 0 else {
      return Problem("a path of \(key.count) bytes")
    }
    let parent = key.u32(at: 0)
    guard parent >= 1, parent < number else {
      return Problem("the parent is record \(parent)")
    }
    let field = key.u32(at: 4)
    guard isName(field, .storageKey) else {
      return Problem("\(field) is no storage key's name", at: 4)
    }
    let type = key.u32(at: 8)
    return type == 0 || isName(type, .type) ? nil : Problem("\(type) is no type's name", at: 8)
  }

  func idProblem(_ id: Span<UInt8>) -> Problem? {
    id.count >= 1 && id.count <= 16_777_215 ? nil : Problem("an id of \(id.count) bytes")
  }

  /// The problem of a row's directory and cells, which begin at `start`.
  private func directoryProblem(
    _ row: Span<UInt8>, _ count: Int, _ flags: RowFlags, _ cells: CellCheck, start: Int
  ) -> Problem? {
    if flags.contains(.moved), count != 1 { return Problem("moved, with \(count) cells") }
    if flags.contains(.deleted), count != 0 { return Problem("deleted, with \(count) cells") }
    var place = start
    var last: UInt32?
    for index in 0..<count {
      let entry = RowLayout.directory + RowLayout.entrySize * index
      let field = row.u32(at: entry)
      if let last, field <= last { return Problem("the directory is not sorted", at: entry) }
      last = field
      guard flags.contains(.moved) ? field == 0 : isName(field, .storageKey) else {
        return Problem("\(field) is no storage key's name", at: entry)
      }
      guard Int(row.u32(at: entry + 4)) == place else {
        return Problem("cells that don't follow one another", at: entry + 4)
      }
      let end =
        index + 1 < count ? Int(row.u32(at: entry + RowLayout.entrySize + 4)) : row.count
      guard place < end, end <= row.count else {
        return Problem("a cell passes the row's end", at: entry + 4)
      }
      if let problem = cells.problem(in: row.extracting(place..<end)) {
        return problem.moved(by: place)
      }
      place = end
    }
    return place == row.count ? nil : Problem("bytes behind the key", at: place)
  }

  private func moveProblem(_ row: Span<UInt8>, from: UInt32, at start: Int) -> Problem? {
    guard row.count == start + 5, row[start] == CellKind.link.rawValue else {
      return Problem("moved, without a link", at: start)
    }
    links.moves.append((from, row.u32(at: start + 1)))
    return nil
  }
}
