/// Fetch times that wait in memory to be written, by operation and record number.
///
/// Operations are numbered as they come, and a time is found by one word: noting fifty takes no
/// piece of memory but where the table grows, and no text.
struct RecordFetches: ~Copyable {
  struct Slot: BitwiseCopyable {
    /// The operation's index in the upper half, the record's number in the lower; 0 when empty.
    var key: UInt64 = 0
    /// Milliseconds since 1970; `forgotten` when the time was.
    var time: Int64 = 0
  }

  /// The operations, by the indexes they were given.
  private(set) var operations: [OperationText] = []
  private var indexes: [OperationText: UInt32] = [:]
  /// Open addressing, at most half of it in use. A power of two.
  private var slots = Buffer<Slot>(capacity: 8)
  /// How many records have a time, or had one that was forgotten.
  private(set) var count = 0

  /// No clock shows it.
  private static let forgotten = Int64.min

  var isEmpty: Bool { count == 0 }

  /// The index of an operation, given when it is new.
  mutating func index(of operation: OperationText) -> UInt32 {
    if let index = indexes[operation] { return index }
    let index = UInt32(operations.count)
    operations.append(operation)
    indexes[operation] = index
    return index
  }

  /// Notes the time of a record, in the place of an earlier one.
  @inline(__always)
  mutating func note(_ time: Int64, operation: UInt32, record: UInt32) {
    guard record != 0 else { return }
    if (count &+ 1) &* 2 > slots.count { growSlots() }
    let key = UInt64(operation) << 32 | UInt64(record)
    let slot = slot(of: key)
    if slots[slot].key == 0 { count &+= 1 }
    slots[slot] = Slot(key: key, time: time)
  }

  /// The time of a record; nil when it has none.
  func time(of operation: OperationText, record: UInt32) -> Int64? {
    guard !isEmpty, record != 0, let index = indexes[operation] else { return nil }
    let found = slots[slot(of: UInt64(index) << 32 | UInt64(record))]
    return found.key == 0 || found.time == Self.forgotten ? nil : found.time
  }

  mutating func forget(_ operation: OperationText, record: UInt32) {
    guard !isEmpty, record != 0, let index = indexes[operation] else { return }
    slots.update(slot(of: UInt64(index) << 32 | UInt64(record))) { found in
      if found.key != 0 { found.time = Self.forgotten }
    }
  }

  /// The records that have a time, by operation and number in order.
  func inOrder() -> [(operation: UInt32, record: UInt32, time: Int64)] {
    var order: [(key: UInt64, time: Int64)] = []
    order.reserveCapacity(count)
    for index in 0..<slots.count where slots[index].key != 0 {
      if slots[index].time != Self.forgotten { order.append((slots[index].key, slots[index].time)) }
    }
    order.sort { $0.key < $1.key }
    return order.map { (UInt32($0.key >> 32), UInt32(truncatingIfNeeded: $0.key), $0.time) }
  }

  /// The times of an operation's records.
  func times(of operation: OperationText) -> [UInt32: Int64] {
    var times: [UInt32: Int64] = [:]
    guard let wanted = indexes[operation] else { return times }
    for (index, record, time) in inOrder() where index == wanted { times[record] = time }
    return times
  }

  /// Takes over the times of records that have none here.
  mutating func addMissing(from other: borrowing RecordFetches) {
    for (index, record, time) in other.inOrder() {
      let operation = other.operations[Int(index)]
      if self.time(of: operation, record: record) == nil {
        note(time, operation: self.index(of: operation), record: record)
      }
    }
  }

  /// The slot that has a key, or the empty one where it would be.
  @inline(__always)
  private func slot(of key: UInt64) -> Int {
    let mask = slots.count &- 1
    // An answer's records lie close: 64 numbers stay together, and each 64 come to another place.
    let group = Int(truncatingIfNeeded: ((key >> 6) &* 0x9E37_79B9_7F4A_7C15) >> 32) &<< 6
    var slot = (group | Int(truncatingIfNeeded: key & 63)) & mask
    while slots[slot].key != 0, slots[slot].key != key { slot = (slot &+ 1) & mask }
    return slot
  }

  private mutating func growSlots() {
    var grown = Buffer<Slot>(capacity: max(64, slots.count * 2))
    grown.append(repeating: Slot(), count: max(64, slots.count * 2))
    swap(&slots, &grown)
    for index in 0..<grown.count where grown[index].key != 0 {
      slots[slot(of: grown[index].key)] = grown[index]
    }
  }
}
