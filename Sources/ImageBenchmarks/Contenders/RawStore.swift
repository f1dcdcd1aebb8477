import BatonImage
import CLMDB

/// LMDB in C calls, with an image's rows and a plain index of them by hash, and nothing else: what the
/// engine alone costs.
@safe
final class RawStore {
  // SAFETY: opened in `init`, closed in `deinit`, used by one thread; transactions end before.
  private let environment: OpaquePointer
  private let records: UInt32
  private let ids: UInt32

  struct Failure: Error {
    var status: Int32
  }

  init(path: String, isSynchronous: Bool) throws {
    var created: OpaquePointer?
    // SAFETY (all of this file): pointers handed to the engine live until the call returns, the
    // engine copies what it keeps, and bytes it answers are read before the transaction ends.
    try Self.check(unsafe mdb_env_create(&created))
    guard let environment = unsafe created else { throw Failure(status: 0) }
    unsafe self.environment = environment
    _ = unsafe mdb_env_set_maxdbs(environment, 16)
    _ = unsafe mdb_env_set_mapsize(environment, 16 << 30)
    let flags = UInt32(MDB_NOSUBDIR) | (isSynchronous ? 0 : UInt32(MDB_NOSYNC))
    try Self.check(unsafe mdb_env_open(environment, path, flags, 0o600))
    var transaction: OpaquePointer?
    try Self.check(unsafe mdb_txn_begin(environment, nil, 0, &transaction))
    var (records, ids) = (UInt32(0), UInt32(0))
    let kind = UInt32(MDB_INTEGERKEY) | UInt32(MDB_CREATE)
    try Self.check(unsafe mdb_dbi_open(transaction, "records", kind, &records))
    try Self.check(unsafe mdb_dbi_open(transaction, "ids", kind, &ids))
    try Self.check(unsafe mdb_txn_commit(transaction))
    self.records = records
    self.ids = ids
  }

  deinit {
    unsafe mdb_env_close(environment)
  }

  private static func check(_ status: Int32) throws {
    if status != 0 { throw Failure(status: status) }
  }

  /// Copies an image's rows and indexes them.
  func fill(from snapshot: borrowing Snapshot) throws {
    let rows = try RowList(snapshot, table: .records)
    try put(rows, into: records, flags: UInt32(MDB_APPEND))
    try put(rows.index(), into: ids, flags: UInt32(MDB_APPEND))
  }

  /// Writes rows in one transaction.
  func write(_ rows: RowList) throws {
    try put(rows, into: records, flags: 0)
  }

  /// Whether the store has rows as they are, in one read transaction.
  func holds(_ rows: RowList) throws -> Bool {
    var transaction: OpaquePointer?
    try Self.check(unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
    defer { unsafe mdb_txn_abort(transaction) }
    return try unsafe rows.bytes.withUnsafeBufferPointer { bytes in
      for row in rows.rows {
        let found = unsafe try Self.find(transaction, records, row.key)
        let expected = unsafe UnsafeRawBufferPointer(
          rebasing: UnsafeRawBufferPointer(bytes)[row.range])
        let value = unsafe UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size)
        guard value.count == expected.count, unsafe value.elementsEqual(expected)
        else { return false }
      }
      return true
    }
  }

  private func put(_ rows: RowList, into table: UInt32, flags: UInt32) throws {
    var transaction: OpaquePointer?
    try Self.check(unsafe mdb_txn_begin(environment, nil, 0, &transaction))
    try unsafe rows.bytes.withUnsafeBufferPointer { bytes in
      for row in rows.rows {
        var number = row.key
        try unsafe withUnsafeMutablePointer(to: &number) { number in
          var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
          let start = unsafe bytes.baseAddress.map { unsafe $0 + row.range.lowerBound }
          var value = unsafe MDB_val(
            mv_size: row.range.count, mv_data: UnsafeMutableRawPointer(mutating: start))
          try Self.check(unsafe mdb_put(transaction, table, &key, &value, flags))
        }
      }
    }
    try Self.check(unsafe mdb_txn_commit(transaction))
  }

  /// Gets the index entry and the row of each key, in one transaction; the bytes of the rows.
  func get(_ keys: [(hash: UInt64, number: UInt64)]) throws -> Int {
    var transaction: OpaquePointer?
    try Self.check(unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
    defer { unsafe mdb_txn_abort(transaction) }
    var total = 0
    for key in keys {
      total += unsafe try Self.get(transaction, ids, key.hash)
      total += unsafe try Self.get(transaction, records, key.number)
    }
    return total
  }

  private static func get(
    _ transaction: OpaquePointer?, _ table: UInt32, _ key: UInt64
  ) throws -> Int {
    unsafe try find(transaction, table, key).mv_size
  }

  private static func find(
    _ transaction: OpaquePointer?, _ table: UInt32, _ key: UInt64
  ) throws -> MDB_val {
    var number = key
    var found = unsafe MDB_val()
    try unsafe withUnsafeMutablePointer(to: &number) { number in
      var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(number))
      try check(unsafe mdb_get(transaction, table, &key, &found))
    }
    return unsafe found
  }

  /// Opens an environment, gets one row by its hash, and closes.
  static func openAndGet(path: String, hash: UInt64, number: UInt64) throws -> Int {
    var environment: OpaquePointer?
    try check(unsafe mdb_env_create(&environment))
    defer { unsafe mdb_env_close(environment) }
    _ = unsafe mdb_env_set_maxdbs(environment, 16)
    _ = unsafe mdb_env_set_mapsize(environment, 16 << 30)
    let flags = UInt32(MDB_NOSUBDIR) | UInt32(MDB_NOSYNC)
    try check(unsafe mdb_env_open(environment, path, flags, 0o600))
    var transaction: OpaquePointer?
    try check(unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
    defer { unsafe mdb_txn_abort(transaction) }
    var (records, ids) = (UInt32(0), UInt32(0))
    try check(unsafe mdb_dbi_open(transaction, "records", UInt32(MDB_INTEGERKEY), &records))
    try check(unsafe mdb_dbi_open(transaction, "ids", UInt32(MDB_INTEGERKEY), &ids))
    return unsafe try get(transaction, ids, hash) + get(transaction, records, number)
  }
}
