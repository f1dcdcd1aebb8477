/// Checks natural keys: Docs/Format.md section 9.
extension Inspection {
  func checkNaturalKeys() {
    forEach(.keys) { key, value in
      var numbers: [UInt32] = []
      let problem = EntryList.problem(in: value.span) { naturalKeyProblem(key, $0, &numbers) }
      fault(problem, in: "keys \(key)", value)
      if numbers.count > 1 { numbers.sort() }
      var last: UInt32?
      for number in numbers where number != last {
        links.keys.add(key, UInt64(number))
        last = number
      }
    }
    forEach(.keysof) { key, value in
      fault(keysofProblem(key, value.span), in: "keysof \(key)", value)
    }
    noteUnseen(.keysof, flag: .hasNaturalKeys, seen: .seenNaturalKeys, "natural keys")
  }

  private func naturalKeyProblem(
    _ key: UInt64, _ entry: Span<UInt8>, _ numbers: inout [UInt32]
  ) -> Problem? {
    guard entry.count > 13 else { return Problem("a natural key of \(entry.count) bytes") }
    let number = entry.u32(at: 0)
    guard isGiven(UInt64(number)) else { return Problem("record \(number) was never given") }
    guard entry[4] == 1 || entry[4] == 2 else { return Problem("state \(entry[4])", at: 4) }
    guard isPast(entry.u64(at: 5)) else { return Problem("of a commit yet to come", at: 5) }
    let text = entry.extracting(13...)
    guard text.isUTF8 else { return Problem("not UTF-8", at: 13) }
    guard hash(text) == key else { return Problem("another text's hash", at: 13) }
    numbers.append(number)
    return nil
  }

  private func keysofProblem(_ key: UInt64, _ value: Span<UInt8>) -> Problem? {
    guard value.count > 4, value.count % 8 == 4 else {
      return Problem("\(value.count) bytes are no hashes")
    }
    guard isGiven(key), let number = UInt32(exactly: key) else {
      return Problem("a record that was never given")
    }
    var hashes: [UInt64] = []
    for place in stride(from: 4, to: value.count, by: 8) {
      hashes.append(value.u64(at: place))
      links.keysof.add(value.u64(at: place), key)
    }
    hashes.sort()
    for index in hashes.indices.dropFirst() where hashes[index] == hashes[index - 1] {
      return Problem("the hash \(hashes[index]) twice", at: 4)
    }
    guard whole.contains(.records) else { return nil }
    guard let flags = records[number], flags.contains(.hasNaturalKeys) else {
      return Problem("the record has no row that is flagged to have natural keys")
    }
    records.add(.seenNaturalKeys, to: number)
    return nil
  }
}
