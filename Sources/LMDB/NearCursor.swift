internal import CLMDB

/// The place of the last entry a writer used in one table.
///
/// Entries near it are found in its page, without a descent from the root: what is read and written
/// in order of keys costs a fraction. The engine keeps the place right across writes of its
/// transaction, and frees the cursor with it.
@safe
struct NearCursor: ~Copyable {
  /// What moves with each use, though the cursor is only borrowed for it.
  @safe
  private struct Place {
    var table: UInt32 = 0
    /// Nil while no table's place is kept.
    // SAFETY: the transaction's own, which is closed before the transaction ends, or freed with it.
    var cursor: OpaquePointer?
    /// The key of the entry the cursor stands at, where it is known.
    var key: UInt64 = 0
    var isKnown = false
  }

  // SAFETY (all of this file): allocated and freed here alone; there is one owner, which is used by
  // one thread.
  private let place: UnsafeMutablePointer<Place>

  init() {
    unsafe place = UnsafeMutablePointer<Place>.allocate(capacity: 1)
    unsafe place.initialize(to: Place())
  }

  deinit { unsafe place.deallocate() }

  /// Whether it is the place in a table.
  @inline(__always)
  func isIn(_ table: UInt32) -> Bool {
    unsafe place.pointee.cursor != nil && place.pointee.table == table
  }

  /// Keeps the place in another table from now on.
  func open(in transaction: RawTransaction, table: UInt32) throws(LMDBError) {
    close()
    // SAFETY: the owner, which is the write transaction, keeps no copy beyond its end.
    let cursor = unsafe try transaction.openCursor(table: table)
    unsafe place.pointee = Place(table: table, cursor: cursor)
  }

  /// Gives the engine its cursor back, if there is one.
  func close() {
    // SAFETY: before the transaction's end, once: it is forgotten here.
    if let cursor = unsafe place.pointee.cursor { unsafe mdb_cursor_close(cursor) }
    forget()
  }

  /// Forgets a cursor that the engine frees with its transaction.
  func forget() { unsafe place.pointee = Place() }

  /// The value at `key`: bytes in the map or in a dirty page, there until the transaction writes or
  /// ends. There has to be a cursor.
  ///
  /// The entry the cursor stands at, and the one behind it, are at hand: no search, not even in the
  /// page.
  func get(_ key: UInt64) throws(LMDBError) -> UnsafeBufferPointer<UInt8>? {
    if unsafe place.pointee.isKnown {
      let known = unsafe place.pointee.key
      if known == key { return unsafe try move(MDB_GET_CURRENT, to: key) }
      if known < key, key &- known == 1 { return unsafe try move(MDB_NEXT, to: key) }
    }
    return unsafe try move(MDB_SET, to: key)
  }

  /// Moves the cursor; the value there, where it is the entry at `wanted`.
  @inline(__always)
  private func move(
    _ operation: MDB_cursor_op, to wanted: UInt64
  ) throws(LMDBError) -> UnsafeBufferPointer<UInt8>? {
    var number = wanted
    var found = unsafe MDB_val()
    // SAFETY: the transaction runs; the key lives until the call returns, which keeps none of it. A
    // key that the engine answers lies in the map or a dirty page and is read at once.
    let status = unsafe withUnsafeMutablePointer(to: &number) { number -> Int32 in
      var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
      let status = unsafe mdb_cursor_get(place.pointee.cursor, &key, &found, operation)
      if status == 0, let answered = unsafe key.mv_data, unsafe key.mv_size == 8 {
        unsafe number.pointee = answered.loadUnaligned(as: UInt64.self)
      }
      return status
    }
    unsafe place.pointee.key = number
    unsafe place.pointee.isKnown = status == 0
    // SAFETY: the engine answered these bytes; the types over this one bound their life.
    if status == 0 { return number == wanted ? unsafe found.bytes : nil }
    if status == MDB_NOTFOUND { return nil }
    throw LMDBError(status: status, in: .get)
  }

  /// `mdb_cursor_put`: the engine copies the value, and the cursor stands at it. There has to be a
  /// cursor.
  ///
  /// The entry the cursor stands at is replaced without a search.
  func put(_ value: Span<UInt8>, at key: UInt64, flags: UInt32) throws(LMDBError) {
    var number = key
    let isAtHand = unsafe place.pointee.isKnown && place.pointee.key == key && flags == 0
    let flags = isAtHand ? UInt32(MDB_CURRENT) : flags
    unsafe place.pointee.isKnown = false
    // SAFETY: key and value live until the call returns; the engine copies both, and writes neither.
    let status = unsafe value.withUnsafeBufferPointer { bytes in
      unsafe withUnsafeMutablePointer(to: &number) { number in
        var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
        var data = unsafe MDB_val(
          mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        return unsafe mdb_cursor_put(place.pointee.cursor, &key, &data, flags)
      }
    }
    if status != 0 { throw LMDBError(status: status, in: .put) }
    unsafe place.pointee.key = key
    unsafe place.pointee.isKnown = true
  }
}
