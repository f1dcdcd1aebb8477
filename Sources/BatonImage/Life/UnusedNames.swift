/// Names that nothing uses any more: keys with arguments that were asked for once.
extension RecordSource where Self: ~Copyable {
  /// The numbers of the names that no row, no cell, no fact of types, no fetch time and no journal
  /// entry has.
  ///
  /// Linear in the image; a bit a name.
  borrowing func unusedNames() throws(ImageError) -> [UInt32] {
    var used = NameMarks()
    try forEach(.records, from: 1) { (key, value) throws(ImageError) in
      let row = try RowView(value, number: UInt32(truncatingIfNeeded: key))
      used.insert(row.type)
      for index in 0..<row.cellCount { used.insert(row.field(at: index)) }
      if row.flags.contains(.pathKey), let path = PathKey(row.key) {
        used.insert(path.field)
        used.insert(path.type)
      }
      return true
    }
    try forEach(.cells, from: 0) { key, _ in
      used.insert(UInt32(truncatingIfNeeded: key))
      return true
    }
    try forEach(.types, from: 0) { key, _ in
      used.insert(UInt32(truncatingIfNeeded: key >> 32))
      used.insert(UInt32(truncatingIfNeeded: key))
      return true
    }
    try forEach(.fetches, from: 0) { key, _ in
      used.insert(FetchBlock.operation(ofKey: key))
      return true
    }
    try forEach(.journal, from: 0) { (key, value) throws(ImageError) in
      for change in try JournalEntry(value, commit: key).changes {
        for field in change.fields { used.insert(field) }
      }
      return true
    }
    var unused: [UInt32] = []
    try forEach(.names, from: UInt64(NameKind.firstFree)) { key, _ in
      if let number = UInt32(exactly: key), !used.contains(number) { unused.append(number) }
      return true
    }
    return unused
  }
}

/// A set of name numbers.
private struct NameMarks {
  private var bits: [UInt64] = []

  mutating func insert(_ number: UInt32) {
    guard number <= NameKind.maximumCount else { return }
    let word = Int(number / 64)
    if word >= bits.count {
      bits.append(contentsOf: repeatElement(0, count: max(word + 1, bits.count * 2) - bits.count))
    }
    bits[word] |= 1 << UInt64(number % 64)
  }

  func contains(_ number: UInt32) -> Bool {
    let word = Int(number / 64)
    return word < bits.count && bits[word] & 1 << UInt64(number % 64) != 0
  }
}

extension CommitSession {
  /// Drops names, whose numbers are never given again.
  mutating func drop(names numbers: some Sequence<UInt32>) throws(ImageError) {
    for number in numbers {
      guard let hash = try nameHash(number) else { continue }
      try put(
        NumberList.removing(number, from: try value(.nameids, hash)), orDelete: .nameids, hash)
      try delete(.names, UInt64(number))
    }
  }

  private borrowing func nameHash(_ number: UInt32) throws(ImageError) -> UInt64? {
    guard let name = try value(.names, UInt64(number)), name.count > 4 else { return nil }
    return hash(name.extracting(droppingFirst: 4))
  }

  /// Drops the oldest commits of the journal, at most `limit` of them, until `count` are left.
  mutating func dropJournal(keeping count: UInt64, limit: Int) throws(ImageError) {
    var dropped = 0
    while state.oldestJournal != 0, state.commit >= state.oldestJournal + count, dropped < limit {
      try delete(.journal, state.oldestJournal)
      state.oldestJournal += 1
      dropped += 1
    }
  }
}
