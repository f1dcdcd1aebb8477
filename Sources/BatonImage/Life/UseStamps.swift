import Synchronization

/// Which records were used in this launch: read through a snapshot, or written.
///
/// Gathered in memory, and written to the table `stamps` in batches with a commit that writes anyway,
/// or at close. A reader never writes, and never waits for a writer.
final class UseStamps: Sendable {
  private let state = Mutex(State())

  /// The numbers that have a bit of their own; those above are kept in a set.
  private static let maximumBit = 1 << 24
  /// How long uses wait for the next commit that writes.
  static let delay = Duration.seconds(5)
  /// How many uses wait at most.
  static let maximumPending = 1 << 16

  private struct State {
    /// A bit for each record that was noted in this launch.
    var bits: [UInt64] = []
    var others: Set<UInt32> = []
    /// Noted, and not written yet.
    var pending: [UInt32] = []
    var written = ContinuousClock.now

    mutating func insert(_ number: UInt32) -> Bool {
      guard number < maximumBit else { return others.insert(number).inserted }
      let word = Int(number / 64)
      if word >= bits.count {
        bits.append(contentsOf: repeatElement(0, count: max(word + 1, bits.count * 2) - bits.count))
      }
      let mask: UInt64 = 1 << UInt64(number % 64)
      guard bits[word] & mask == 0 else { return false }
      bits[word] |= mask
      return true
    }

    func contains(_ number: UInt32) -> Bool {
      guard number < maximumBit else { return others.contains(number) }
      let word = Int(number / 64)
      return word < bits.count && bits[word] & 1 << UInt64(number % 64) != 0
    }
  }

  /// Notes that records were used.
  func note(_ numbers: some Sequence<UInt32>) {
    state.withLock { state in
      for number in numbers where state.insert(number) { state.pending.append(number) }
    }
  }

  /// Notes records whose stamps are written already.
  func noteWritten(_ numbers: some Sequence<UInt32>) {
    state.withLock { state in
      for number in numbers { _ = state.insert(number) }
    }
  }

  /// Whether a record was used in this launch.
  func contains(_ number: UInt32) -> Bool {
    state.withLock { $0.contains(number) }
  }

  /// Whether uses wait to be written.
  var hasPending: Bool { state.withLock { !$0.pending.isEmpty } }

  /// Takes the uses that are to be written now: all of them, or those that waited long enough.
  func take(all: Bool) -> [UInt32] {
    state.withLock { state in
      let now = ContinuousClock.now
      guard
        all || state.pending.count >= Self.maximumPending || now - state.written >= Self.delay
      else { return [] }
      state.written = now
      let taken = state.pending
      state.pending = []
      return taken
    }
  }

  /// Gives uses back that were taken and could not be written.
  func restore(_ numbers: [UInt32]) {
    state.withLock { $0.pending.append(contentsOf: numbers) }
  }

  /// Forgets everything: a later launch of another process began, or the image was cleared.
  func reset() {
    state.withLock { $0 = State() }
  }
}
