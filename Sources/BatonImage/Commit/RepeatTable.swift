/// Which objects of a response may come again word for word, by a digest of how they begin.
///
/// A guess: who asks compares the texts. A later object takes the place of an earlier one.
struct RepeatTable: ~Copyable {
  struct Slot: BitwiseCopyable {
    /// 0 when empty.
    var digest: UInt64 = 0
    var index: Int32 = 0
  }

  private var slots = Buffer<Slot>(capacity: 1)
  private var isEmpty = true

  /// A power of two: more different objects than most responses repeat.
  private static let size = 256

  mutating func removeAll() {
    guard !isEmpty else { return }
    slots.removeAll()
    isEmpty = true
  }

  @inline(__always)
  subscript(digest: UInt64) -> Int? {
    guard !isEmpty else { return nil }
    let slot = slots[Self.place(of: digest)]
    return slot.digest == digest ? Int(slot.index) : nil
  }

  mutating func note(_ index: Int, at digest: UInt64) {
    if isEmpty {
      slots.append(repeating: Slot(), count: Self.size)
      isEmpty = false
    }
    slots[Self.place(of: digest)] = Slot(
      digest: digest, index: Int32(truncatingIfNeeded: index))
  }

  @inline(__always)
  private static func place(of digest: UInt64) -> Int {
    // The upper bits, as those of a product depend on all of its factors' bits.
    Int(truncatingIfNeeded: digest >> 56) & (size &- 1)
  }
}
