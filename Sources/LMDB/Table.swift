internal import Synchronization

/// A table of an open environment: unsigned 64-bit keys, a value each.
///
/// It stays valid as long as the environment is open, and serves transactions of that one alone.
public struct Table: Hashable, Sendable {
  @usableFromInline let handle: UInt32
  @usableFromInline let environment: UInt32

  init(handle: UInt32, environment: UInt32) {
    self.handle = handle
    self.environment = environment
  }
}

extension EnvironmentCore {
  /// The work of `Environment.openTables`.
  func openTables(_ names: [String], creating: Bool) throws(LMDBError) -> [Table] {
    try checkUsable(.openTable)
    if opening.acquire(until: deadline) != .acquired {
      throw LMDBError(.transactionsRunning, in: .openTable)
    }
    defer { opening.release() }
    try remember(reading(unknown(of: names)))
    let missing = unknown(of: names)
    if !missing.isEmpty {
      guard creating else { throw LMDBError(.notFound, in: .openTable) }
      try remember(making(missing))
    }
    return tables.withLock { tables in
      names.compactMap { name in tables[name].map { Table(handle: $0, environment: number) } }
    }
  }

  private func unknown(of names: [String]) -> [String] {
    tables.withLock { tables in names.filter { tables[$0] == nil } }
  }

  private func remember(_ opened: [String: UInt32]) {
    tables.withLock { $0.merge(opened) { _, new in new } }
  }

  /// Opens what is there. The transaction is committed, for an abort would close the handles.
  private func reading(_ names: [String]) throws(LMDBError) -> [String: UInt32] {
    if names.isEmpty { return [:] }
    let transaction = try beginCounted(in: extraReaders)
    defer { extraReaders.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
    return try open(names, in: transaction, creating: false)
  }

  private func making(_ names: [String]) throws(LMDBError) -> [String: UInt32] {
    let transaction = try beginWrite(waitingAtMost: nil)
    return try transaction.finish { (raw) throws(LMDBError) in
      try open(names, in: raw, creating: true)
    }
  }

  /// Opens tables and ends the transaction: a handle that outlives an abort is no handle.
  private func open(
    _ names: [String], in transaction: RawTransaction, creating: Bool
  ) throws(LMDBError) -> [String: UInt32] {
    var opened: [String: UInt32] = [:]
    do throws(LMDBError) {
      for name in names {
        opened[name] = try transaction.openTable(name, creating: creating)
      }
    } catch {
      transaction.abort()
      throw error
    }
    do throws(LMDBError) {
      try transaction.commit()
    } catch {
      throw explain(error)
    }
    return opened
  }
}
