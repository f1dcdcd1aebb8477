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
  /// A table that was opened, by its name. Few, so they are kept in lists.
  struct OpenTable {
    let name: String
    let handle: UInt32
  }

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
      names.compactMap { name in
        let known = tables.first { $0.name == name }
        return known.map { Table(handle: $0.handle, environment: number) }
      }
    }
  }

  private func unknown(of names: [String]) -> [String] {
    tables.withLock { tables in
      names.filter { name in !tables.contains { $0.name == name } }
    }
  }

  private func remember(_ opened: [OpenTable]) {
    tables.withLock { $0 += opened }
  }

  /// Opens what is there. The transaction is committed, for an abort would close the handles.
  private func reading(_ names: [String]) throws(LMDBError) -> [OpenTable] {
    if names.isEmpty { return [] }
    let transaction = try beginCounted(in: extraReaders)
    defer { extraReaders.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
    return try open(names, in: transaction, creating: false)
  }

  private func making(_ names: [String]) throws(LMDBError) -> [OpenTable] {
    let transaction = try beginWrite(waitingAtMost: nil)
    return try transaction.finish { (raw) throws(LMDBError) in
      try open(names, in: raw, creating: true)
    }
  }

  /// Opens tables and ends the transaction: a handle that outlives an abort is no handle.
  private func open(
    _ names: [String], in transaction: RawTransaction, creating: Bool
  ) throws(LMDBError) -> [OpenTable] {
    var opened: [OpenTable] = []
    do throws(LMDBError) {
      for name in names {
        guard let handle = try transaction.openTable(name, creating: creating) else { continue }
        opened.append(OpenTable(name: name, handle: handle))
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
