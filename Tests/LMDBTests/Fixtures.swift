import LMDB

extension Environment {
  /// One write transaction: committed when `work` returns, aborted when it throws.
  func commit(_ work: (inout WriteTransaction) throws(LMDBError) -> Void) throws(LMDBError) {
    var transaction = try write()
    try work(&transaction)
    try transaction.commit()
  }

  /// The value at `key` in the newest commit, copied.
  func value(at key: UInt64, in table: Table) throws(LMDBError) -> [UInt8]? {
    let transaction = try read()
    if let span = try transaction.value(at: key, in: table) { return [UInt8](copying: span) }
    return nil
  }
}

extension [UInt8] {
  init(copying span: Span<UInt8>) {
    self = span.indices.map { span[$0] }
  }
}
