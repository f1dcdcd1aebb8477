internal import CLMDB

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension LMDBError {
  /// What went wrong, in three families: codes of the engine, numbers of the system, and refusals of
  /// this module.
  public enum Code: Hashable, Sendable {
    // MARK: The engine's, one to one

    /// `MDB_KEYEXIST`: an append that isn't above the last key.
    case keyExists
    /// `MDB_NOTFOUND`: no such key, or no such table.
    case notFound
    /// `MDB_PAGE_NOTFOUND`: a page is named that isn't there; the file is damaged.
    case pageNotFound
    /// `MDB_CORRUPTED`: a page of the wrong kind; the file is damaged.
    case corrupted
    /// `MDB_PANIC`: an earlier write to the meta page failed; only closing helps.
    case panic
    /// `MDB_VERSION_MISMATCH`: a file of another version of the engine.
    case versionMismatch
    /// `MDB_INVALID`: not a file of the engine.
    case invalidFile
    /// `MDB_MAP_FULL`: the map has no room for the transaction.
    case mapFull
    /// `MDB_DBS_FULL`: more tables than `Options.maximumTables`.
    case tablesFull
    /// `MDB_READERS_FULL`: more readers than `Options.maximumReaders`, dead ones not counted.
    case readersFull
    /// `MDB_TLS_FULL`: no thread-local key is left.
    case threadStorageFull
    /// `MDB_TXN_FULL`: the transaction has too many dirty pages.
    case transactionFull
    /// `MDB_CURSOR_FULL`: the tree is deeper than a cursor can be.
    case cursorFull
    /// `MDB_PAGE_FULL`: a page has no room; an error inside the engine.
    case pageFull
    /// `MDB_MAP_RESIZED`: another process grew the file past this process's map.
    case mapResized
    /// `MDB_INCOMPATIBLE`: the table isn't of the kind asked for.
    case incompatible
    /// `MDB_BAD_RSLOT`: a reader slot is in use by another owner.
    case badReaderSlot
    /// `MDB_BAD_TXN`: the transaction failed earlier and can only be ended.
    case badTransaction
    /// `MDB_BAD_VALSIZE`: a key or a value of a size that can't be stored.
    case badValueSize
    /// `MDB_BAD_DBI`: the table isn't one of this transaction's environment.
    case badTable

    // MARK: The system's

    /// `ENOENT`: no such file or folder.
    case noSuchFile
    /// `ENOSPC` or `EDQUOT`: the disk or the quota is full.
    case noSpace
    /// `EFBIG`: the file would pass a limit on its size.
    case fileTooLarge
    /// `EACCES` or `EPERM`.
    case permissionDenied
    /// `EROFS`.
    case readOnlyFileSystem
    /// `EMFILE` or `ENFILE`.
    case tooManyOpenFiles
    /// `EIO`.
    case inputOutput
    /// `ENOMEM`: no memory, or no address space for the map.
    case outOfMemory
    /// `EAGAIN` or `EBUSY`: somebody else holds it now; trying again may help.
    case busy
    /// `EINVAL`.
    case invalidArgument
    /// Any other number of the system.
    case other(Int32)

    // MARK: This module's refusals

    /// The environment was closed.
    case closed
    /// The environment was opened by the process this one was forked from.
    case forked
    /// The path, or its lock file's, ends in a symbolic link.
    case symbolicLink
    /// The path, or its lock file's, names something that isn't a regular file.
    case notRegularFile
    /// The file is open in this process with options that this call can't share.
    case incompatibleOptions
    /// The environment was opened for reading only.
    case readOnly
    /// The file was removed or replaced under its path; what is written would be lost.
    case fileRemoved
    /// Transactions of this process still ran when the limit for waiting for them was reached.
    case transactionsRunning
    /// This thread holds a write transaction, so waiting for it would never end.
    case wouldDeadlock
    /// The map is as large as `Options.maximumMapSize` allows.
    case mapAtMaximum
    /// The caller's examination of the file refused it.
    case refused
  }
}

extension LMDBError.Code {
  private static let ofEngine: [Int32: Self] = [
    MDB_KEYEXIST: .keyExists, MDB_NOTFOUND: .notFound, MDB_PAGE_NOTFOUND: .pageNotFound,
    MDB_CORRUPTED: .corrupted, MDB_PANIC: .panic, MDB_VERSION_MISMATCH: .versionMismatch,
    MDB_INVALID: .invalidFile, MDB_MAP_FULL: .mapFull, MDB_DBS_FULL: .tablesFull,
    MDB_READERS_FULL: .readersFull, MDB_TLS_FULL: .threadStorageFull,
    MDB_TXN_FULL: .transactionFull, MDB_CURSOR_FULL: .cursorFull, MDB_PAGE_FULL: .pageFull,
    MDB_MAP_RESIZED: .mapResized, MDB_INCOMPATIBLE: .incompatible,
    MDB_BAD_RSLOT: .badReaderSlot, MDB_BAD_TXN: .badTransaction,
    MDB_BAD_VALSIZE: .badValueSize, MDB_BAD_DBI: .badTable,
  ]

  private static let ofSystem: [Int32: Self] = [
    ENOENT: .noSuchFile, ENOSPC: .noSpace, EDQUOT: .noSpace, EFBIG: .fileTooLarge,
    EACCES: .permissionDenied, EPERM: .permissionDenied, EROFS: .readOnlyFileSystem,
    EMFILE: .tooManyOpenFiles, ENFILE: .tooManyOpenFiles, EIO: .inputOutput,
    ENOMEM: .outOfMemory, EAGAIN: .busy, EBUSY: .busy, EINVAL: .invalidArgument,
    ELOOP: .symbolicLink,
  ]

  /// The code of a C call's status; a status without a name stays a number.
  init(status: Int32) {
    self = Self.ofEngine[status] ?? Self.ofSystem[status] ?? .other(status)
  }

  /// The number this code stands for in C, or nil for a refusal of this module.
  var status: Int32? {
    if case .other(let status) = self { return status }
    if let engine = Self.ofEngine.first(where: { $0.value == self }) { return engine.key }
    let system = Self.ofSystem.filter { $0.value == self && self != .symbolicLink }
    return system.keys.min()
  }
}

extension LMDBError.Code: CustomStringConvertible {
  /// The engine's or the system's own words, or this module's for its refusals.
  public var description: String {
    if let status {
      // SAFETY: mdb_strerror answers a static or thread-local C string, copied before any other call.
      return unsafe String(cString: mdb_strerror(status))
    }
    return switch self {
    case .closed: "the environment is closed"
    case .forked: "the environment belongs to the process this one was forked from"
    case .symbolicLink: "the path ends in a symbolic link"
    case .notRegularFile: "not a regular file"
    case .incompatibleOptions: "the file is open in this process with other options"
    case .readOnly: "the environment was opened for reading only"
    case .fileRemoved: "the file was removed or replaced under its path"
    case .transactionsRunning: "transactions of this process are still running"
    case .wouldDeadlock: "this thread holds a write transaction"
    case .mapAtMaximum: "the map has its maximum size"
    case .refused: "the examination of the file refused it"
    default: "an error without a number"
    }
  }
}
