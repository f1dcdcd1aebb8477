/// A failure of the engine, of the system under it, or of a call's use.
///
/// It names what went wrong and which call said so. Codes of the engine are kept one to one;
/// numbers of the system that a caller acts on have names, the others stay numbers.
public struct LMDBError: Error, Equatable, Sendable {
  /// What went wrong.
  public var code: Code

  /// The call that failed.
  public var operation: Operation

  public init(_ code: Code, in operation: Operation) {
    self.code = code
    self.operation = operation
  }

  /// The error of a C call's status, which isn't zero.
  @usableFromInline
  package init(status: Int32, in operation: Operation) {
    self.init(Code(status: status), in: operation)
  }
}

extension LMDBError: CustomStringConvertible {
  public var description: String { "\(operation.rawValue): \(code)" }
}

extension LMDBError {
  /// The call that failed: a function of the engine or of the system by its C name, or ours.
  public enum Operation: String, Sendable {
    case createEnvironment = "mdb_env_create"
    case openEnvironment = "mdb_env_open"
    case configureEnvironment = "mdb_env_set"
    case setMapSize = "mdb_env_set_mapsize"
    case environmentInformation = "mdb_env_info"
    case synchronize = "mdb_env_sync"
    case copyEnvironment = "mdb_env_copyfd2"
    case checkReaders = "mdb_reader_check"
    case beginRead = "mdb_txn_begin (read)"
    case renewRead = "mdb_txn_renew"
    case beginWrite = "mdb_txn_begin (write)"
    case commit = "mdb_txn_commit"
    case openTable = "mdb_dbi_open"
    case tableStatistics = "mdb_stat"
    case get = "mdb_get"
    case put = "mdb_put"
    case delete = "mdb_del"
    case clear = "mdb_drop"
    case openCursor = "mdb_cursor_open"
    case moveCursor = "mdb_cursor_get"
    case examineFile = "lstat"
    case openFile = "open"
    case readFile = "pread"
    case writeFile = "pwrite"
    case flushFile = "fsync"
    case createFile = "link"
    case open = "Environment.open"
    case close = "Environment.close"
    case grow = "Environment.grow"
    case useOfTransaction = "use of a transaction"
  }
}
