/// What a commit changed so far, and its encoding: Docs/Format.md section 12.
package struct JournalDraft: ~Copyable {
  package enum What: UInt8, Sendable, BitwiseCopyable {
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
  struct Note: BitwiseCopyable {
    var number: UInt32
    var what: What
    var start: Int
    var end: Int
  }

  /// The changes in the order of the steps that made them.
  private var notes = Buffer<Note>(capacity: 256)
  private var fields = Buffer<UInt32>(capacity: 512)
  /// Records that were answered as they are.
  private var unchanged = Buffer<UInt32>(capacity: 256)
  /// Whether every record was noted once, in order, with its fields in order, as merging one
  /// response does.
  private var isOrdered = true
  private var last: UInt32 = 0

  /// Notes a change of a record. A created record stays one, whatever follows but its end.
  mutating func note(_ number: UInt32, _ what: What, fields changed: [UInt32] = []) {
    note(number, what, fields: changed.span)
  }

  mutating func note(_ number: UInt32, _ what: What, fields changed: Span<UInt32>) {
    follow(number)
    let start = fields.count
    for index in 1..<max(1, changed.count) where changed[index - 1] >= changed[index] {
      isOrdered = false
    }
    fields.append(changed)
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
    for index in 0..<notes.count {
      let note = notes[index]
      let noted = fields.copy(note.start..<note.end)
      guard var change = changes[note.number] else {
        changes[note.number] = (note.what, Set(noted))
        continue
      }
      change.fields.formUnion(noted)
      change.what = Self.what(note.what, after: change.what)
      changes[note.number] = change
    }
    let seen = Set(unchanged.copy(0..<unchanged.count))
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
    for index in 0..<notes.count where notes[index].number >= RowLayout.firstRecord {
      if notes[index].what == .created {
        outcome.recordsCreated += 1
      } else {
        outcome.recordsChanged += 1
      }
    }
  }

  /// Appends the journal's value for a commit, with the checksum left to the caller.
  mutating func append(to value: inout Buffer<UInt8>, time: Int64, operation: String) {
    settle()
    value.append(u32: 0)
    value.append(u64: UInt64(bitPattern: time))
    let name = Array(operation.utf8.prefix(Int(UInt16.max)))
    value.append(u16: UInt16(name.count))
    value.append(contentsOf: name)
    value.append(varint: UInt64(notes.count))
    var previous: UInt32 = 0
    // The changes that were written out, in order.
    var written = Buffer<Written>(capacity: 16)
    for index in 0..<notes.count {
      let note = notes[index]
      value.append(varint: UInt64(note.number - previous))
      previous = note.number
      let digest = digest(of: note)
      if let same = place(of: note, digest, in: written) {
        value.append(varint: UInt64(same + 1))
        continue
      }
      value.append(varint: 0)
      written.append(Written(index: index, digest: digest))
      append(note, to: &value)
    }
  }

  private func append(_ note: Note, to value: inout Buffer<UInt8>) {
    value.append(note.what.rawValue)
    value.append(varint: UInt64(note.end - note.start))
    var previous: UInt32 = 0
    for place in note.start..<note.end {
      let field = fields[place]
      value.append(varint: UInt64(field - previous))
      previous = field
    }
  }

  /// A note whose change was written out.
  private struct Written: BitwiseCopyable {
    var index: Int
    var digest: UInt64
  }

  /// A number that like changes have in common, and few others.
  private func digest(of note: Note) -> UInt64 {
    var digest = UInt64(note.what.rawValue)
    guard note.end &- note.start <= JournalEntry.maximumShared else { return digest }
    for place in note.start..<note.end {
      digest = (digest ^ UInt64(fields[place])) &* 0x9E37_79B9_7F4A_7C15
    }
    return digest
  }

  /// Where a change like a note's was written out, among the first of those that may be referred to.
  private func place(
    of note: Note, _ digest: UInt64, in written: borrowing Buffer<Written>
  ) -> Int? {
    guard note.end &- note.start <= JournalEntry.maximumShared else { return nil }
    for place in 0..<min(written.count, Self.maximumCompared) where written[place].digest == digest
    {
      if isLike(notes[written[place].index], note) { return place }
    }
    return nil
  }

  private func isLike(_ note: Note, _ other: Note) -> Bool {
    guard note.what == other.what, note.end &- note.start == other.end &- other.start else {
      return false
    }
    for offset in 0..<note.end &- note.start
    where fields[note.start &+ offset] != fields[other.start &+ offset] {
      return false
    }
    return true
  }

  /// How many changes a note is compared with: a response has few kinds of records.
  private static let maximumCompared = 32
}

extension CommitSession {
  /// Writes the journal of this commit and drops what is older than `limit` commits.
  mutating func writeJournal(limit: UInt64, operation: String) throws(ImageError) {
    var value = Buffer<UInt8>(capacity: 4096)
    journal.append(to: &value, time: now, operation: operation)
    value.seal(table: .journal, key: state.commit)
    try put(sealed: value.span, .journal, state.commit, appending: true)
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
