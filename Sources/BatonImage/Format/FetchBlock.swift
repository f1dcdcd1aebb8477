/// When an operation that looks records up by a list of ids last answered the 64 records of a block:
/// a value of the table `fetches`, Docs/Format.md section 10.
///
/// Records that are answered together were mostly found together, so that their numbers lie close:
/// a time and a bit each is all that is kept of them.
package struct FetchBlock: Sendable, Equatable {
  /// Records that were answered at one time.
  package struct Group: Sendable, Equatable {
    /// Milliseconds since 1970.
    package var time: Int64
    /// Bit i stands for the block's record i.
    package var records: UInt64
  }

  /// The groups, the oldest first.
  package private(set) var groups: [Group] = []

  /// How many records a block has.
  package static let width: UInt32 = 64
  /// Bytes of a group: time, then records.
  package static let groupSize = 16
  /// Where the first group begins, behind the checksum.
  package static let start = 4
  /// How many blocks there are at most.
  package static let maximumCount: UInt32 = 1 << 26

  package init() {}

  /// Decodes a value; what is cut at its end is left out.
  package init(_ value: Span<UInt8>) {
    groups.reserveCapacity(value.count / Self.groupSize)
    var place = Self.start
    while place + Self.groupSize <= value.count {
      groups.append(
        Group(time: Int64(bitPattern: value.u64(at: place)), records: value.u64(at: place + 8)))
      place += Self.groupSize
    }
  }

  // MARK: Places

  /// The key of the block that a record's time of an operation lies in.
  package static func key(operation: UInt32, record: UInt32) -> UInt64 {
    UInt64(operation) << 32 | UInt64(record / width)
  }

  /// The name number of a key's operation.
  package static func operation(ofKey key: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: key >> 32)
  }

  /// The number of a key's first record; nil where no record can be.
  package static func firstRecord(ofKey key: UInt64) -> UInt32? {
    let block = UInt32(truncatingIfNeeded: key)
    return block < maximumCount ? block * width : nil
  }

  /// The bit of a record in its block.
  package static func bit(of record: UInt32) -> UInt64 { 1 << UInt64(record % width) }

  /// The numbers that a group's bits stand for, in order.
  package static func numbers(_ records: UInt64, from first: UInt32) -> [UInt32] {
    var numbers: [UInt32] = []
    var rest = records
    while rest != 0 {
      numbers.append(first + UInt32(rest.trailingZeroBitCount))
      rest &= rest - 1
    }
    return numbers
  }

  // MARK: Times

  /// The time of a record in a value that is its block's; nil when it has none.
  static func time(of record: UInt32, in value: Span<UInt8>) -> Int64? {
    let bit = bit(of: record)
    var place = start
    while place + groupSize <= value.count {
      if value.u64(at: place + 8) & bit != 0 { return Int64(bitPattern: value.u64(at: place)) }
      place += groupSize
    }
    return nil
  }

  /// Gives records a time, in the place of those they had.
  mutating func set(_ records: UInt64, to time: Int64) {
    remove(records)
    let index = groups.firstIndex { $0.time >= time } ?? groups.endIndex
    if index < groups.endIndex, groups[index].time == time {
      groups[index].records |= records
    } else {
      groups.insert(Group(time: time, records: records), at: index)
    }
  }

  /// Forgets the times of records.
  mutating func remove(_ records: UInt64) {
    for index in groups.indices { groups[index].records &= ~records }
    groups.removeAll { $0.records == 0 }
  }

  /// The value, with room for the checksum; nil when no record has a time.
  package var encoded: [UInt8]? {
    guard !groups.isEmpty else { return nil }
    var value: [UInt8] = [0, 0, 0, 0]
    value.reserveCapacity(Self.start + groups.count * Self.groupSize)
    for group in groups {
      value.append(u64: UInt64(bitPattern: group.time))
      value.append(u64: group.records)
    }
    return value
  }
}
