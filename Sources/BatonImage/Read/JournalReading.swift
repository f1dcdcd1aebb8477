/// What one commit changed, as the journal keeps it: Docs/Format.md section 12.
package struct JournalEntry: Sendable {
  package struct Change: Sendable {
    package var record: UInt32
    package var what: JournalDraft.What
    /// The name numbers of the fields that changed, ascending.
    package var fields: [UInt32]
  }

  package var commit: UInt64
  /// Milliseconds since 1970.
  package var time: Int64
  /// The operation's name; empty when there is none.
  package var operation: String
  /// The changed records, ascending.
  package var changes: [Change]

  /// Decodes a value of the table `journal`.
  ///
  /// Throws `damaged` when it hasn't the form of one. Allocates no more than the value holds,
  /// whatever its counts say.
  init(_ value: Span<UInt8>, commit: UInt64) throws(ImageError) {
    var reader = ByteReader(value, at: 4)
    guard let time = reader.part(8), let length = reader.part(2),
      let name = reader.part(Int(length.u16(at: 0))), let count = reader.varint()
    else { throw Self.cut(commit) }
    self.commit = commit
    self.time = Int64(bitPattern: time.u64(at: 0))
    operation = name.text()
    changes = []
    var record: UInt64 = 0
    // What was written out, to be referred to; the fields are shared by all that do.
    var written: [(what: JournalDraft.What, fields: [UInt32])] = []
    for _ in 0..<count {
      guard let step = reader.varint(), let number = Self.sum(record, step),
        let reference = reader.varint()
      else { throw Self.cut(commit) }
      record = number
      if reference == 0 {
        guard let change = Self.change(&reader) else { throw Self.cut(commit) }
        written.append(change)
      }
      let place = reference == 0 ? written.count : Int(clamping: reference)
      guard place <= written.count,
        reference == 0 || written[place - 1].fields.count <= Self.maximumShared
      else { throw Self.cut(commit) }
      let (what, fields) = written[place - 1]
      changes.append(Change(record: UInt32(record), what: what, fields: fields))
    }
  }

  /// How many fields a change that others refer to has at most, so that what a value says stays in
  /// proportion to its length.
  static let maximumShared = 16

  /// A change that is written out; nil where it hasn't the form of one.
  private static func change(
    _ reader: inout ByteReader
  ) -> (what: JournalDraft.What, fields: [UInt32])? {
    guard let byte = reader.byte(), let what = JournalDraft.What(rawValue: byte),
      let count = reader.varint()
    else { return nil }
    var fields: [UInt32] = []
    var field: UInt64 = 0
    for _ in 0..<count {
      guard let step = reader.varint(), let number = sum(field, step) else { return nil }
      field = number
      fields.append(UInt32(number))
    }
    return (what, fields)
  }

  /// The number that follows another by a step; nil when it ends before 1 or behind 32 bits.
  private static func sum(_ number: UInt64, _ step: UInt64) -> UInt64? {
    let (sum, overflow) = number.addingReportingOverflow(step)
    return overflow || sum == 0 || sum > UInt64(UInt32.max) ? nil : sum
  }

  private static func cut(_ commit: UInt64) -> ImageError {
    .damaged(Damage("journal \(commit)", "it hasn't the form of a commit's changes"))
  }
}

/// What the journal holds from some commit on.
package struct JournalPart: Sendable {
  /// The counters of the state that was read.
  package var counters: ImageCounters
  /// Whether the journal doesn't hold all the commits asked for any more.
  package var isCut: Bool
  package var entries: [JournalEntry] = []
}

extension RecordSource where Self: ~Copyable {
  /// What the commits after number `commit` changed, in order, at most `limit` of them.
  package borrowing func journal(
    since commit: UInt64, limit: Int = .max
  ) throws(ImageError) -> JournalPart {
    let counters = try counters()
    let isCut =
      commit < counters.commit
      && (counters.oldestJournal == 0 || commit < counters.oldestJournal - 1)
    var part = JournalPart(counters: counters, isCut: isCut)
    guard !isCut, commit < counters.commit else { return part }
    try forEach(.journal, from: commit + 1) { (key, value) throws(ImageError) in
      guard part.entries.count < limit else { return false }
      part.entries.append(try JournalEntry(value, commit: key))
      return true
    }
    return part
  }
}
