import BatonPlan
internal import LMDB

/// One write to an image: a transaction with the counters, the journal and the outcome it builds.
///
/// Nothing of it is in the file before `finish`; a session that ends without it leaves the image as
/// it was.
struct CommitSession: ~Copyable {
  var transaction: WriteTransaction
  /// The number of the last name that can be given.
  var nameLimit = NameKind.maximumCount
  /// Keeps the last checkpoint's pages from this write.
  private let turn: WriteTurn
  let tables: ImageTables
  let identity: IdentityRules
  let now: Int64
  var state: ImageCounters
  /// The row being built and what it is built from.
  var scratch: MergeScratch? = MergeScratch()
  var journal = JournalDraft()
  var outcome = CommitOutcome(
    commit: 0, recordsCreated: 0, recordsChanged: 0, recordsUnchanged: 0, fieldsChanged: 0,
    pagesWritten: 0, ids: nil, errors: [], aliases: [])
  /// What responses said of types no schema knows, as pairs of name numbers.
  private var memberships: [UInt64: Bool] = [:]
  /// The records that list lookups answered.
  var answered = AnsweredRecords()
  /// The records that were there and that this commit named: they were used.
  var touched: [UInt32] = []
  /// The record found last by its key; 0 when none was.
  private var lastFound: UInt32 = 0
  private(set) var hasAliases = false
  private(set) var hasMisses = false
  /// Keys that this commit made aliases.
  var aliased: Set<[UInt8]> = []
  /// Natural keys that take the place of those that records moved away from.
  var successors: [Successor] = []
  /// Ids whose miss this commit counted.
  var missed: Set<[UInt8]> = []

  /// Takes over a transaction.
  ///
  /// Throws `damaged` when the counters can't be read.
  init(
    _ transaction: consuming WriteTransaction, turn: consuming WriteTurn, tables: ImageTables,
    identity: IdentityRules,
    now: Int64
  ) throws(ImageError) {
    self.transaction = transaction
    self.turn = turn
    self.tables = tables
    self.identity = identity
    self.now = now
    state = ImageCounters()
    try engine { () throws(LMDBError) in
      try self.transaction.keepPlace(in: tables[.records])
    }
    state = try readState()
    guard state.commit < ImageCounters.maximumCommit else {
      throw .limit("commit \(state.commit) is the last an image can have")
    }
    hasAliases = try count(of: .aliases) > 0
    hasMisses = try count(of: .misses) > 0
    if try count(of: .types) > 0 { try readMemberships() }
  }

  private borrowing func readState() throws(ImageError) -> ImageCounters {
    guard let value = try value(.meta, MetaKey.state) else {
      throw .damaged(Damage("state", "it is missing"))
    }
    return try ImageCounters(value)
  }

  borrowing func count(of table: ImageTable) throws(ImageError) -> Int {
    do throws(LMDBError) { return try transaction.statistics(of: tables[table]).entries } catch {
      throw ImageError(error)
    }
  }

  /// The pages of the image's tables and of the engine's.
  borrowing func pagesInUse() throws(ImageError) -> Int {
    do throws(LMDBError) { return try transaction.pagesInUse(of: tables.handles) } catch {
      throw ImageError(error)
    }
  }

  private mutating func readMemberships() throws(ImageError) {
    var found: [UInt64: Bool] = [:]
    try forEach(.types, from: 0) { (key, value) throws(ImageError) in
      found[key] = value.count == 5 && value[4] == 1
      return true
    }
    memberships = found
  }

  // MARK: Writing

  /// Seals a value and writes it.
  mutating func put(
    _ value: inout [UInt8], _ table: ImageTable, _ key: UInt64, appending: Bool = false
  ) throws(ImageError) {
    value.seal(table: table, key: key)
    try put(sealed: value.span, table, key, appending: appending)
  }

  /// Writes a value that has its checksum.
  mutating func put(
    sealed value: Span<UInt8>, _ table: ImageTable, _ key: UInt64, appending: Bool = false
  ) throws(ImageError) {
    do throws(LMDBError) {
      try transaction.put(value, at: key, in: tables[table], appending: appending)
    } catch {
      throw ImageError(error)
    }
  }

  /// Writes a value, or deletes the entry when there is none.
  mutating func put(
    _ value: consuming [UInt8]?, orDelete table: ImageTable, _ key: UInt64
  ) throws(ImageError) {
    if var value {
      try put(&value, table, key)
    } else {
      try delete(table, key)
    }
  }

  mutating func delete(_ table: ImageTable, _ key: UInt64) throws(ImageError) {
    do throws(LMDBError) { try transaction.delete(at: key, in: tables[table]) } catch {
      throw ImageError(error)
    }
  }

  // MARK: Types

  /// Keeps what a response said of types; true when it is new.
  mutating func learn(
    type: String, condition: String, isMember: Bool
  ) throws(ImageError) -> Bool {
    let typeNumber = try name(Array(type.utf8).span, .type)
    let conditionNumber = try name(Array(condition.utf8).span, .type)
    let key = UInt64(typeNumber) << 32 | UInt64(conditionNumber)
    guard memberships[key] != isMember, isMember || memberships[key] == nil else { return false }
    memberships[key] = isMember
    var value: [UInt8] = [0, 0, 0, 0, isMember ? 1 : 0]
    try put(&value, .types, key)
    return true
  }

  // MARK: Its end

  /// Writes the counters and the journal, and commits. A session that changed nothing writes
  /// nothing.
  consuming func finish(
    journalLimit: UInt64, operation: String
  ) throws(ImageError) -> CommitOutcome {
    journal.count(in: &outcome)
    guard transaction.hasWritten else {
      outcome.commit = state.commit
      return outcome
    }
    state.commit += 1
    state.time = now
    outcome.commit = state.commit
    try writeJournal(limit: journalLimit, operation: operation)
    var value = state.encoded()
    try put(&value, .meta, MetaKey.state)
    let outcome = outcome
    try commitTransaction()
    return outcome
  }

  /// Commits without counting a commit: what was written are no fields of records.
  consuming func finishQuietly() throws(ImageError) {
    if transaction.hasWritten { try commitTransaction() }
  }

  private consuming func commitTransaction() throws(ImageError) {
    let id = transaction.id
    let checkpointer = turn.checkpointer
    do throws(LMDBError) {
      try transaction.commit { checkpointer.append(id) }
    } catch {
      throw ImageError(error)
    }
    turn.noteCommit(id)
  }
}

extension CommitSession: RecordSource {
  @_lifetime(borrow self)
  borrowing func value(
    _ table: ImageTable, _ key: UInt64
  ) throws(ImageError) -> Span<UInt8>? {
    let found: Span<UInt8>?
    do throws(LMDBError) {
      found =
        table == .records
        ? try transaction.nearValue(at: key, in: tables[table])
        : try transaction.value(at: key, in: tables[table])
    } catch {
      throw ImageError(error)
    }
    guard let found else { return nil }
    try checkSeal(of: found, table, key)
    return found
  }

  @_lifetime(borrow self)
  borrowing func value(
    _ table: ImageTable, atLeast key: UInt64
  ) throws(ImageError) -> Span<UInt8>? {
    let found: Cursor.Entry?
    do throws(LMDBError) {
      found = try transaction.entry(atLeast: key, in: tables[table])
    } catch {
      throw ImageError(error)
    }
    guard let found else { return nil }
    try checkSeal(of: found.value, table, found.key)
    return found.value
  }

  borrowing func forEach(
    _ table: ImageTable, from start: UInt64,
    _ body: (_ key: UInt64, _ value: Span<UInt8>) throws(ImageError) -> Bool
  ) throws(ImageError) {
    var cursor: Cursor
    do throws(LMDBError) { cursor = try transaction.cursor(in: tables[table]) } catch {
      throw ImageError(error)
    }
    try cursor.forEach(table, from: start, body)
  }
}

extension CommitSession: NormalizerStore {
  /// A type that never answered a condition's fields may come to: the answer is true or nil.
  borrowing func satisfies(type: String, condition: String) -> Bool? {
    guard !memberships.isEmpty,
      let type = try? number(ofName: type, .type),
      let condition = try? number(ofName: condition, .type)
    else { return nil }
    return memberships[UInt64(type) << 32 | UInt64(condition)] == true ? true : nil
  }

  mutating func name(_ text: Span<UInt8>, _ kind: NameKind) throws(ImageError) -> UInt32 {
    let hash = hash(kind: kind.rawValue, text)
    if let number = try number(ofName: text, kind, hash: hash) { return number }
    let number = state.nextName
    guard number <= nameLimit else {
      throw .limit("the image holds \(nameLimit) names, the most an image can")
    }
    state.nextName += 1
    var value: [UInt8] = [0, 0, 0, 0, kind.rawValue]
    value.append(text)
    try put(&value, .names, UInt64(number), appending: true)
    try put(NumberList.adding(number, to: try self.value(.nameids, hash)), orDelete: .nameids, hash)
    return number
  }

  mutating func record(
    hash: UInt64, key: Span<UInt8>, isPath: Bool
  ) throws(ImageError) -> (number: UInt32, isAlias: Bool)? {
    if try isNext(key, isPath: isPath) {
      lastFound += 1
      return (lastFound, false)
    }
    if let number = try number(ofKey: key, isPath: isPath, hash: hash) {
      lastFound = number
      return (number, false)
    }
    guard hasAliases, !isPath, let number = try number(ofAlias: key) else { return nil }
    return (number, true)
  }

  /// Whether the record behind the one found last has a key: numbers are given in order of
  /// discovery, so an answer to the same question comes to its records in the order of their numbers.
  ///
  /// Mutating though it changes nothing: a session lent by value is copied.
  private mutating func isNext(_ key: Span<UInt8>, isPath: Bool) throws(ImageError) -> Bool {
    guard lastFound > 0, lastFound < .max else { return false }
    let value: Span<UInt8>?
    do throws(LMDBError) {
      value = try transaction.nearValue(at: UInt64(lastFound) + 1, in: tables[.records])
    } catch {
      throw ImageError(error)
    }
    // The checksum is looked at when the row is merged. A row that hasn't a row's form, or is
    // another's, is left to the search by hash.
    guard let value else { return false }
    return RowView.isLive(value, key: key, isPath: isPath)
  }

  mutating func newRecord() throws(ImageError) -> UInt32 {
    guard let number = UInt32(exactly: state.nextRecord) else {
      throw .limit("the image has given out every record number")
    }
    state.nextRecord += 1
    return number
  }

  mutating func noteAliasesExist() { hasAliases = true }
}
