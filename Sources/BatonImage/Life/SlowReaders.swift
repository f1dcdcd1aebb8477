import Synchronization

/// Knows the snapshots that are held, and tells once of each that is held too long: a snapshot keeps
/// the pages of its state, and the file grows meanwhile.
///
/// Looked at after each commit of this process, which is when the file grows, and when a snapshot
/// ends.
final class SlowReaders: Sendable {
  private let limit: Duration
  private let events: @Sendable (ImageEvent) -> Void
  private let state = Mutex(State())

  private struct State {
    var number: UInt64 = 0
    var held: [UInt64: Reader] = [:]
  }

  private struct Reader {
    var owner: StaticString?
    var start: ContinuousClock.Instant
  }

  init(limit: Duration, events: @escaping @Sendable (ImageEvent) -> Void) {
    self.limit = limit
    self.events = events
  }

  /// Notes a snapshot that begins; its number.
  func begin(_ owner: StaticString?) -> UInt64 {
    let reader = Reader(owner: owner, start: .now)
    return state.withLock { state in
      state.number += 1
      state.held[state.number] = reader
      return state.number
    }
  }

  func end(_ number: UInt64) {
    guard let reader = state.withLock({ $0.held.removeValue(forKey: number) }) else { return }
    let held = ContinuousClock.now - reader.start
    if held > limit { tell(reader, held) }
  }

  /// Tells of the snapshots that are held too long by now.
  func check() {
    let now = ContinuousClock.now
    let slow = state.withLock { state in
      let slow = state.held.filter { now - $0.value.start > limit }
      for number in slow.keys { state.held[number] = nil }
      return slow
    }
    for reader in slow.values { tell(reader, now - reader.start) }
  }

  private func tell(_ reader: Reader, _ held: Duration) {
    events(.slowReader(owner: reader.owner?.description ?? "", held: held))
  }
}
