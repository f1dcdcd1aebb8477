internal import CLMDB

/// The engine's environment: its C functions, one to one, with statuses thrown.
///
/// Copies share one C object. `EnvironmentCore` owns it, and closes it once, after everything that
/// was begun on it has ended.
@safe
struct RawEnvironment {
  private let pointer: OpaquePointer

  /// `mdb_env_create`.
  init() throws(LMDBError) {
    var created: OpaquePointer?
    // SAFETY: the pointer is written before the call returns, and `created` outlives the call.
    let status = unsafe mdb_env_create(&created)
    guard status == 0, let created = unsafe created else {
      throw LMDBError(status: status, in: .createEnvironment)
    }
    unsafe pointer = created
  }

  func configure(tables: Int, readers: Int, mapSize: Int) throws(LMDBError) {
    // SAFETY: `pointer` is a created environment that wasn't opened.
    let statuses = unsafe [
      mdb_env_set_maxdbs(pointer, UInt32(clamping: tables)),
      mdb_env_set_maxreaders(pointer, UInt32(clamping: readers)),
      mdb_env_set_mapsize(pointer, mapSize),
    ]
    if let status = statuses.first(where: { $0 != 0 }) {
      throw LMDBError(status: status, in: .configureEnvironment)
    }
  }

  /// `mdb_env_open`; the files it makes are the owner's alone.
  ///
  /// After a failure the environment has to be closed.
  func open(path: String, flags: Int32) throws(LMDBError) {
    // SAFETY: the C string lives until the call returns; the engine keeps a copy.
    let status = unsafe mdb_env_open(pointer, path, UInt32(bitPattern: flags), 0o600)
    if status != 0 { throw LMDBError(status: status, in: .openEnvironment) }
  }

  /// `mdb_env_close`; nothing begun on it may be alive, and no copy may be used after it.
  func close() {
    // SAFETY: the caller is the one owner, and has ended what was begun.
    unsafe mdb_env_close(pointer)
  }

  /// The descriptor of the data file; the engine's, not to be closed.
  var descriptor: Int32 {
    var descriptor: Int32 = -1
    // SAFETY: the environment is open, the number is written before the call returns.
    _ = unsafe mdb_env_get_fd(pointer, &descriptor)
    return descriptor
  }

  private var information: MDB_envinfo {
    var information = unsafe MDB_envinfo()
    // SAFETY: the environment is open; the structure is filled before the call returns.
    _ = unsafe mdb_env_info(pointer, &information)
    return unsafe information
  }

  // SAFETY (all below): numbers are copied out of the structure.
  var mapSize: Int { unsafe information.me_mapsize }
  var lastPage: Int { unsafe information.me_last_pgno }
  var lastTransaction: Int { unsafe information.me_last_txnid }
  var maximumReaders: Int { unsafe Int(information.me_maxreaders) }
  var usedReaders: Int { unsafe Int(information.me_numreaders) }

  var pageSize: Int {
    var statistics = MDB_stat()
    // SAFETY: the environment is open; the structure is filled before the call returns.
    _ = unsafe mdb_env_stat(pointer, &statistics)
    return Int(statistics.ms_psize)
  }

  /// `mdb_env_set_mapsize` on an open environment; no transaction may use the map.
  func setMapSize(_ size: Int) throws(LMDBError) {
    // SAFETY: the caller holds the gate: nobody in this process reads the map.
    let status = unsafe mdb_env_set_mapsize(pointer, size)
    if status != 0 { throw LMDBError(status: status, in: .setMapSize) }
  }

  /// `mdb_env_sync`, forced.
  func synchronize() throws(LMDBError) {
    // SAFETY: the environment is open.
    let status = unsafe mdb_env_sync(pointer, 1)
    if status != 0 { throw LMDBError(status: status, in: .synchronize) }
  }

  /// `mdb_reader_check`; how many slots of dead processes were freed.
  func clearDeadReaders() throws(LMDBError) -> Int {
    var dead: Int32 = 0
    // SAFETY: the environment is open, the number is written before the call returns.
    let status = unsafe mdb_reader_check(pointer, &dead)
    if status != 0 { throw LMDBError(status: status, in: .checkReaders) }
    return Int(dead)
  }

  /// The lines of `mdb_reader_list`; nil where it fails.
  func readerLines() -> [String]? {
    var lines: [String] = []
    // SAFETY: the environment is open; the engine calls back before it returns, with the array it was
    // handed and a C string that lives until the callback returns.
    let status = unsafe withUnsafeMutablePointer(to: &lines) { place in
      unsafe mdb_reader_list(
        pointer,
        { text, context in
          guard let text = unsafe text, let context = unsafe context else { return -1 }
          unsafe context.assumingMemoryBound(to: [String].self).pointee
            .append(String(cString: text))
          return 0
        }, UnsafeMutableRawPointer(place))
    }
    return status < 0 ? nil : lines
  }

  /// `mdb_env_copyfd2`.
  func copy(to descriptor: Int32, compacting: Bool) throws(LMDBError) {
    let flags = compacting ? UInt32(MDB_CP_COMPACT) : 0
    // SAFETY: the environment is open; the descriptor is the caller's, open for writing.
    let status = unsafe mdb_env_copyfd2(pointer, descriptor, flags)
    if status != 0 { throw LMDBError(status: status, in: .copyEnvironment) }
  }

  func beginRead() throws(LMDBError) -> RawTransaction {
    try begin(flags: UInt32(MDB_RDONLY), operation: .beginRead)
  }

  func beginWrite() throws(LMDBError) -> RawTransaction {
    try begin(flags: 0, operation: .beginWrite)
  }

  private func begin(
    flags: UInt32, operation: LMDBError.Operation
  ) throws(LMDBError) -> RawTransaction {
    var begun: OpaquePointer?
    // SAFETY: the environment is open; the pointer is written before the call returns.
    let status = unsafe mdb_txn_begin(pointer, nil, flags, &begun)
    guard status == 0, let begun = unsafe begun else {
      throw LMDBError(status: status, in: operation)
    }
    return unsafe RawTransaction(begun)
  }
}
