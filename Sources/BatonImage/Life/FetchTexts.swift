/// Fetch times that wait in memory to be written, by the texts of operations.
///
/// An answer without records notes a text an id. They lie one behind another in one buffer and are
/// found by the hash that the table `operations` has them under, so that noting one costs neither a
/// piece of memory nor a second hash, and writing them all in the table's order sorts numbers.
struct FetchTexts: ~Copyable {
  struct Entry: BitwiseCopyable {
    var hash: UInt64
    /// Where the text lies in `bytes`.
    var start: Int
    var end: Int
    /// Milliseconds since 1970; nil when the time was forgotten.
    var time: Int64?
  }

  private var bytes = Buffer<UInt8>(capacity: 64)
  private var entries = Buffer<Entry>(capacity: 4)
  /// Indexes into `entries` by hash, open addressing; -1 for an empty slot. A power of two.
  private var slots = Buffer<Int32>(capacity: 8)

  /// How many texts have a time, or had one that was forgotten.
  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// Notes the time of the text that `append` appends, in the place of an earlier one.
  mutating func note(_ time: Int64, append: (inout Buffer<UInt8>) -> Void) {
    let start = bytes.count
    append(&bytes)
    let text = start..<bytes.count
    let hash = hash(bytes.span(text))
    if (entries.count + 1) * 2 > slots.count { growSlots() }
    let slot = slot(of: hash, bytes.span(text))
    if slots[slot] >= 0 {
      bytes.removeSubrange(start...)
      entries.update(Int(slots[slot])) { $0.time = time }
      return
    }
    slots[slot] = Int32(entries.count)
    entries.append(Entry(hash: hash, start: start, end: text.upperBound, time: time))
  }

  mutating func note(_ time: Int64, of text: OperationText) {
    note(time) { $0.append(contentsOf: text.bytes) }
  }

  /// The time of a text; nil when it has none.
  func time(of text: OperationText) -> Int64? {
    guard !isEmpty else { return nil }
    let index = slots[slot(of: hash(text.bytes.span), text.bytes.span)]
    return index < 0 ? nil : entries[Int(index)].time
  }

  mutating func forget(_ text: OperationText) {
    guard !isEmpty else { return }
    let index = slots[slot(of: hash(text.bytes.span), text.bytes.span)]
    if index >= 0 { entries.update(Int(index)) { $0.time = nil } }
  }

  /// Calls `body` for each text that has a time, in order of hashes.
  func forEach(
    _ body: (_ hash: UInt64, _ text: Span<UInt8>, _ time: Int64) throws(ImageError) -> Void
  ) throws(ImageError) {
    var order: [(hash: UInt64, index: Int)] = []
    order.reserveCapacity(entries.count)
    for index in 0..<entries.count { order.append((entries[index].hash, index)) }
    order.sort { ($0.hash, $0.index) < ($1.hash, $1.index) }
    for (hash, index) in order {
      let entry = entries[index]
      guard let time = entry.time else { continue }
      try body(hash, bytes.span(entry.start..<entry.end), time)
    }
  }

  /// Takes over the times of texts that have none here.
  mutating func addMissing(from other: borrowing FetchTexts) {
    for index in 0..<other.entries.count {
      let entry = other.entries[index]
      let text = OperationText(other.bytes.copy(entry.start..<entry.end))
      if let time = entry.time, self.time(of: text) == nil { note(time, of: text) }
    }
  }

  /// The slot that has a text, or the empty one where it would be.
  private func slot(of hash: UInt64, _ text: Span<UInt8>) -> Int {
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] >= 0 {
      let entry = entries[Int(slots[slot])]
      if entry.hash == hash, bytes.span(entry.start..<entry.end).isEqual(to: text) { break }
      slot = (slot &+ 1) & mask
    }
    return slot
  }

  private mutating func growSlots() {
    let size = max(8, slots.count * 2)
    slots.removeAll()
    slots.append(repeating: -1, count: size)
    for index in 0..<entries.count {
      var slot = Int(truncatingIfNeeded: entries[index].hash) & (size - 1)
      while slots[slot] >= 0 { slot = (slot &+ 1) & (size - 1) }
      slots[slot] = Int32(index)
    }
  }
}
