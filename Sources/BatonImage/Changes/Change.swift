/// What a commit changed, or several commits that a slow reader takes at once.
public struct Change: Sendable, Equatable {
  /// How far the records tell what changed.
  public enum Extent: Sendable, Equatable {
    /// The records are all that changed.
    case records
    /// Everything the image held before was removed; the records came after.
    case cleared
    /// The journal no longer tells: anything may have changed, and is to be read again.
    case unknown
  }

  /// The commit; of several the last.
  public var commit: UInt64
  /// The first of several commits, otherwise `commit`.
  public var firstCommit: UInt64
  /// The commit's time in milliseconds since 1970.
  public var time: Int64
  /// The name of the operation that was committed; empty when there is none, or several.
  public var operation: String
  public var extent: Extent
  /// The records that changed, in order of their numbers.
  public var records: [RecordChange]

  public init(
    commit: UInt64, firstCommit: UInt64? = nil, time: Int64, operation: String = "",
    extent: Extent = .records, records: [RecordChange] = []
  ) {
    self.commit = commit
    self.firstCommit = firstCommit ?? commit
    self.time = time
    self.operation = operation
    self.extent = extent
    self.records = records
  }
}

/// What happened to one record.
public struct RecordChange: Sendable, Hashable {
  public enum What: Sendable, Hashable {
    /// The image had no such record before.
    case created
    /// Fields got other values, or came to be; also of a record that was gone and is back.
    case changed
    /// The record was deleted; the fields are those it had.
    case deleted
    /// The record is another one from now on, whose key is `target`.
    case moved
    /// The image gave up the fields named, or all of the record where none is named, to save space
    /// or because they were for an earlier launch. They are missing, and no less true.
    case evicted
  }

  /// The record's number: the same for the image's life, and never another record's.
  public var number: UInt32
  /// The record's key; nil when the image doesn't know the record any more.
  public var key: String?
  public var what: What
  /// The storage keys of the fields that changed, sorted; without those whose names are gone.
  public var fields: [String]
  /// The key of the record that a moved one is now.
  public var target: String?

  public init(
    number: UInt32, key: String?, what: What, fields: [String], target: String? = nil
  ) {
    self.number = number
    self.key = key
    self.what = what
    self.fields = fields
    self.target = target
  }
}

extension Snapshot {
  /// What the commits after number `commit` changed, one for each commit, in order, up to the
  /// snapshot's own.
  ///
  /// Exact across launches and processes. Throws `tooOld` when the journal no longer reaches back to
  /// the commit, and `usage` when the image has no such commit yet.
  public borrowing func changes(since commit: UInt64) throws(ImageError) -> [Change] {
    try (self as Self).allChanges(since: commit)
  }

  /// The number of the last commit this snapshot sees.
  public var commit: UInt64 {
    get throws(ImageError) { try counters().commit }
  }
}

extension RecordSource where Self: ~Copyable {
  /// What `Snapshot.changes(since:)` answers, from any source.
  package borrowing func allChanges(since commit: UInt64) throws(ImageError) -> [Change] {
    let part = try journal(since: commit)
    guard commit <= part.counters.commit else {
      throw .usage("there is no commit \(commit) yet; the last is \(part.counters.commit)")
    }
    guard !part.isCut else { throw .tooOld(oldest: part.counters.oldestJournal) }
    var changes: [Change] = []
    for entry in part.entries { changes.append(try named(JournalUnion(entry))) }
    return changes
  }

  /// A change with the keys and names that its numbers have in this state.
  borrowing func named(_ union: JournalUnion) throws(ImageError) -> Change {
    var records: [RecordChange] = []
    for (number, change) in union.records.sorted(by: { $0.key < $1.key }) {
      var record = RecordChange(number: number, key: nil, what: change.what, fields: [])
      for field in change.fields {
        if let name = try knownName(field) { record.fields.append(name) }
      }
      record.fields.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      try nameRecord(&record)
      records.append(record)
    }
    return Change(
      commit: union.last, firstCommit: union.first, time: union.time,
      operation: union.operation, extent: union.extent, records: records)
  }

  private borrowing func knownName(_ number: UInt32) throws(ImageError) -> String? {
    try value(.names, UInt64(number)) == nil ? nil : try name(number)
  }

  /// The record's key as text; nil when the record, or one that its path leads through, was given up.
  package borrowing func knownKeyText(of number: UInt32) throws(ImageError) -> String? {
    var current = number
    while RootNames.text(of: current) == nil {
      guard let row = try row(current) else { return nil }
      guard row.flags.contains(.pathKey), let path = PathKey(row.key), path.parent < current else {
        break
      }
      current = path.parent
    }
    return try keyText(of: number)
  }

  private borrowing func nameRecord(_ record: inout RecordChange) throws(ImageError) {
    guard let row = try row(record.number) else { return }
    guard let target = try row.target() else {
      record.key = try knownKeyText(of: record.number)
      return
    }
    record.key = row.key.text()
    record.target = try knownKeyText(of: target)
  }
}
