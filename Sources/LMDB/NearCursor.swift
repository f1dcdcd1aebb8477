internal import CLMDB

/// The place of the last entry a writer used in one table.
///
/// Entries near it are found in its page, without a descent from the root: what is read and written
/// in order of keys costs a fraction. The engine keeps the place right across writes of its
/// transaction, and frees the cursor with it.
@safe
struct NearCursor {
  let table: UInt32
  private let pointer: OpaquePointer

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

  /// `mdb_cursor_get` with `MDB_SET`: bytes in the map or in a dirty page, there until the
  /// transaction writes or ends.
  func get(_ key: UInt64) throws(LMDBError) -> UnsafeBufferPointer<UInt8>? {
    var number = key
    var found = unsafe MDB_val()
    // SAFETY: the transaction runs; the key lives until the call returns, which keeps none of it.
    let status = unsafe withUnsafeMutablePointer(to: &number) { number in
      var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
      return unsafe mdb_cursor_get(pointer, &key, &found, MDB_SET)
    }
    if status == 0 {
      // SAFETY: the engine answered these bytes; the types over this one bound their life.
      return unsafe found.bytes
    }
    if status == MDB_NOTFOUND { return nil }
    throw LMDBError(status: status, in: .get)
  }

  /// `mdb_cursor_put`: the engine copies the value.
  func put(_ value: Span<UInt8>, at key: UInt64, flags: UInt32) throws(LMDBError) {
    var number = key
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
  }
}
