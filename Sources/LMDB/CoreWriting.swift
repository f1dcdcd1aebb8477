internal import Synchronization

extension EnvironmentCore {
  /// Begins the one write transaction.
  func beginWrite(waitingAtMost limit: Duration?) throws(LMDBError) -> WriteTransaction {
    try checkUsable(.beginWrite)
    if options.isReadOnly { throw LMDBError(.readOnly, in: .beginWrite) }
    try acquireWriter(.beginWrite, until: limit.map { .now + $0 })
    do throws(LMDBError) {
      if gate.load(ordering: .sequentiallyConsistent) != Gate.open {
        try checkUsable(.beginWrite)
      }
      if try FileInformation(descriptor: environment.descriptor).links == 0 {
        throw LMDBError(.fileRemoved, in: .beginWrite)
      }
      growAhead()
      return WriteTransaction(try beginWriteAdopting(), of: self)
    } catch {
      writer.release()
      throw error
    }
  }

  /// Begins, after the size another process gave the file was adopted where that is in the way.
  private func beginWriteAdopting() throws(LMDBError) -> RawTransaction {
    do throws(LMDBError) {
      return try environment.beginWrite()
    } catch {
      guard error.code == .mapResized else { throw error }
      try exchangeMap(until: deadline, adoptedSize)
      return try environment.beginWrite()
    }
  }

  /// Names the cause of a write that the system cut short, which the engine calls an I/O error.
  func explain(_ error: LMDBError) -> LMDBError {
    guard error.code == .inputOutput, let limit = Descriptor.limit(environment.descriptor) else {
      return error
    }
    return LMDBError(limit, in: error.operation)
  }

  /// Ends the write transaction without a trace, on the thread that began it.
  func abortWrite(_ transaction: RawTransaction) {
    precondition(
      writer.isHeldByThisThread, "a write transaction ends on the thread that began it")
    transaction.abort()
    writer.release()
  }

  /// Ends the write transaction with `work`, on the thread that began it.
  func endWrite<Result>(
    _ work: () throws(LMDBError) -> Result
  ) throws(LMDBError) -> Result {
    precondition(
      writer.isHeldByThisThread, "a write transaction ends on the thread that began it")
    defer { writer.release() }
    return try work()
  }
}
