/// Checks use stamps and the journal: Docs/Format.md sections 11 and 12.
extension Inspection {
  func checkStamps() {
    forEach(.stamps) { key, value in
      let isInside = key <= UInt64(UInt32.max >> 8)
      let problem =
        !isInside
        ? Problem("stamps of records no image has")
        : value.range.count != 4 + 256 * 4 ? Problem("\(value.range.count) bytes") : nil
      fault(problem, in: "stamps \(key)", value)
    }
  }

  func checkJournal() {
    var first: UInt64?
    var last: UInt64?
    forEach(.journal) { key, value in
      if first == nil { first = key }
      if let last, key != last + 1 {
        fault(
          Problem("comes after \(last): the commits between are missing"), in: "journal \(key)",
          value)
      }
      last = key
      fault(commitProblem(key, value.span), in: "journal \(key)", value)
    }
    guard whole.contains(.journal), let state else { return }
    if state.oldestJournal != first ?? 0 {
      log.fault(
        "journal", at: first.flatMap { place(of: $0, in: .journal) },
        "begins with commit \(first ?? 0) where the state has \(state.oldestJournal)")
    }
    if let last, last != state.commit {
      log.fault(
        "journal", at: place(of: last, in: .journal),
        "ends with commit \(last) where the state has \(state.commit)")
    }
  }

  private func commitProblem(_ key: UInt64, _ value: Span<UInt8>) -> Problem? {
    guard key >= 1, isPast(key), key >= state?.oldestJournal ?? 0 else {
      return Problem("not one of the journal's commits")
    }
    guard value.count >= 14 else { return Problem("\(value.count) bytes") }
    let nameLength = Int(value.u16(at: 12))
    guard nameLength <= value.count - 14 else { return Problem("the name is cut", at: 12) }
    guard value.extracting(14..<14 + nameLength).isUTF8 else {
      return Problem("the name is not UTF-8", at: 14)
    }
    var reader = ByteReader(value, at: 14 + nameLength)
    guard let count = reader.varint() else {
      return Problem("the count is cut", at: reader.position)
    }
    var record: UInt64 = 0
    // How many fields each change has that is written out.
    var written: [UInt64] = []
    // A count that lies ends with the bytes: each turn reads at least one.
    for _ in 0..<count {
      let place = reader.position
      guard let step = reader.varint(), step >= 1, isGiven(record &+ step), record + step > record
      else { return Problem("records that don't ascend or were never given", at: place) }
      record += step
      if let problem = changeProblem(&reader, &written) { return problem }
    }
    return reader.isAtEnd ? nil : Problem("bytes behind the changes", at: reader.position)
  }

  /// The problem of one changed record behind its number.
  private func changeProblem(_ reader: inout ByteReader, _ written: inout [UInt64]) -> Problem? {
    let place = reader.position
    guard let reference = reader.varint() else { return Problem("the change is cut", at: place) }
    if reference > 0 {
      guard reference <= UInt64(written.count) else {
        return Problem("a change like one that isn't there", at: place)
      }
      guard written[Int(reference) - 1] <= UInt64(JournalEntry.maximumShared) else {
        return Problem("a change like one of too many fields", at: place)
      }
      return nil
    }
    guard let what = reader.byte(), what >= 1, what <= 6 else {
      return Problem("an unknown change", at: place)
    }
    guard let count = reader.varint() else { return Problem("the fields are cut", at: place) }
    written.append(count)
    var field: UInt64 = 0
    for _ in 0..<count {
      let place = reader.position
      guard let step = reader.varint(), step >= 1, step <= UInt64(UInt32.max) - field else {
        return Problem("fields that don't ascend", at: place)
      }
      field += step
      guard isName(UInt32(field), .storageKey) else {
        return Problem("\(field) is no storage key's name", at: place)
      }
    }
    return nil
  }
}
