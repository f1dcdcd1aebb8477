internal import LMDB

/// The engine's handles of an image's tables.
struct ImageTables: Sendable {
  /// The handles in the order of `ImageTable.allCases`.
  let handles: [Table]

  /// The handles in the order of `ImageTable.allCases`.
  init(_ handles: [Table]) {
    precondition(handles.count == ImageTable.allCases.count)
    self.handles = handles
  }

  @inline(__always)
  subscript(table: ImageTable) -> Table { handles[Int(table.rawValue) - 1] }
}

extension ImageError {
  /// The engine's error in the image's words.
  init(_ error: LMDBError) {
    switch error.code {
    case .noSpace, .fileTooLarge: self = .diskFull
    case .mapFull, .mapAtMaximum: self = .limit("the file would grow past its limit")
    case .closed: self = .closed
    case .forked: self = .forked
    case .busy, .transactionsRunning, .wouldDeadlock, .readersFull: self = .busy("\(error)")
    case .noSuchFile: self = .notFound("\(error)")
    case .invalidFile, .versionMismatch, .symbolicLink, .notRegularFile, .incompatible:
      self = .foreign("\(error)")
    case .fileRemoved: self = .removed
    case .readOnly: self = .usage("the image was opened for reading only")
    case .permissionDenied, .readOnlyFileSystem: self = .unavailable("\(error)")
    case .corrupted, .pageNotFound, .panic: self = .damaged(Damage("engine", "\(error)"))
    default: self = .engine("\(error)")
    }
  }
}

/// Runs engine calls and gives their errors in the image's words.
@inline(__always)
func engine<Result: ~Copyable>(
  _ body: () throws(LMDBError) -> Result
) throws(ImageError) -> Result {
  do throws(LMDBError) {
    return try body()
  } catch {
    throw ImageError(error)
  }
}
