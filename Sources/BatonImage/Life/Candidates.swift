/// Looking for records that were used least recently.
extension RecordSource where Self: ~Copyable {
  /// The generations that records are stamped with, the oldest first.
  borrowing func stampedGenerations() throws(ImageError) -> [UInt32] {
    var found: Set<UInt32> = []
    try forEachStamp { _, generation in
      found.insert(generation)
      return true
    }
    return found.sorted()
  }

  /// The records stamped with one of the generations, from number `first` on, at most `limit`.
  borrowing func records(
    stamped generations: ClosedRange<UInt32>, from first: UInt32, limit: Int
  ) throws(ImageError) -> [UInt32] {
    var numbers: [UInt32] = []
    try forEachStamp(from: first) { number, generation in
      if generations.contains(generation) { numbers.append(number) }
      return numbers.count < limit
    }
    return numbers
  }

  /// Calls `body` for each record that has a stamp, in order, until it returns false.
  private borrowing func forEachStamp(
    from first: UInt32 = 0, _ body: (_ number: UInt32, _ generation: UInt32) -> Bool
  ) throws(ImageError) {
    try forEach(.stamps, from: UInt64(StampChunk.key(of: first))) { (key, value) in
      guard value.count == StampChunk.size, let base = UInt32(exactly: key << 8) else {
        return true
      }
      for index in 0..<UInt32(StampChunk.count) where base + index >= first {
        let generation = value.u32(at: StampChunk.offset(of: index))
        if generation != 0, !body(base + index, generation) { return false }
      }
      return true
    }
  }

  /// The records with fields that have no stamp, from number `first` on, at most `limit`: those of a
  /// writer that keeps none.
  borrowing func unstampedRecords(
    from first: UInt32, limit: Int
  ) throws(ImageError) -> [UInt32] {
    var numbers: [UInt32] = []
    var stamped: Set<UInt32> = []
    try forEachStamp(from: first) { number, _ in
      stamped.insert(number)
      return true
    }
    try forEach(.records, from: UInt64(max(first, RowLayout.firstRecord))) {
      (key, value) throws(ImageError) in
      guard let number = UInt32(exactly: key), !stamped.contains(number) else { return true }
      let row = try RowView(value, number: number)
      if row.flags.isDisjoint(with: [.moved, .evicted]) { numbers.append(number) }
      return numbers.count < limit
    }
    return numbers
  }

  /// The records stamped with a generation, those that were changed longest ago first.
  borrowing func recordsByChange(
    stamped generation: UInt32
  ) throws(ImageError) -> [(number: UInt32, commit: UInt64)] {
    var found: [(number: UInt32, commit: UInt64)] = []
    for number in try records(stamped: generation...generation, from: 0, limit: .max) {
      if let row = try row(number) { found.append((number, row.commit)) }
    }
    return found.sorted { ($0.commit, $0.number) < ($1.commit, $1.number) }
  }
}
