/// What a commit changed so far, and its encoding: Docs/Format.md section 12.
package struct JournalDraft {
  package enum What: UInt8, Sendable {
    case created = 1
    case changed
    case deleted
    case moved
    /// The fields named were given up, or the whole record where none is named.
    case evicted
    /// Of the query root alone: everything was removed.
    case cleared
  }

  struct Change {
    var what: What
    var fields: Set<UInt32>
  }

  private(set) var changes: [UInt32: Change] = [:]
  /// Records that were answered as they are.
  private var unchanged: Set<UInt32> = []

  /// Notes a change of a record. A created record stays one, whatever follows but its end.
  mutating func note(_ number: UInt32, _ what: What, fields: [UInt32] = []) {
    guard var change = changes[number] else {
      changes[number] = Change(what: what, fields: Set(fields))
      return
    }
    change.fields.formUnion(fields)
    switch (change.what, what) {
    case (_, .deleted), (_, .moved), (_, .evicted), (_, .cleared): change.what = what
    // Gone and back in one commit.
    case (.deleted, _), (.evicted, _): change.what = .changed
    default: break
    }
    changes[number] = change
  }

  mutating func noteUnchanged(_ number: UInt32) {
    unchanged.insert(number)
  }

  /// Counts the records and fields: a record once, however many steps changed it.
  func count(in outcome: inout CommitOutcome) {
    outcome.recordsUnchanged = unchanged.count { changes[$0] == nil }
    for (number, change) in changes {
      outcome.fieldsChanged += change.fields.count
      guard number >= RowLayout.firstRecord else { continue }
      if change.what == .created {
        outcome.recordsCreated += 1
      } else {
        outcome.recordsChanged += 1
      }
    }
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
      let fields = change.fields.sorted()
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
