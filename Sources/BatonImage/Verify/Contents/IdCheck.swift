/// Checks ids and aliases: Docs/Format.md section 8.
extension Inspection {
  func checkIds() {
    // The half of a hash that the runs so far may hold at most; nil before the first.
    var reached: UInt64?
    forEach(.ids) { key, value in
      fault(runProblem(key, value.span, above: reached), in: "ids \(key)", value)
      reached = key
    }
    if whole.contains(.ids), let reached, reached != IdRun.lastKey {
      log.fault("table ids", at: place(of: reached, in: .ids), "no run holds the highest hashes")
    }
  }

  private func runProblem(_ key: UInt64, _ run: Span<UInt8>, above reached: UInt64?) -> Problem? {
    guard key <= IdRun.lastKey else { return Problem("\(key) is no half of a hash") }
    guard run.count >= 4, (run.count - 4) % IdRun.entrySize == 0,
      run.count > 4 || key == IdRun.lastKey
    else { return Problem("\(run.count) bytes are no entries") }
    var last: UInt64 = 0
    for index in 0..<IdRun.count(of: run) {
      let entry = IdRun.entry(index, of: run)
      let place = 4 + index * IdRun.entrySize
      let half = IdRun.half(of: entry)
      guard entry > last else { return Problem("the entries don't ascend", at: place) }
      guard half <= key, reached.map({ half > $0 }) ?? true else {
        return Problem("the entry belongs to another run", at: place)
      }
      last = entry
      links.ids.add(half, entry & 0xFFFF_FFFF)
    }
    return nil
  }

  func checkAliases() {
    forEach(.aliases) { key, value in
      let problem = EntryList.problem(in: value.span) { aliasProblem(key, $0) }
      fault(problem, in: "aliases \(key)", value)
    }
    noteUnseen(.aliases, flag: .hasAliases, seen: .seenAlias, "aliases")
  }

  private func aliasProblem(_ key: UInt64, _ entry: Span<UInt8>) -> Problem? {
    guard entry.count > 4 else { return Problem("an alias of \(entry.count) bytes") }
    let number = entry.u32(at: 0)
    let id = entry.extracting(4...)
    if let problem = idProblem(id) { return problem.moved(by: 4) }
    guard hash(id) == key else { return Problem("another id's hash", at: 4) }
    guard whole.contains(.records) else { return nil }
    guard let flags = records[number], flags.contains(.hasAliases) else {
      return Problem("record \(number) has no row that is flagged to have aliases")
    }
    guard !flags.contains(.moved) else { return Problem("record \(number) was moved") }
    records.add(.seenAlias, to: number)
    return isKey(id, of: number) ? Problem("the record's own id", at: 4) : nil
  }

  /// Whether an id is the key of a record's row. Reads no more of the row than the key's length:
  /// many aliases may lead to one long row.
  private func isKey(_ id: Span<UInt8>, of number: UInt32) -> Bool {
    let most = RowLayout.directory + RowLayout.entrySize * RowLayout.maximumCells + id.count
    guard let step = step(to: UInt64(number), in: .records),
      let start = try? file.prefix(of: step, count: most, in: meta),
      let row = try? RowView(start.span, number: number)
    else { return false }
    return !row.flags.contains(.pathKey) && row.key.isEqual(to: id)
  }
}
