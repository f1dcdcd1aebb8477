internal import Synchronization

extension EnvironmentCore {
  /// Begins the one write transaction.
  func beginWrite(
    waitingAtMost limit: Duration?, into record: WriteRecord? = nil
  ) throws(LMDBError) -> WriteTransaction {
    try checkUsable(.beginWrite)
    if options.isReadOnly { throw LMDBError(.readOnly, in: .beginWrite) }
    let deadline = limit.map { ContinuousClock.now + $0 }
    try acquireWriter(.beginWrite, until: deadline)
    let hasTurn: Bool
    do throws(LMDBError) {
      if gate.load(ordering: .sequentiallyConsistent) != Gate.open {
        try checkUsable(.beginWrite)
      }
      try checkName()
      hasTurn = try takeTurn(until: deadline)
    } catch {
      writer.release()
      throw error
    }
    do throws(LMDBError) {
      growAhead()
      return WriteTransaction(
        try beginWriteAdopting(), of: self, into: hasTurn ? record : nil)
    } catch {
      giveUpTurn()
      writer.release()
      throw error
    }
  }

  /// Throws where the path no longer leads to this file: at once where the file has no name left, as
  /// when it was removed or another was put in its place; within `nameWait` where it has another.
  ///
  /// Until then a file that was moved is written to as if it had been moved a moment later.
  private func checkName() throws(LMDBError) {
    let now = ContinuousClock.now
    if let seen = nameSeen.withLock({ $0 }), now - seen < Self.nameWait,
      try FileInformation(descriptor: environment.descriptor).links > 0
    {
      return
    }
    try lookUpName()
    nameSeen.withLock { $0 = now }
  }

  /// How long a file that was moved may be taken for where it was: its path is looked up anew then,
  /// which costs ten times what a look at the open file does.
  private static let nameWait = Duration.milliseconds(50)

  private func lookUpName() throws(LMDBError) {
    let found: FileIdentity?
    do throws(LMDBError) { found = try FileInformation(path: path)?.identity } catch {
      guard [.symbolicLink, .notRegularFile].contains(error.code) else { throw error }
      found = nil
    }
    if found != identity { throw LMDBError(.fileRemoved, in: .beginWrite) }
  }

  /// Takes the lock by which writers of several processes take turns.
  ///
  /// The engine's own lock, which is taken after it and then free, can't be waited for up to a
  /// limit. This one goes with the process as that one does. A file system without it leaves the
  /// engine's, and false is answered.
  private func takeTurn(until deadline: ContinuousClock.Instant?) throws(LMDBError) -> Bool {
    var pause: UInt32 = 20
    while true {
      let isTaken = Descriptor.tryLock(environment.descriptor)
      guard isTaken == false else { return isTaken ?? false }
      if let deadline, ContinuousClock.now >= deadline {
        throw LMDBError(.busy, in: .beginWrite)
      }
      Platform.pause(microseconds: pause)
      pause = min(500, pause + pause / 4 + 1)
    }
  }

  private func giveUpTurn() { Descriptor.unlock(environment.descriptor) }

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
    giveUpTurn()
    writer.release()
  }

  /// Ends the write transaction with `work`, on the thread that began it.
  func endWrite<Result>(
    _ work: () throws(LMDBError) -> Result
  ) throws(LMDBError) -> Result {
    precondition(
      writer.isHeldByThisThread, "a write transaction ends on the thread that began it")
    defer {
      giveUpTurn()
      writer.release()
    }
    return try work()
  }
}
