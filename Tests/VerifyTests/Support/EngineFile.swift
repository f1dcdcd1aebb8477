import CLMDB

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A failed call of the engine.
struct EngineFailure: Error {
  var code: CInt
}

/// Makes a file with the engine itself, so that what the tests read is what it writes.
enum EngineFile {
  /// A table's entries, in the order they are put.
  typealias Table = [(key: UInt64, value: [UInt8])]

  /// What one transaction does.
  struct Step {
    var puts: [(table: String, entries: Table)] = []
    var deletions: [(table: String, keys: [UInt64])] = []
    /// Flags the tables are made with.
    var flags = UInt32(MDB_INTEGERKEY)
  }

  /// Runs the steps, a transaction each, on a new file at `path`, which is then closed.
  static func make(at path: String, _ steps: [Step]) throws {
    _ = unsafe unlink(path)
    try extend(path, steps)
  }

  /// Runs the steps on the file at `path`.
  static func extend(_ path: String, _ steps: some Sequence<Step>) throws {
    var environment: OpaquePointer?
    // SAFETY: the handle is used between its creation and its close, by this function alone.
    try unsafe check(mdb_env_create(&environment))
    defer {
      unsafe mdb_env_close(environment)
      _ = unsafe unlink(path + "-lock")
    }
    try unsafe check(mdb_env_set_maxdbs(environment, 32))
    try unsafe check(mdb_env_set_mapsize(environment, 1 << 30))
    let flags = UInt32(MDB_NOSUBDIR) | UInt32(MDB_NOSYNC)
    try unsafe check(mdb_env_open(environment, path, flags, 0o600))
    for step in steps { unsafe try run(step, environment) }
  }

  @unsafe
  private static func run(_ step: Step, _ environment: OpaquePointer?) throws {
    var transaction: OpaquePointer?
    // SAFETY: the transaction ends below, and the engine copies keys and values in each put.
    try unsafe check(mdb_txn_begin(environment, nil, 0, &transaction))
    for (table, entries) in step.puts {
      var handle: MDB_dbi = 0
      try unsafe check(
        mdb_dbi_open(transaction, table, step.flags | UInt32(MDB_CREATE), &handle))
      for var (key, value) in entries {
        try unsafe withUnsafeMutableBytes(of: &key) { key in
          try unsafe value.withUnsafeMutableBytes { value in
            var key = unsafe MDB_val(mv_size: key.count, mv_data: key.baseAddress)
            var value = unsafe MDB_val(mv_size: value.count, mv_data: value.baseAddress)
            try unsafe check(mdb_put(transaction, handle, &key, &value, 0))
          }
        }
      }
    }
    for (table, keys) in step.deletions {
      var handle: MDB_dbi = 0
      try unsafe check(mdb_dbi_open(transaction, table, step.flags, &handle))
      for var key in keys {
        try unsafe withUnsafeMutableBytes(of: &key) { key in
          var key = unsafe MDB_val(mv_size: key.count, mv_data: key.baseAddress)
          let code = unsafe mdb_del(transaction, handle, &key, nil)
          if code != MDB_NOTFOUND { try check(code) }
        }
      }
    }
    try unsafe check(mdb_txn_commit(transaction))
  }

  private static func check(_ code: CInt) throws {
    if code != 0 { throw EngineFailure(code: code) }
  }
}
