/// What one or several commits changed, by numbers.
struct JournalUnion {
  struct Record {
    var what: RecordChange.What
    var fields: Set<UInt32>
  }

  var first: UInt64
  var last: UInt64
  var time: Int64
  var operation: String
  var extent = Change.Extent.records
  private(set) var records: [UInt32: Record] = [:]

  /// The most records one is made of; with more, anything may have changed.
  private static let maximumRecords = 1 << 20

  /// One commit.
  init(_ entry: JournalEntry) {
    first = entry.commit
    last = entry.commit
    time = entry.time
    operation = entry.operation
    add(entry.changes)
  }

  /// Commits that nothing is known about.
  init(unknownAfter commit: UInt64, to counters: ImageCounters) {
    first = min(commit + 1, counters.commit)
    last = counters.commit
    time = counters.time
    operation = ""
    extent = .unknown
  }

  /// Takes the next commit in.
  mutating func add(_ entry: JournalEntry) {
    last = entry.commit
    time = entry.time
    if operation != entry.operation { operation = "" }
    add(entry.changes)
  }

  private mutating func add(_ changes: [JournalEntry.Change]) {
    for change in changes {
      guard let what = RecordChange.What(change.what) else {
        records = [:]
        extent = .cleared
        continue
      }
      guard extent != .unknown else { continue }
      add(change, what)
    }
    if records.count > Self.maximumRecords {
      records = [:]
      extent = .unknown
    }
  }

  private mutating func add(_ change: JournalEntry.Change, _ what: RecordChange.What) {
    guard var record = records[change.record] else {
      records[change.record] = Record(what: what, fields: Set(change.fields))
      return
    }
    record.fields.formUnion(change.fields)
    switch (record.what, what) {
    case (.created, .changed), (.created, .created): break
    default: record.what = what
    }
    records[change.record] = record
  }
}

extension RecordChange.What {
  /// Nil for the removal of everything.
  init?(_ what: JournalDraft.What) {
    switch what {
    case .created: self = .created
    case .changed: self = .changed
    case .deleted: self = .deleted
    case .moved: self = .moved
    case .evicted: self = .evicted
    case .cleared: return nil
    }
  }
}
