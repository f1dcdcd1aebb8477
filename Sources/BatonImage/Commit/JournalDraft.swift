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

  /// One step's change of one record; its fields lie in `fields`.
  private struct Note {
    var number: UInt32
    var what: What
    var start: Int
    var end: Int
  }

  /// The changes in the order of the steps that made them.
  private var notes: [Note] = []
  private var fields: [UInt32] = []
  /// Records that were answered as they are.
  private var unchanged: [UInt32] = []
  /// Whether every record was noted once, in order, with its fields in order, as merging one
  /// response does.
  private var isOrdered = true
  private var last: UInt32 = 0

  /// Notes a change of a record. A created record stays one, whatever follows but its end.
  mutating func note(_ number: UInt32, _ what: What, fields changed: [UInt32] = []) {
    follow(number)
    let start = fields.count
    for field in changed {
      if fields.count > start, fields[fields.count - 1] >= field { isOrdered = false }
      fields.append(field)
    }
    notes.append(Note(number: number, what: what, start: start, end: fields.count))
  }

  mutating func noteUnchanged(_ number: UInt32) {
    follow(number)
    unchanged.append(number)
  }

  private mutating func follow(_ number: UInt32) {
    if number <= last { isOrdered = false }
    last = number
  }

  /// Brings the notes in order: one a record, with each of its fields once.
  private mutating func settle() {
    guard !isOrdered else { return }
    var changes: [UInt32: (what: What, fields: Set<UInt32>)] = [:]
    for note in notes {
      let noted = fields[note.start..<note.end]
      guard var change = changes[note.number] else {
        changes[note.number] = (note.what, Set(noted))
        continue
      }
      change.fields.formUnion(noted)
      change.what = Self.what(note.what, after: change.what)
      changes[note.number] = change
    }
    let seen = Set(unchanged)
    self = JournalDraft()
    for number in seen.sorted() where changes[number] == nil { unchanged.append(number) }
    for (number, change) in changes.sorted(by: { $0.key < $1.key }) {
      let start = fields.count
      fields.append(contentsOf: change.fields.sorted())
      notes.append(Note(number: number, what: change.what, start: start, end: fields.count))
    }
    last = .max
  }

  /// What two steps of one commit did to a record.
  private static func what(_ next: What, after first: What) -> What {
    switch (first, next) {
    case (_, .deleted), (_, .moved), (_, .evicted), (_, .cleared): next
    // Gone and back in one commit.
    case (.deleted, _), (.evicted, _): .changed
    default: first
    }
  }

  /// Counts the records and fields: a record once, however many steps changed it.
  mutating func count(in outcome: inout CommitOutcome) {
    settle()
    outcome.recordsUnchanged += unchanged.count
    outcome.fieldsChanged += fields.count
    // The roots are places to start from, not records of the graph: they aren't counted.
    for note in notes where note.number >= RowLayout.firstRecord {
      if note.what == .created {
        outcome.recordsCreated += 1
      } else {
        outcome.recordsChanged += 1
      }
    }
  }

  /// The journal's value for a commit, with the checksum left to the caller.
  mutating func encoded(time: Int64, operation: String) -> [UInt8] {
    settle()
    var value: [UInt8] = [0, 0, 0, 0]
    value.append(u64: UInt64(bitPattern: time))
    let name = operation.utf8.prefix(Int(UInt16.max))
    value.append(u16: UInt16(name.count))
    value.append(contentsOf: name)
    value.append(varint: UInt64(notes.count))
    var previous: UInt32 = 0
    for note in notes {
      value.append(varint: UInt64(note.number - previous))
      previous = note.number
      value.append(note.what.rawValue)
      value.append(varint: UInt64(note.end - note.start))
      var previousField: UInt32 = 0
      for field in fields[note.start..<note.end] {
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
