internal import Synchronization

/// The numbers of records that were found by their keys, so that who looks for one again is spared
/// the descent to its number.
///
/// A hint and no more: a number from here is right where its row, in the state that is read, has the
/// key, and whoever takes one looks. So neither commits nor other processes have to be heeded. Threads
/// share it without waiting; of two that note at once one may be forgotten.
///
/// Begins with a page of memory and grows to 2 MiB as more records are found.
@safe
package final class FoundRecords: Sendable {
  private let newest: Atomic<Unmanaged<Level>>
  /// Keeps the levels that readers may still be in.
  private let levels: Mutex<[Level]>

  private static let smallest = 1 << 9
  private static let growth = 8
  private static let largest = 1 << 18

  package init() {
    let level = Level(capacity: Self.smallest)
    levels = Mutex([level])
    unsafe newest = Atomic(Unmanaged.passUnretained(level))
  }

  /// The number a key with this hash was found under last, if it is still known.
  @inline(__always)
  package func number(of hash: UInt64) -> UInt32? {
    // SAFETY: `levels` keeps every level until this ends.
    unsafe newest.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.number(of: hash) }
  }

  /// Notes what a key with this hash was found to be.
  package func note(_ number: UInt32, of hash: UInt64) {
    // SAFETY: as above.
    unsafe newest.load(ordering: .acquiring)._withUnsafeGuaranteedRef { level in
      if level.note(number, of: hash) { grow(from: level) }
    }
  }

  /// Begins anew with more room; what was known comes back as it is found.
  private func grow(from full: Level) {
    levels.withLockIfAvailable { levels in
      guard levels.last === full else { return }
      let level = Level(capacity: full.capacity * Self.growth)
      levels.append(level)
      unsafe newest.store(Unmanaged.passUnretained(level), ordering: .releasing)
    }
  }

  /// One table of a fixed size: the high half of a hash over a number, at the hash's low bits.
  @safe
  private final class Level: Sendable {
    let capacity: Int
    // SAFETY: `capacity` atomics from `init` to `deinit`; an index is a hash under the mask.
    private nonisolated(unsafe) let entries: UnsafeMutablePointer<Atomic<UInt64>>
    private let replaced = Atomic<Int>(0)

    init(capacity: Int) {
      self.capacity = capacity
      unsafe entries = .allocate(capacity: capacity)
      for index in 0..<capacity { unsafe (entries + index).initialize(to: Atomic(0)) }
    }

    deinit {
      unsafe entries.deinitialize(count: capacity)
      unsafe entries.deallocate()
    }

    @inline(__always)
    func number(of hash: UInt64) -> UInt32? {
      let entry = unsafe entries[index(of: hash)].load(ordering: .relaxed)
      let number = UInt32(truncatingIfNeeded: entry)
      return number != 0 && entry >> 32 == hash >> 32 ? number : nil
    }

    /// Whether so many took the place of others by now that there should be more room, and can be.
    func note(_ number: UInt32, of hash: UInt64) -> Bool {
      let entry = hash & ~0xFFFF_FFFF | UInt64(number)
      let index = index(of: hash)
      let old = unsafe entries[index].load(ordering: .relaxed)
      unsafe entries[index].store(entry, ordering: .relaxed)
      // The largest is not counted: threads that miss would all write to one word.
      guard old != 0, capacity < FoundRecords.largest else { return false }
      return replaced.wrappingAdd(1, ordering: .relaxed).newValue > capacity / 2
    }

    @inline(__always)
    private func index(of hash: UInt64) -> Int {
      Int(truncatingIfNeeded: hash) & (capacity - 1)
    }
  }
}
