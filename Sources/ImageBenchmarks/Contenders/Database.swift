import CSQLite

/// An SQLite database in WAL mode with synchronous NORMAL.
@safe
final class Database {
  // SAFETY: opened in `init` and closed in `deinit`, after its statements; used by one thread.
  fileprivate let pointer: OpaquePointer

  struct Failure: Error {
    var message: String
  }

  init(path: String) throws {
    var opened: OpaquePointer?
    // SAFETY (all of this file): pointers handed over live until the call returns; texts and blobs
    // that are bound are copied (SQLITE_TRANSIENT) or outlive the statement's reset; columns are
    // read before the next step.
    let status = unsafe sqlite3_open(path, &opened)
    guard status == SQLITE_OK, let opened = unsafe opened else {
      throw Failure(message: "it can't be opened (\(status))")
    }
    unsafe pointer = opened
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = NORMAL")
  }

  deinit {
    unsafe sqlite3_close_v2(pointer)
  }

  func run(_ statement: String) throws {
    let status = unsafe sqlite3_exec(pointer, statement, nil, nil, nil)
    if status != SQLITE_OK { throw failure() }
  }

  /// Runs `body` in one transaction.
  func transaction(_ body: () throws -> Void) throws {
    try run("BEGIN IMMEDIATE")
    do { try body() } catch {
      try run("ROLLBACK")
      throw error
    }
    try run("COMMIT")
  }

  fileprivate func failure() -> Failure {
    Failure(message: unsafe String(cString: sqlite3_errmsg(pointer)))
  }
}

/// A prepared statement.
@safe
final class Statement {
  // SAFETY: made in `init`, finalized in `deinit`, while the database is kept.
  private let pointer: OpaquePointer
  private let database: Database

  init(_ text: String, in database: Database) throws {
    var prepared: OpaquePointer?
    let status = unsafe sqlite3_prepare_v3(
      database.pointer, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard status == SQLITE_OK, let prepared = unsafe prepared else { throw database.failure() }
    unsafe pointer = prepared
    self.database = database
  }

  deinit {
    unsafe sqlite3_finalize(pointer)
  }

  /// Runs a write: `key`, and a value from `bytes`.
  func run(key: String, bytes: Span<UInt8>, isText: Bool = false) throws {
    try unsafe bytes.withUnsafeBufferPointer { buffer in
      bind(key)
      if isText {
        _ = unsafe buffer.withMemoryRebound(to: CChar.self) { text in
          unsafe sqlite3_bind_text(pointer, 2, text.baseAddress, Int32(text.count), nil)
        }
      } else {
        _ = unsafe sqlite3_bind_blob(pointer, 2, buffer.baseAddress, Int32(buffer.count), nil)
      }
      let status = unsafe sqlite3_step(pointer)
      _ = unsafe sqlite3_reset(pointer)
      if status != SQLITE_DONE { throw database.failure() }
    }
  }

  /// Runs a query for `key` and hands the first column's bytes to `body`.
  func read<Result>(key: String, _ body: (Span<UInt8>) throws -> Result) throws -> Result? {
    bind(key)
    defer { _ = unsafe sqlite3_reset(pointer) }
    let status = unsafe sqlite3_step(pointer)
    if status == SQLITE_DONE { return nil }
    guard status == SQLITE_ROW else { throw database.failure() }
    let start = unsafe sqlite3_column_blob(pointer, 0)
    let count = Int(unsafe sqlite3_column_bytes(pointer, 0))
    let bytes = unsafe UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: count)
    return try body(unsafe Span(_unsafeElements: bytes))
  }

  private func bind(_ key: String) {
    var key = key
    // SAFETY: a null destructor means that the text outlives the step, so it is copied instead.
    key.withUTF8 { text in
      unsafe text.withMemoryRebound(to: CChar.self) { text in
        _ = unsafe sqlite3_bind_text(
          pointer, 1, text.baseAddress, Int32(text.count),
          unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
    }
  }
}
