/// What a commit changed so far, and its encoding: Docs/Format.md section 12.
package struct JournalDraft {
  package enum What: UInt8, Sendable {
    case created = 1
    case changed
    case deleted
    case moved
  }

  struct Change {
    var what: What
    var fields: [UInt32]
  }

  private(set) var changes: [UInt32: Change] = [:]

  /// Notes a change of a record. A created record stays one, whatever follows but its deletion.
  mutating func note(_ number: UInt32, _ what: What, fields: [UInt32] = []) {
    guard var change = changes[number] else {
      changes[number] = Change(what: what, fields: fields)
      return
    }
    change.fields.append(contentsOf: fields)
    if what.rawValue >= What.deleted.rawValue { change.what = what }
    changes[number] = change
  }

  /// The journal's value for a commit, with the checksum left to the caller.
  func encoded(time: Int64, operation: String) -> [UInt8] {
    var value: [UInt8] = [0, 0, 0, 0]
    value.append(u64: UInt64(bitPattern: time))
    let name = operation.utf8.prefix(Int(UInt16.max))
    value.append(u16: UInt16(name.count))
    value.append(contentsOf: name)
    value.append(varint: UInt64(changes.count))
    var previous: UInt32 = 0
    for (number, change) in changes.sorted(by: { $0.key < $1.key }) {
      value.append(varint: UInt64(number - previous))
      previous = number
      value.append(change.what.rawValue)
      let fields = Set(change.fields).sorted()
      value.append(varint: UInt64(fields.count))
      var previousField: UInt32 = 0
      for field in fields {
        value.append(varint: UInt64(field - previousField))
        previousField = field
      }
    }
    return value
  }
}

extension CommitSession {
  /// Writes the journal of this commit and drops what is older than `limit` commits.
  mutating func writeJournal(limit: UInt64, operation: String) throws(ImageError) {
    var value = journal.encoded(time: now, operation: operation)
    try put(&value, .journal, state.commit, appending: true)
    if state.oldestJournal == 0 { state.oldestJournal = state.commit }
    guard state.commit - min(state.commit, state.oldestJournal) >= limit else { return }
    // By what the table holds, not by what the state says it does: that could be any number.
    let oldest = state.commit - limit + 1
    var old: [UInt64] = []
    try forEach(.journal, from: 0) { key, _ in
      if key < oldest { old.append(key) }
      return key < oldest
    }
    for commit in old { try delete(.journal, commit) }
    state.oldestJournal = oldest
  }
}
