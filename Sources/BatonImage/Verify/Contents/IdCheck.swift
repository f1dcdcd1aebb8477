/// Checks ids and aliases: Docs/Format.md section 8.
extension Inspection {
  func checkIds() {
    forEach(.ids) { key, value in
      fault(recordNumbersProblem(key, value.span), in: "ids \(key)", value)
    }
  }

  private func recordNumbersProblem(_ key: UInt64, _ value: Span<UInt8>) -> Problem? {
    guard value.count > 4, value.count % 4 == 0 else {
      return Problem("\(value.count) bytes are no numbers")
    }
    var last: UInt32 = 0
    for place in stride(from: 4, to: value.count, by: 4) {
      let number = value.u32(at: place)
      guard number > last else { return Problem("the numbers don't ascend", at: place) }
      last = number
      links.ids.add(key, UInt64(number))
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
