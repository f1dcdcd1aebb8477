internal import Synchronization

extension EnvironmentCore {
  /// How often beginning is tried again after what stood in the way was cleared.
  private static let attempts = 4

  /// Begins a reader: an idle transaction renewed, or a new one.
  func beginRead() throws(LMDBError) -> ReadTransaction {
    try checkProcess(.beginRead)
    for _ in 0..<Self.attempts {
      guard let (slot, idle) = slots.take() else { return try beginExtraRead() }
      guard gate.load(ordering: .sequentiallyConsistent) == Gate.open else {
        slots.giveBack(slot)
        try passGate(.beginRead, until: deadline)
        continue
      }
      let status: Int32
      if let idle {
        status = idle.renew()
        if status == 0 { return ReadTransaction(idle, of: self, slot: slot) }
        slots.giveBack(slot)
        try clear(LMDBError(status: status, in: .renewRead))
        continue
      }
      do throws(LMDBError) {
        let fresh = try environment.beginRead()
        slots.fill(slot, with: fresh)
        return ReadTransaction(fresh, of: self, slot: slot)
      } catch {
        slots.giveBack(slot)
        try clear(error)
      }
    }
    throw LMDBError(.busy, in: .beginRead)
  }

  /// Begins a reader when all slots are busy.
  private func beginExtraRead() throws(LMDBError) -> ReadTransaction {
    let transaction = try beginCounted(in: extraReaders)
    return ReadTransaction(transaction, of: self, slot: ReadTransaction.noSlot)
  }

  /// Begins a transaction outside the slots that `counter` accounts for.
  func beginCounted(in counter: borrowing Atomic<Int>) throws(LMDBError) -> RawTransaction {
    for _ in 0..<Self.attempts {
      counter.wrappingAdd(1, ordering: .sequentiallyConsistent)
      do throws(LMDBError) {
        if gate.load(ordering: .sequentiallyConsistent) == Gate.open {
          return try environment.beginRead()
        }
        counter.wrappingSubtract(1, ordering: .sequentiallyConsistent)
      } catch {
        counter.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        try clear(error)
        continue
      }
      try passGate(.beginRead, until: deadline)
    }
    throw LMDBError(.busy, in: .beginRead)
  }

  /// Clears what a failed beginning names, where it can be cleared; throws where it can't.
  private func clear(_ error: LMDBError) throws(LMDBError) {
    switch error.code {
    case .mapResized:
      try adoptMapSize(until: deadline)
    case .readersFull:
      if try environment.clearDeadReaders() == 0 { throw error }
    default:
      throw error
    }
  }

  /// Ends a reader, from its slot or without one.
  func endRead(_ transaction: RawTransaction, slot: Int) {
    // In a forked child the slot in the table of readers is the parent's.
    guard !isForked else { return }
    guard slot != ReadTransaction.noSlot else {
      transaction.abort()
      extraReaders.wrappingSubtract(1, ordering: .sequentiallyConsistent)
      return
    }
    transaction.reset()
    slots.giveBack(slot)
  }

  /// Holds the newest commit's pages without reading them.
  func pin() throws(LMDBError) -> Pin {
    try checkUsable(.beginRead)
    return Pin(try beginCounted(in: pins), of: self)
  }

  func endPin(_ transaction: RawTransaction) {
    guard !isForked else { return }
    transaction.abort()
    pins.wrappingSubtract(1, ordering: .sequentiallyConsistent)
  }
}
