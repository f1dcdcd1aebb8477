import BatonPlan
internal import LMDB

/// One consistent state of an image, read in place.
///
/// A snapshot never blocks a writer, in this process or another, and sees no later commit. It holds
/// pages of its state until it ends, so end it soon: a snapshot kept for long makes the file grow.
/// Lenses and views of records borrow the snapshot and can't outlive it.
public struct Snapshot: ~Copyable {
  let core: SnapshotCore

  init(
    _ transaction: consuming ReadTransaction, tables: ImageTables, identity: IdentityRules,
    lenses: LensCache = LensCache(), found: FoundRecords? = nil,
    reader: consuming SnapshotReader = SnapshotReader(), trace: ReadTrace? = nil
  ) {
    core = SnapshotCore(
      transaction, tables: tables, identity: identity, lenses: lenses, found: found,
      reader: reader, trace: trace)
  }

  /// The number of the engine's transaction that is read.
  var transaction: Int { core.transaction.id }
}

/// What a snapshot and its lenses share: the transaction, which ends with the last of them.
///
/// One thread uses it at a time, as neither snapshots nor lenses can be sent.
@safe
final class SnapshotCore {
  let transaction: ReadTransaction
  let tables: ImageTables
  let identity: IdentityRules
  let lenses: LensCache
  private let found: FoundRecords?
  private var reader: SnapshotReader
  /// What reads touch, for an observer; nil where nobody observes.
  let trace: ReadTrace?
  /// The row found last, whose checksum was right: who finds a record by its id reads its row next.
  // SAFETY: bytes of the transaction's state, which stay as they are until it ends.
  private var lastRow: UnsafeBufferPointer<UInt8>?
  private var lastNumber: UInt64 = 0
  private var order = SearchOrder()

  init(
    _ transaction: consuming ReadTransaction, tables: ImageTables, identity: IdentityRules,
    lenses: LensCache, found: FoundRecords?, reader: consuming SnapshotReader, trace: ReadTrace?
  ) {
    self.found = found
    self.reader = reader
    self.trace = trace
    self.transaction = transaction
    self.tables = tables
    self.identity = identity
    self.lenses = lenses
  }
}

extension SnapshotCore: RecordSource {
  @inline(__always)
  func noteRead(of record: UInt32) {
    reader.noteUse(of: record)
    trace?.note(record)
  }

  func pendingFetchTime(of text: OperationText) -> Int64? { reader.pendingFetchTime(of: text) }

  func pendingFetchTime(of operation: OperationText, record: UInt32) -> Int64? {
    reader.pendingFetchTime(of: operation, record: record)
  }

  @inline(__always)
  func expectedNumber(ofKeyHash hash: UInt64) -> UInt32? { found?.number(of: hash) }

  func noteFound(_ number: UInt32, byKeyHash hash: UInt64) {
    order.note(number)
    found?.note(number, of: hash)
  }

  func nearbyNumber(ofKey key: Span<UInt8>, isPath: Bool) -> UInt32? {
    guard let start = order.start else { return nil }
    let end = UInt64(start) + UInt64(SearchOrder.reach)
    var found: UInt32?
    // A row that is damaged is another's affair: the index knows whether this record is sound.
    try? forEach(.records, from: UInt64(start)) { number, value in
      guard number < end, let number = UInt32(exactly: number),
        let row = try? RowView(value, number: number)
      else { return false }
      if row.hasKey(key, isPath: isPath), !row.flags.contains(.moved) { found = number }
      return found == nil
    }
    return found
  }

  @_lifetime(borrow self)
  func value(_ table: ImageTable, _ key: UInt64) throws(ImageError) -> Span<UInt8>? {
    if table == .records, key == lastNumber, let lastRow = unsafe lastRow {
      // SAFETY: as below.
      return unsafe _overrideLifetime(Span(_unsafeElements: lastRow), borrowing: self)
    }
    guard let bytes = unsafe try Self.bytes(of: transaction, tables[table], key) else {
      return nil
    }
    // SAFETY: the bytes live as long as the transaction, which lives as long as this object.
    let found = unsafe _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
    try checkSeal(of: found, table, key)
    if table == .records {
      unsafe lastRow = bytes
      lastNumber = key
    }
    return found
  }

  @_lifetime(borrow self)
  func value(_ table: ImageTable, atLeast key: UInt64) throws(ImageError) -> Span<UInt8>? {
    guard let bytes = unsafe try Self.bytes(of: transaction, tables[table], table, atLeast: key)
    else { return nil }
    // SAFETY: as above.
    return unsafe _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
  }

  /// The same, its checksum verified, with no life bound to it.
  @unsafe
  private static func bytes(
    of transaction: borrowing ReadTransaction, _ handle: Table, _ table: ImageTable,
    atLeast key: UInt64
  ) throws(ImageError) -> UnsafeBufferPointer<UInt8>? {
    let found: Cursor.Entry?
    do throws(LMDBError) { found = try transaction.entry(atLeast: key, in: handle) } catch {
      throw ImageError(error)
    }
    guard let found else { return nil }
    try checkSeal(of: found.value, table, found.key)
    return unsafe found.value.withUnsafeBufferPointer { unsafe $0 }
  }

  @unsafe
  @inline(__always)
  private static func bytes(
    of transaction: borrowing ReadTransaction, _ table: Table, _ key: UInt64
  ) throws(ImageError) -> UnsafeBufferPointer<UInt8>? {
    do throws(LMDBError) {
      guard let found = try transaction.value(at: key, in: table) else { return nil }
      return unsafe found.withUnsafeBufferPointer { unsafe $0 }
    } catch {
      throw ImageError(error)
    }
  }

  func forEach(
    _ table: ImageTable, from start: UInt64,
    _ body: (_ key: UInt64, _ value: Span<UInt8>) throws(ImageError) -> Bool
  ) throws(ImageError) {
    try Self.forEach(table, tables[table], of: transaction, from: start, body)
  }

  private static func forEach(
    _ table: ImageTable, _ handle: Table, of transaction: borrowing ReadTransaction,
    from start: UInt64, _ body: (UInt64, Span<UInt8>) throws(ImageError) -> Bool
  ) throws(ImageError) {
    var cursor: Cursor
    do throws(LMDBError) { cursor = try transaction.cursor(in: handle) } catch {
      throw ImageError(error)
    }
    try cursor.forEach(table, from: start, body)
  }
}

extension Snapshot: RecordSource {
  package borrowing func noteRead(of record: UInt32) { core.noteRead(of: record) }
  package var trace: ReadTrace? { core.trace }
  package borrowing func pendingFetchTime(of text: OperationText) -> Int64? {
    core.pendingFetchTime(of: text)
  }

  package borrowing func pendingFetchTime(of operation: OperationText, record: UInt32) -> Int64? {
    core.pendingFetchTime(of: operation, record: record)
  }
  package borrowing func expectedNumber(ofKeyHash hash: UInt64) -> UInt32? {
    core.expectedNumber(ofKeyHash: hash)
  }
  package borrowing func noteFound(_ number: UInt32, byKeyHash hash: UInt64) {
    core.noteFound(number, byKeyHash: hash)
  }
  package borrowing func nearbyNumber(ofKey key: Span<UInt8>, isPath: Bool) -> UInt32? {
    core.nearbyNumber(ofKey: key, isPath: isPath)
  }

  @_lifetime(borrow self)
  package borrowing func value(
    _ table: ImageTable, _ key: UInt64
  ) throws(ImageError) -> Span<UInt8>? {
    let found = try core.value(table, key)
    // SAFETY: the core, which keeps the bytes alive, lives as long as the snapshot.
    return unsafe _overrideLifetime(found, borrowing: self)
  }

  @_lifetime(borrow self)
  package borrowing func value(
    _ table: ImageTable, atLeast key: UInt64
  ) throws(ImageError) -> Span<UInt8>? {
    let found = try core.value(table, atLeast: key)
    // SAFETY: as above.
    return unsafe _overrideLifetime(found, borrowing: self)
  }

  package borrowing func forEach(
    _ table: ImageTable, from start: UInt64,
    _ body: (_ key: UInt64, _ value: Span<UInt8>) throws(ImageError) -> Bool
  ) throws(ImageError) {
    try core.forEach(table, from: start, body)
  }
}

extension Cursor {
  /// Calls `body` for each entry from `start` on until it returns false, checking each checksum.
  @_lifetime(self: copy self)
  mutating func forEach(
    _ table: ImageTable, from start: UInt64,
    _ body: (_ key: UInt64, _ value: Span<UInt8>) throws(ImageError) -> Bool
  ) throws(ImageError) {
    var isFirst = true
    while true {
      let entry: Entry?
      do throws(LMDBError) {
        entry = isFirst ? try seek(atLeast: start) : try next()
      } catch {
        throw ImageError(error)
      }
      isFirst = false
      guard let entry else { return }
      guard isSealed(entry.value, table: table, key: entry.key) else {
        throw .damaged(Damage("table \(table.name), key \(entry.key)", "its checksum is wrong"))
      }
      if try !body(entry.key, entry.value) { return }
    }
  }
}
