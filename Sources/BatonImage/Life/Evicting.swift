/// Giving records' fields up to save space (R8). Names stay: natural keys, aliases, and what is
/// pinned.
extension CommitSession {
  /// Gives up the fields of records; the numbers of those that have none any more.
  ///
  /// A record with natural keys or aliases keeps its row without cells, another loses its row, with
  /// the records named by a place under it. `isSpared` tells what is not to go, nor anything that it
  /// is named under.
  mutating func evict(
    _ numbers: some Sequence<UInt32>, unless isSpared: (UInt32) -> Bool
  ) throws(ImageError) -> Eviction {
    var eviction = Eviction()
    for number in numbers where number >= RowLayout.firstRecord && !isSpared(number) {
      try evict(number, unless: isSpared, into: &eviction)
    }
    try stamp(eviction.emptied, with: 0)
    return eviction
  }

  private mutating func evict(
    _ number: UInt32, unless isSpared: (UInt32) -> Bool, into eviction: inout Eviction
  ) throws(ImageError) {
    guard let flags = try flags(of: number) else {
      eviction.emptied.append(number)
      return
    }
    guard !flags.contains(.pinned) else { return }
    let names: RowFlags = [.hasNaturalKeys, .hasAliases]
    guard flags.isDisjoint(with: names) else {
      eviction.emptied.append(number)
      if flags.isDisjoint(with: [.moved, .deleted, .evicted]) {
        try keepNames(of: number)
        eviction.count += 1
      }
      return
    }
    if flags.contains(.moved) {
      eviction.emptied.append(number)
      return
    }
    var family = [number]
    var index = 0
    while index < family.count {
      family.append(contentsOf: try children(of: family[index]))
      index += 1
    }
    for member in family.dropFirst() {
      let isPinned = try self.flags(of: member)?.contains(.pinned) ?? false
      if isPinned || isSpared(member) { return }
    }
    for member in family { try removeRow(member) }
    eviction.emptied.append(contentsOf: family)
    eviction.count += family.count
  }

  private borrowing func flags(of number: UInt32) throws(ImageError) -> RowFlags? {
    try row(number)?.flags
  }

  /// Leaves a record its names alone.
  private mutating func keepNames(of number: UInt32) throws(ImageError) {
    guard var draft = try draft(number) else { return }
    if draft.flags.contains(.spilled) {
      try dropSpilled(number)
      draft.flags.remove(.spilled)
    }
    draft.cells = []
    draft.flags.insert(.evicted)
    draft.commit = state.commit + 1
    try putRow(draft.encoded(number: number), number)
    journal.note(number, .evicted)
  }

  /// Drops the query root's fields that lead only to records that are gone; at most `limit` of them.
  mutating func dropDeadRoots(limit: Int) throws(ImageError) {
    let root = RowLayout.queryRoot
    var dead: Set<UInt32> = []
    for field in try fieldNumbers(of: root) where dead.count < limit {
      guard let cell = try cell(of: root, field: field) else { continue }
      var links: [UInt32] = []
      try cell.forEachLink { links.append($0) }
      if !links.isEmpty, try areGone(links) { dead.insert(field) }
    }
    let dropped = try removeFields(dead, of: root)
    if !dropped.isEmpty { journal.note(root, .evicted, fields: dropped) }
  }

  private borrowing func areGone(_ numbers: [UInt32]) throws(ImageError) -> Bool {
    for number in numbers where try row(number) != nil { return false }
    return true
  }

  /// Drops the oldest fetch times and misses where there are more than a number; at most `limit`.
  mutating func dropOldTimes(beyond count: Int, limit: Int) throws(ImageError) {
    try dropOldest(.operations, beyond: count, limit: limit) { (value) throws(ImageError) in
      try Self.oldestTime(in: value, at: 0)
    }
    try dropOldest(.misses, beyond: count, limit: limit) { (value) throws(ImageError) in
      try Self.oldestTime(in: value, at: 13)
    }
    // A value goes when even its newest time is old.
    try dropOldest(.fetches, beyond: count, limit: limit) { FetchBlock($0).groups.last?.time ?? 0 }
  }

  /// The oldest time of a value's entries, which have it at an offset.
  private static func oldestTime(
    in value: Span<UInt8>, at offset: Int
  ) throws(ImageError) -> Int64 {
    var oldest = Int64.max
    try Entries.forEach(value) { payload in
      let time = payload.count < offset + 8 ? 0 : Int64(bitPattern: payload.u64(at: offset))
      oldest = min(oldest, time)
      return true
    }
    return oldest
  }

  private mutating func dropOldest(
    _ table: ImageTable, beyond count: Int, limit: Int,
    time: (Span<UInt8>) throws(ImageError) -> Int64
  ) throws(ImageError) {
    let excess = min(limit, try self.count(of: table) - count)
    guard excess > 0 else { return }
    var times: [Int64] = []
    try forEach(table, from: 0) { (_, value) throws(ImageError) in
      times.append(try time(value))
      return true
    }
    times.sort()
    let last = times[min(excess, times.count) - 1]
    // Of those that are as old as the last to go, not all need to.
    var equal = excess - (times.firstIndex(of: last) ?? 0)
    var old: [UInt64] = []
    try forEach(table, from: 0) { (key, value) throws(ImageError) in
      let time = try time(value)
      if time == last { equal -= 1 }
      if time < last || (time == last && equal >= 0) { old.append(key) }
      return old.count < excess
    }
    for key in old { try delete(table, key) }
  }
}

/// What giving records up came to.
struct Eviction {
  /// The records whose fields were given up.
  var count = 0
  /// The records that have no fields any more, those that had none before too.
  var emptied: [UInt32] = []
}
