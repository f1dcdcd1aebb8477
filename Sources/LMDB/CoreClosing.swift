internal import Synchronization

extension EnvironmentCore {
  /// Lets nothing more begin; false when the file is closed already.
  ///
  /// Called with the registry's lock held, so that nobody takes a new handle meanwhile.
  func startClosing() -> Bool {
    while true {
      switch gate.load(ordering: .sequentiallyConsistent) {
      case Gate.closed: return false
      case Gate.closing, Gate.broken: return true
      case Gate.exclusive: Platform.pause(microseconds: 20)
      default:
        let (shut, _) = gate.compareExchange(
          expected: Gate.open, desired: Gate.closing, ordering: .sequentiallyConsistent)
        if shut { return true }
      }
    }
  }

  /// Waits for the transactions of this process, then ends the engine's environment.
  func finishClosing(waitingAtMost limit: Duration?) throws(LMDBError) {
    let deadline = limit.map { ContinuousClock.now + $0 } ?? deadline
    try acquireWriter(.close, until: deadline)
    defer { writer.release() }
    while hasReaders || pins.load(ordering: .sequentiallyConsistent) != 0 {
      if ContinuousClock.now >= deadline {
        throw LMDBError(.transactionsRunning, in: .close)
      }
      Platform.pause(microseconds: 50)
    }
    Registry.shared.locked {
      if gate.load(ordering: .acquiring) != Gate.closed { end() }
    }
    Registry.shared.forget(self)
  }

  /// Runs `work` on the engine's environment, which can't close or lose its map meanwhile.
  func running<Result>(
    _ operation: LMDBError.Operation, _ work: () throws(LMDBError) -> Result
  ) throws(LMDBError) -> Result {
    let deadline = deadline
    while true {
      extraReaders.wrappingAdd(1, ordering: .sequentiallyConsistent)
      defer { extraReaders.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
      if gate.load(ordering: .sequentiallyConsistent) == Gate.open { return try work() }
      if ContinuousClock.now >= deadline {
        throw LMDBError(.transactionsRunning, in: operation)
      }
      try checkUsable(operation)
      Platform.pause(microseconds: 50)
    }
  }

  /// The work of `Environment.copy`.
  func copy(toPath path: String, compacting: Bool) throws(LMDBError) {
    // The engine takes its writer's lock for a moment.
    if writer.isHeldByThisThread { throw LMDBError(.wouldDeadlock, in: .copyEnvironment) }
    let file = try Descriptor(path: path, flags: Descriptor.newFile)
    file.setMode(0o600)
    do throws(LMDBError) {
      try running(.copyEnvironment) { () throws(LMDBError) in
        try environment.copy(to: file.number, compacting: compacting)
      }
      try file.flush()
    } catch {
      Platform.unlink(path)
      throw error
    }
  }
}
