public import CLMDB

/// A place in a table, of one transaction.
///
/// It can't outlive the transaction, nor be held across a write of it. What it answers is bound to
/// the transaction, not to the cursor's place.
@safe
public struct Cursor: ~Copyable, ~Escapable {
  /// A key and its value, in place.
  public struct Entry: ~Escapable {
    public let key: UInt64
    public let value: Span<UInt8>

    @_lifetime(copy value)
    @usableFromInline
    init(key: UInt64, value: Span<UInt8>) {
      self.key = key
      self.value = value
    }
  }

  @usableFromInline let pointer: OpaquePointer
  @usableFromInline let core: EnvironmentCore

  /// Owns the engine's cursor; the caller binds the life of this to its transaction's.
  @unsafe
  @_lifetime(immortal)
  init(_ pointer: OpaquePointer, of core: EnvironmentCore) {
    unsafe self.pointer = pointer
    self.core = core
  }

  deinit {
    guard !core.isForked else { return }
    // SAFETY: opened by the transaction that this can't outlive, closed here, once.
    unsafe mdb_cursor_close(pointer)
  }

  /// Goes to the first entry; nil if there is none.
  @inlinable @_lifetime(copy self)
  public mutating func first() throws(LMDBError) -> Entry? { try move(MDB_FIRST) }

  /// Goes to the last entry; nil if there is none.
  @inlinable @_lifetime(copy self)
  public mutating func last() throws(LMDBError) -> Entry? { try move(MDB_LAST) }

  /// Goes to the next entry, at first to the first; nil behind the last.
  @inlinable @_lifetime(copy self)
  public mutating func next() throws(LMDBError) -> Entry? { try move(MDB_NEXT) }

  /// Goes to the entry before, at first to the last; nil before the first.
  @inlinable @_lifetime(copy self)
  public mutating func previous() throws(LMDBError) -> Entry? { try move(MDB_PREV) }

  /// Goes to the first entry at `key` or above; nil if there is none.
  @inlinable @_lifetime(copy self)
  public mutating func seek(atLeast key: UInt64) throws(LMDBError) -> Entry? {
    try move(MDB_SET_RANGE, key: key)
  }

  @inlinable @_lifetime(copy self)
  mutating func move(_ operation: MDB_cursor_op, key: UInt64 = 0) throws(LMDBError) -> Entry? {
    if core.isForked { throw LMDBError(.forked, in: .moveCursor) }
    var number = key
    var data = unsafe MDB_val()
    // SAFETY: the transaction runs, by this type's life; the key handed in lives until the call
    // returns, and the one answered is read before anything else moves the cursor or writes.
    let status = unsafe withUnsafeMutablePointer(to: &number) { place -> Int32 in
      var name = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(place))
      let status = unsafe mdb_cursor_get(pointer, &name, &data, operation)
      if status != 0 { return status }
      guard unsafe name.mv_size == 8, let found = unsafe name.mv_data else { return MDB_CORRUPTED }
      unsafe place.pointee = found.loadUnaligned(as: UInt64.self)
      return 0
    }
    if status == MDB_NOTFOUND { return nil }
    if status != 0 { throw LMDBError(status: status, in: .moveCursor) }
    // SAFETY: the bytes stay until the transaction writes or ends, and the entry, like this cursor,
    // is bound to a borrow of it.
    let bytes = unsafe UnsafeBufferPointer(
      start: data.mv_data?.assumingMemoryBound(to: UInt8.self), count: data.mv_size)
    let entry = unsafe Entry(key: number, value: Span(_unsafeElements: bytes))
    return unsafe _overrideLifetime(entry, copying: self)
  }
}
