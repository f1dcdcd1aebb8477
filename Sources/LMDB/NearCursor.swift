internal import CLMDB

/// The place of the last entry a writer used in one table.
///
/// Entries near it are found in its page, without a descent from the root: what is read and written
/// in order of keys costs a fraction. The engine keeps the place right across writes of its
/// transaction, and frees the cursor with it.
@safe
final class NearCursor {
  let table: UInt32
  private let pointer: OpaquePointer
  /// The key of the entry the cursor stands at; nil when it may stand anywhere.
  private var place: UInt64?

  /// Opens a cursor that the transaction's end frees.
  init(in transaction: RawTransaction, table: UInt32) throws(LMDBError) {
    self.table = table
    // SAFETY: the owner, which is the write transaction, keeps no copy beyond its end.
    unsafe pointer = try transaction.openCursor(table: table)
  }

  /// Gives the engine its cursor back; no copy may be used after it.
  func close() {
    // SAFETY: the owner closes it before the transaction's end, once.
    unsafe mdb_cursor_close(pointer)
  }

  /// The value at `key`: bytes in the map or in a dirty page, there until the transaction writes or
  /// ends.
  ///
  /// The entry the cursor stands at, and the one behind it, are at hand: no search, not even in the
  /// page.
  func get(_ key: UInt64) throws(LMDBError) -> UnsafeBufferPointer<UInt8>? {
    if let place {
      if place == key { return unsafe try move(MDB_GET_CURRENT, to: key) }
      if place < key, key &- place == 1 { return unsafe try move(MDB_NEXT, to: key) }
    }
    return unsafe try move(MDB_SET, to: key)
  }

  /// Moves the cursor; the value there, where it is the entry at `wanted`.
  private func move(
    _ operation: MDB_cursor_op, to wanted: UInt64
  ) throws(LMDBError) -> UnsafeBufferPointer<UInt8>? {
    var number = wanted
    var found = unsafe MDB_val()
    // SAFETY: the transaction runs; the key lives until the call returns, which keeps none of it. A
    // key that the engine answers lies in the map or a dirty page and is read at once.
    let status = unsafe withUnsafeMutablePointer(to: &number) { number -> Int32 in
      var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
      let status = unsafe mdb_cursor_get(pointer, &key, &found, operation)
      if status == 0, let answered = unsafe key.mv_data, unsafe key.mv_size == 8 {
        unsafe number.pointee = answered.loadUnaligned(as: UInt64.self)
      }
      return status
    }
    place = status == 0 ? number : nil
    // SAFETY: the engine answered these bytes; the types over this one bound their life.
    if status == 0 { return number == wanted ? unsafe found.bytes : nil }
    if status == MDB_NOTFOUND { return nil }
    throw LMDBError(status: status, in: .get)
  }

  /// `mdb_cursor_put`: the engine copies the value, and the cursor stands at it.
  ///
  /// The entry the cursor stands at is replaced without a search.
  func put(_ value: Span<UInt8>, at key: UInt64, flags: UInt32) throws(LMDBError) {
    var number = key
    let flags = place == key && flags == 0 ? UInt32(MDB_CURRENT) : flags
    place = nil
    // SAFETY: key and value live until the call returns; the engine copies both, and writes neither.
    let status = unsafe value.withUnsafeBufferPointer { bytes in
      unsafe withUnsafeMutablePointer(to: &number) { number in
        var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
        var data = unsafe MDB_val(
          mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        return unsafe mdb_cursor_put(pointer, &key, &data, flags)
      }
    }
    if status != 0 { throw LMDBError(status: status, in: .put) }
    place = key
  }
}
