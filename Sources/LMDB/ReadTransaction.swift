/// A reader: one commit's state, as long as this lives.
///
/// What it answers are bytes of the file in place, which can't outlive it. It ends when it goes out
/// of scope, and belongs to one thread at a time.
@safe
public struct ReadTransaction: ~Copyable {
  /// Stands for a transaction that no slot keeps.
  static let noSlot = -1

  @usableFromInline let raw: RawTransaction
  @usableFromInline let core: EnvironmentCore
  private let slot: Int

  init(_ raw: RawTransaction, of core: EnvironmentCore, slot: Int) {
    self.raw = raw
    self.core = core
    self.slot = slot
  }

  deinit { core.endRead(raw, slot: slot) }

  /// The number of the commit it reads.
  public var id: Int { raw.id }

  /// The value at `key`, in place, or nil.
  @inlinable @_lifetime(borrow self)
  public func value(at key: UInt64, in table: Table) throws(LMDBError) -> Span<UInt8>? {
    try core.check(table)
    // SAFETY: the bytes are in the map, in pages that aren't reused while the reader runs; the map
    // isn't exchanged while it does; the span is bound to self, whose end ends the reader.
    guard let bytes = unsafe try raw.get(key, table: table.handle) else { return nil }
    return unsafe _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
  }

  /// The entry with the lowest key at `key` or above, in place, or nil.
  @_lifetime(borrow self)
  public func entry(atLeast key: UInt64, in table: Table) throws(LMDBError) -> Cursor.Entry? {
    var cursor = try cursor(in: table)
    return try cursor.seek(atLeast: key)
  }

  /// A cursor over `table`, before its first entry.
  @_lifetime(borrow self)
  public func cursor(in table: Table) throws(LMDBError) -> Cursor {
    try core.check(table)
    // SAFETY: the cursor is bound to self, and closes before the reader ends.
    return unsafe _overrideLifetime(
      Cursor(try raw.openCursor(table: table.handle), of: core), borrowing: self)
  }

  /// The size and shape of `table`.
  public func statistics(of table: Table) throws(LMDBError) -> Table.Statistics {
    try core.check(table)
    return Table.Statistics(try raw.statistics(of: table.handle))
  }
}

extension EnvironmentCore {
  /// Whether a transaction of this core may use `table` in this process.
  @inlinable
  func check(_ table: Table) throws(LMDBError) {
    if table.environment != number { throw LMDBError(.badTable, in: .useOfTransaction) }
    if isForked { throw LMDBError(.forked, in: .useOfTransaction) }
  }
}
