/// Two ids of one record (R5): renaming and aliases.
extension CommitSession {
  mutating func rekey(_ old: UInt32, to new: Span<UInt8>) throws(ImageError) {
    let newKey = new.copy()
    guard var draft = try draft(old) else { return }
    let oldKey = draft.key
    try unindex(old, key: oldKey)
    draft.key = newKey
    draft.flags.insert(.hasAliases)
    draft.commit = state.commit + 1
    try putRow(draft.encoded(number: old), old)
    try index(old, hash: hash(([0] + newKey).span))
    try putAlias(oldKey, old)
    journal.note(old, .changed)
  }

  /// Makes every pair of keys name one record; what could not be done before the records were
  /// written is done here.
  mutating func alias(_ pairs: [(old: [UInt8], new: [UInt8])]) throws(ImageError) {
    for pair in pairs where pair.old != pair.new {
      guard let number = try number(ofId: pair.new) else { continue }
      let target = try resolved(number)
      if let known = try self.number(ofId: pair.old) {
        let source = try resolved(known)
        if source != target { try unite(source, into: target) }
      } else {
        try putAlias(pair.old, target)
        try flag(target, .hasAliases)
      }
      guard aliased.contains(pair.old) else { continue }
      try forgetMisses(of: pair.old)
      let alias = CommitOutcome.Alias(
        from: String(decoding: pair.old, as: UTF8.self),
        to: String(decoding: pair.new, as: UTF8.self))
      if !outcome.aliases.contains(alias) { outcome.aliases.append(alias) }
    }
  }

  /// Makes `key` an alias of a record.
  mutating func putAlias(_ key: [UInt8], _ number: UInt32) throws(ImageError) {
    var payload: [UInt8] = []
    payload.append(u32: number)
    payload.append(contentsOf: key)
    let hash = hash(key.span)
    let value = try Entries.replacing(in: try value(.aliases, hash), with: payload) { old in
      old.count >= 4 && old.extracting(droppingFirst: 4).isEqual(to: key.span)
    }
    try put(value, orDelete: .aliases, hash)
    aliased.insert(key)
    noteAliasesExist()
  }

  /// Leads the aliases of one record to another. Linear in the aliases, as unions are rare.
  mutating func moveAliases(
    of source: UInt32, to target: UInt32
  ) throws(ImageError) {
    var keys: [[UInt8]] = []
    try forEach(.aliases, from: 0) { (_, value) throws(ImageError) in
      try Entries.forEach(value) { payload in
        if payload.count >= 4, payload.u32(at: 0) == source {
          keys.append(payload.extracting(droppingFirst: 4).copy())
        }
        return true
      }
      return true
    }
    for key in keys { try putAlias(key, target) }
  }

  /// Forgets that a record is found by a key.
  mutating func unindex(
    _ number: UInt32, key: [UInt8], isPath: Bool = false
  ) throws(ImageError) {
    try unindex(number, hash: keyHash(key.span, isPath: isPath))
  }

  /// Drops the cells of a record that are outside its row; their fields.
  @discardableResult
  mutating func dropSpilled(_ number: UInt32) throws(ImageError) -> [UInt32] {
    var keys: [UInt64] = []
    try forEach(.cells, from: UInt64(number) << 32) { key, _ in
      guard key >> 32 == UInt64(number) else { return false }
      keys.append(key)
      return true
    }
    for key in keys { try delete(.cells, key) }
    return keys.map { UInt32(truncatingIfNeeded: $0) }
  }

  /// A record's row taken apart; nil when there is none.
  borrowing func draft(_ number: UInt32) throws(ImageError) -> RowDraft? {
    guard let row = try row(number) else { return nil }
    return try RowDraft(row)
  }

  /// Sets a flag of a record's row.
  mutating func flag(_ number: UInt32, _ flag: RowFlags) throws(ImageError) {
    guard var draft = try draft(number), !draft.flags.contains(flag) else { return }
    draft.flags.insert(flag)
    draft.commit = state.commit + 1
    try putRow(draft.encoded(number: number), number)
  }

  /// Clears a flag of a record's row.
  mutating func clear(_ flag: RowFlags, of number: UInt32) throws(ImageError) {
    guard var draft = try draft(number), draft.flags.contains(flag) else { return }
    draft.flags.remove(flag)
    draft.commit = state.commit + 1
    try putRow(draft.encoded(number: number), number)
  }
}
