import BatonPlan
internal import LMDB

/// One consistent state of an image, read in place.
///
/// A snapshot never blocks a writer, in this process or another, and sees no later commit. It holds
/// pages of its state until it ends, so end it soon: a snapshot kept for long makes the file grow.
/// Views of records borrow the snapshot and can't outlive it.
public struct Snapshot: ~Copyable {
  private let transaction: ReadTransaction
  private let tables: ImageTables
  let identity: IdentityRules

  init(
    _ transaction: consuming ReadTransaction, tables: ImageTables, identity: IdentityRules
  ) {
    self.transaction = transaction
    self.tables = tables
    self.identity = identity
  }
}

extension Snapshot: RecordSource {
  @_lifetime(borrow self)
  package borrowing func value(
    _ table: ImageTable, _ key: UInt64
  ) throws(ImageError) -> Span<UInt8>? {
    let found: Span<UInt8>?
    do throws(LMDBError) {
      found = try transaction.value(at: key, in: tables[table])
    } catch {
      throw ImageError(error)
    }
    guard let found else { return nil }
    guard isSealed(found, table: table, key: key) else {
      throw .damaged(Damage("table \(table.name), key \(key)", "its checksum is wrong"))
    }
    return found
  }

  package borrowing func forEach(
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
