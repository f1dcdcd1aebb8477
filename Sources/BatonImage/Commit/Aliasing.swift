/// Two ids of one record (R5): renaming, aliases and the union of two records.
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
      let alias = CommitOutcome.Alias(
        from: String(decoding: pair.old, as: UTF8.self),
        to: String(decoding: pair.new, as: UTF8.self))
      if !outcome.aliases.contains(alias) { outcome.aliases.append(alias) }
    }
  }

  /// Moves one record into another: its fields where the other has none, its aliases, natural keys
  /// and pin. Links to it lead to the other from then on.
  mutating func unite(_ source: UInt32, into target: UInt32) throws(ImageError) {
    guard let from = try draft(source) else { return }
    let moved = try moveFields(of: source, to: target)
    guard var into = try draft(target) else { return }
    into.flags.formUnion(from.flags.intersection([.pinned, .hasNaturalKeys]))
    into.flags.insert(.hasAliases)
    into.commit = state.commit + 1
    try putRow(into.encoded(number: target), target)
    try unindex(source, key: from.key)
    try putAlias(from.key, target)
    if from.flags.contains(.hasAliases) { try moveAliases(of: source, to: target) }
    if from.flags.contains(.hasNaturalKeys) { try moveNaturalKeys(of: source, to: target) }
    if from.flags.contains(.spilled) { try dropSpilled(source) }
    var stub = RowDraft(
      type: from.type, commit: state.commit + 1, flags: [.moved], key: from.key)
    var link: [UInt8] = []
    CellEncoder.append(link: target, to: &link)
    stub.cells = [(0, link)]
    try putRow(stub.encoded(number: source), source)
    journal.note(source, .moved)
    journal.note(target, .changed, fields: moved)
  }

  /// Gives a record the fields of another one that it lacks; their name numbers.
  private mutating func moveFields(
    of source: UInt32, to target: UInt32
  ) throws(ImageError) -> [UInt32] {
    var edit = GraphEdit()
    let index = try edit.touch(target, in: self)
    var moved: [UInt32] = []
    for field in try fields(of: source) {
      guard try cell(of: target, field: field.number) == nil,
        let cell = try cell(of: source, field: field.number)
      else { continue }
      edit.set(field.number, cell: cell.bytes, on: index)
      moved.append(field.number)
    }
    if !moved.isEmpty { try apply(edit.changes) }
    return moved
  }

  /// Makes `key` an alias of a record.
  private mutating func putAlias(_ key: [UInt8], _ number: UInt32) throws(ImageError) {
    var payload: [UInt8] = []
    payload.append(u32: number)
    payload.append(contentsOf: key)
    let hash = hash(key.span)
    let value = try Entries.replacing(in: try value(.aliases, hash), with: payload) { old in
      old.count >= 4 && old.extracting(droppingFirst: 4).isEqual(to: key.span)
    }
    try put(value, orDelete: .aliases, hash)
    noteAliasesExist()
  }

  /// Leads the aliases of one record to another. Linear in the aliases, as unions are rare.
  private mutating func moveAliases(
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
  mutating func unindex(_ number: UInt32, key: [UInt8]) throws(ImageError) {
    let hash = hash(([0] + key).span)
    try put(NumberList.removing(number, from: try value(.ids, hash)), orDelete: .ids, hash)
  }

  /// Drops the cells of a record that are outside its row.
  mutating func dropSpilled(_ number: UInt32) throws(ImageError) {
    var keys: [UInt64] = []
    try forEach(.cells, from: UInt64(number) << 32) { key, _ in
      guard key >> 32 == UInt64(number) else { return false }
      keys.append(key)
      return true
    }
    for key in keys { try delete(.cells, key) }
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
