public import CLMDB

/// The engine's transaction: its C functions, one to one, with statuses thrown.
///
/// Copies share one C object. `ReadTransaction`, `WriteTransaction` and the reader slots own it and
/// end it once.
@safe @usableFromInline
struct RawTransaction {
  static let append = UInt32(MDB_APPEND)

  @usableFromInline let pointer: OpaquePointer

  @unsafe
  init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  // MARK: Its life

  /// `mdb_txn_id`: of a reader the commit it sees, of a writer the commit it will be.
  // SAFETY: the owner hasn't ended the transaction.
  var id: Int { unsafe Int(bitPattern: UInt(mdb_txn_id(pointer))) }

  /// `mdb_txn_reset`: the reader lets go of its snapshot and keeps its slot.
  func reset() {
    // SAFETY: a running reader; nothing read through it is alive, by the types over this one.
    unsafe mdb_txn_reset(pointer)
  }

  /// `mdb_txn_renew`: zero, or a status; after a failure the reader is as reset as it was.
  func renew() -> Int32 {
    // SAFETY: a reader that was reset.
    unsafe mdb_txn_renew(pointer)
  }

  /// `mdb_txn_abort`; no copy may be used after it.
  func abort() {
    // SAFETY: the owner ends it here, once; cursors on it are closed, by their types.
    unsafe mdb_txn_abort(pointer)
  }

  /// `mdb_txn_commit`; whether it fails or not, no copy may be used after it.
  func commit() throws(LMDBError) {
    // SAFETY: the owner ends it here, once; cursors on it are closed, by their types.
    let status = unsafe mdb_txn_commit(pointer)
    if status != 0 { throw LMDBError(status: status, in: .commit) }
  }

  // MARK: Tables

  /// `mdb_dbi_open` for a table of 8-byte integer keys, or nil where there is none.
  ///
  /// A table of another kind is `incompatible`: the engine itself would take it as it is.
  func openTable(_ name: String, creating: Bool) throws(LMDBError) -> UInt32? {
    var table: UInt32 = 0
    let flags = UInt32(MDB_INTEGERKEY) | (creating ? UInt32(MDB_CREATE) : 0)
    // SAFETY: the transaction runs; the C string lives until the call returns, the engine copies it.
    let status = unsafe mdb_dbi_open(pointer, name, flags, &table)
    if status == MDB_NOTFOUND { return nil }
    if status != 0 { throw LMDBError(status: status, in: .openTable) }
    var kind: UInt32 = 0
    // SAFETY: the transaction runs, and has the table.
    let answer = unsafe mdb_dbi_flags(pointer, table, &kind)
    if answer != 0 { throw LMDBError(status: answer, in: .openTable) }
    if kind != UInt32(MDB_INTEGERKEY) { throw LMDBError(.incompatible, in: .openTable) }
    return table
  }

  func statistics(of table: UInt32) throws(LMDBError) -> MDB_stat {
    var statistics = MDB_stat()
    // SAFETY: the transaction runs; the structure is filled before the call returns.
    let status = unsafe mdb_stat(pointer, table, &statistics)
    if status != 0 { throw LMDBError(status: status, in: .tableStatistics) }
    return statistics
  }

  // MARK: Values

  /// `mdb_get`: bytes in the map or in a dirty page, there until the transaction writes or ends.
  @inlinable
  func get(_ key: UInt64, table: UInt32) throws(LMDBError) -> UnsafeBufferPointer<UInt8>? {
    var number = key
    var found = unsafe MDB_val()
    // SAFETY: the transaction runs; the key lives until the call returns, which keeps none of it.
    let status = unsafe withUnsafeMutablePointer(to: &number) { number in
      var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
      return unsafe mdb_get(pointer, table, &key, &found)
    }
    if status == 0 {
      // SAFETY: the engine answered these bytes; the types over this one bound their life.
      return unsafe found.bytes
    }
    if status == MDB_NOTFOUND { return nil }
    throw LMDBError(status: status, in: .get)
  }

  /// `mdb_put`: the engine copies the value.
  @inlinable
  func put(
    _ value: Span<UInt8>, at key: UInt64, table: UInt32, flags: UInt32
  ) throws(LMDBError) {
    var number = key
    // SAFETY: key and value live until the call returns; the engine copies both, and writes neither.
    let status = unsafe value.withUnsafeBufferPointer { bytes in
      unsafe withUnsafeMutablePointer(to: &number) { number in
        var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
        var data = unsafe MDB_val(
          mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        return unsafe mdb_put(pointer, table, &key, &data, flags)
      }
    }
    if status != 0 { throw LMDBError(status: status, in: .put) }
  }

  /// `mdb_put` with `MDB_RESERVE`: room for a value, its bytes of no known content.
  @inlinable
  func reserve(
    count: Int, at key: UInt64, table: UInt32, flags: UInt32
  ) throws(LMDBError) -> UnsafeMutableBufferPointer<UInt8> {
    var number = key
    var data = unsafe MDB_val(mv_size: count, mv_data: nil)
    // SAFETY: the key lives until the call returns; the room is in a dirty page of the transaction.
    let status = unsafe withUnsafeMutablePointer(to: &number) { number in
      var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
      return unsafe mdb_put(pointer, table, &key, &data, flags | UInt32(MDB_RESERVE))
    }
    if status != 0 { throw LMDBError(status: status, in: .put) }
    // SAFETY: the engine answered these bytes; the types over this one bound their life.
    return unsafe UnsafeMutableBufferPointer(
      start: data.mv_data?.assumingMemoryBound(to: UInt8.self), count: count)
  }

  /// `mdb_del`: whether there was something to delete.
  @inlinable
  func delete(_ key: UInt64, table: UInt32) throws(LMDBError) -> Bool {
    var number = key
    // SAFETY: the transaction runs; the key lives until the call returns, which keeps none of it.
    let status = unsafe withUnsafeMutablePointer(to: &number) { number in
      var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
      return unsafe mdb_del(pointer, table, &key, nil)
    }
    if status == 0 { return true }
    if status == MDB_NOTFOUND { return false }
    throw LMDBError(status: status, in: .delete)
  }

  /// `mdb_drop` that keeps the table.
  func clear(table: UInt32) throws(LMDBError) {
    // SAFETY: the transaction runs.
    let status = unsafe mdb_drop(pointer, table, 0)
    if status != 0 { throw LMDBError(status: status, in: .clear) }
  }

  /// `mdb_cursor_open`.
  func openCursor(table: UInt32) throws(LMDBError) -> OpaquePointer {
    var opened: OpaquePointer?
    // SAFETY: the transaction runs; the pointer is written before the call returns.
    let status = unsafe mdb_cursor_open(pointer, table, &opened)
    guard status == 0, let opened = unsafe opened else {
      throw LMDBError(status: status, in: .openCursor)
    }
    return unsafe opened
  }
}

extension MDB_val {
  /// The bytes a value of the engine's names.
  @inlinable
  var bytes: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(
      start: mv_data?.assumingMemoryBound(to: UInt8.self), count: mv_size)
  }
}
