internal import CLMDB

/// How many pages the engine's own books say a commit wrote.
///
/// A commit writes a page for each one it replaced or added: the pages in use after it, less those
/// before, and those it freed. Pages taken and given up within one transaction count as well, though
/// the engine doesn't write them.
extension RawTransaction {
  /// The engine's own tables: free pages and names.
  private static let free: UInt32 = 0
  private static let names: UInt32 = 1

  /// The pages of the tables given and of the engine's own.
  func pagesInUse(of tables: [UInt32]) throws(LMDBError) -> Int {
    var count = 0
    for table in [Self.free, Self.names] + tables {
      let pages = Table.Statistics(try statistics(of: table))
      count += pages.branchPages + pages.leafPages + pages.overflowPages
    }
    return count
  }

  /// The pages that a transaction freed, as this reader sees them; 0 when they are in use again.
  func pagesFreed(by transaction: Int) throws(LMDBError) -> Int {
    var cursor: OpaquePointer?
    // SAFETY: a running reader; the engine lets readers walk the table of free pages.
    let opened = unsafe mdb_cursor_open(pointer, Self.free, &cursor)
    guard opened == 0, let cursor = unsafe cursor else {
      throw LMDBError(status: opened, in: .openCursor)
    }
    // SAFETY: opened above, closed here, once.
    defer { unsafe mdb_cursor_close(cursor) }
    var number = UInt64(transaction)
    var value = unsafe MDB_val()
    // SAFETY: key and value live until the call returns; what it points to is read before the
    // reader ends.
    let status = unsafe withUnsafeMutablePointer(to: &number) { place -> Int32 in
      var key = unsafe MDB_val(mv_size: 8, mv_data: UnsafeMutableRawPointer(place))
      return unsafe mdb_cursor_get(cursor, &key, &value, MDB_SET)
    }
    if status == MDB_NOTFOUND { return 0 }
    if status != 0 { throw LMDBError(status: status, in: .moveCursor) }
    guard unsafe value.mv_size >= 8, let data = unsafe value.mv_data else { return 0 }
    return Int(truncatingIfNeeded: unsafe data.loadUnaligned(as: UInt64.self))
  }
}

extension WriteTransaction {
  /// The pages of the tables given and of the engine's own, as the transaction sees them.
  public func pagesInUse(of tables: [Table]) throws(LMDBError) -> Int {
    try raw.pagesInUse(of: tables.map(\.handle))
  }
}

extension ReadTransaction {
  /// The pages of the tables given and of the engine's own, as the transaction sees them.
  public func pagesInUse(of tables: [Table]) throws(LMDBError) -> Int {
    try raw.pagesInUse(of: tables.map(\.handle))
  }

  /// The pages that a transaction freed; 0 when they are in use again.
  public func pagesFreed(by transaction: Int) throws(LMDBError) -> Int {
    try raw.pagesFreed(by: transaction)
  }
}
