internal import Synchronization

/// Reset read transactions, kept for the next reader: renewing one is several times cheaper than
/// beginning one, which takes a lock that all processes share.
///
/// A slot is free of a transaction, idle with one, or busy. Taking one is a single compare and
/// exchange, giving it back a single store. The count of busy ones is what growing and closing wait
/// for. Idle transactions hold no snapshot, but a place each in the table of readers.
@safe
struct ReadSlots: ~Copyable {
  static let count = 16

  private enum State {
    static let empty = 0
    static let idle = 1
    static let busy = 2
  }

  /// A cache line each, so that readers on other cores don't disturb each other.
  private struct Slot: ~Copyable {
    let state = Atomic<Int>(State.empty)
    var transaction: RawTransaction?
    let padding: (Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0)
  }

  private let slots: UnsafeMutablePointer<Slot>

  init() {
    unsafe slots = .allocate(capacity: Self.count)
    for index in 0..<Self.count {
      // SAFETY: fresh memory for `count` slots, each initialized once.
      unsafe (slots + index).initialize(to: Slot())
    }
  }

  deinit {
    // SAFETY: all were initialized, and nobody else refers to the memory.
    unsafe slots.deinitialize(count: Self.count)
    unsafe slots.deallocate()
  }

  /// A slot of the caller's own, and the transaction in it if there is one; nil if all are busy.
  func take() -> (index: Int, transaction: RawTransaction?)? {
    // Threads start at different slots, by where the system put them.
    let thread = Platform.thread
    let start = Int(truncatingIfNeeded: (thread >> 12) ^ (thread >> 20))
    for expected in [State.idle, State.empty] {
      for step in 0..<Self.count {
        let index = (start &+ step) & (Self.count - 1)
        // SAFETY: the index is inside; the transaction is read by the one who made the slot busy.
        let slot = unsafe slots + index
        let (taken, _) = unsafe slot.pointee.state.compareExchange(
          expected: expected, desired: State.busy, ordering: .sequentiallyConsistent)
        if taken { return unsafe (index, slot.pointee.transaction) }
      }
    }
    return nil
  }

  /// Puts a transaction into a slot that the caller took.
  func fill(_ index: Int, with transaction: RawTransaction) {
    // SAFETY: the slot is busy and the caller's.
    unsafe slots[index].transaction = transaction
  }

  /// Gives a taken slot back; its transaction, if any, is reset.
  func giveBack(_ index: Int) {
    // SAFETY: the slot is busy and the caller's until the store below.
    let slot = unsafe slots + index
    let state = unsafe slot.pointee.transaction == nil ? State.empty : State.idle
    unsafe slot.pointee.state.store(state, ordering: .releasing)
  }

  /// Whether some reader runs.
  var areBusy: Bool {
    for index in 0..<Self.count {
      // SAFETY: the index is inside, the state is atomic.
      let state = unsafe slots[index].state.load(ordering: .sequentiallyConsistent)
      if state == State.busy { return true }
    }
    return false
  }

  /// Ends the idle transactions; those of running readers stay.
  func endIdle() {
    for index in 0..<Self.count {
      // SAFETY: the index is inside; the transaction is touched by the one who made the slot busy.
      let slot = unsafe slots + index
      let (taken, _) = unsafe slot.pointee.state.compareExchange(
        expected: State.idle, desired: State.busy, ordering: .sequentiallyConsistent)
      guard taken else { continue }
      unsafe slot.pointee.transaction?.abort()
      unsafe slot.pointee.transaction = nil
      unsafe slot.pointee.state.store(State.empty, ordering: .releasing)
    }
  }
}
