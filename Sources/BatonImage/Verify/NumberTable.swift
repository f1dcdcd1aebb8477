/// What is kept of a name or record while an image is verified.
struct NumberFlags: OptionSet {
  let rawValue: UInt8

  // What a name is of; a storage key where neither is said.
  static let typeName = NumberFlags(rawValue: 1 << 0)
  static let operationName = NumberFlags(rawValue: 1 << 1)
  // What a row's flags say.
  static let moved = NumberFlags(rawValue: 1 << 0)
  static let spilled = NumberFlags(rawValue: 1 << 1)
  static let hasAliases = NumberFlags(rawValue: 1 << 2)
  static let hasNaturalKeys = NumberFlags(rawValue: 1 << 3)
  static let pathKey = NumberFlags(rawValue: 1 << 7)
  // What other tables were seen to hold for the record.
  static let seenCells = NumberFlags(rawValue: 1 << 4)
  static let seenAlias = NumberFlags(rawValue: 1 << 5)
  static let seenNaturalKeys = NumberFlags(rawValue: 1 << 6)
}

extension NumberFlags {
  /// What is kept of a name of a kind.
  static func kind(_ kind: NameKind) -> NumberFlags {
    switch kind {
    case .type: .typeName
    case .storageKey: []
    case .operation: .operationName
    }
  }
}

/// A set of numbers with a byte of flags for each, inserted in ascending order.
///
/// Takes little more than a byte a number where they lie close, at most 17 where they don't, which
/// is less than the entry of the file that names it. Lookup: O(1) where they lie close, else
/// O(log n).
struct NumberTable {
  /// 64 numbers with a common quotient by 64.
  private struct Chunk {
    var quotient: UInt32
    /// The place of the first one's flags.
    var start: UInt32
    var members: UInt64
  }

  private var chunks: [Chunk] = []
  private var flags: [NumberFlags] = []

  var count: Int { flags.count }

  /// Inserts a number above all others; one that is not is left out.
  mutating func insert(_ number: UInt32, _ value: NumberFlags) {
    let bit: UInt64 = 1 << UInt64(number % 64)
    if let last = chunks.last, last.quotient == number / 64 {
      guard last.members < bit else { return }
      chunks[chunks.count - 1].members |= bit
    } else {
      if let last = chunks.last, last.quotient > number / 64 { return }
      chunks.append(
        Chunk(quotient: number / 64, start: UInt32(clamping: flags.count), members: bit))
    }
    flags.append(value)
  }

  /// The number's flags, or nil when it is not in the set.
  subscript(number: UInt32) -> NumberFlags? {
    place(number).map { flags[$0] }
  }

  /// Adds flags to a number; does nothing when it is not in the set.
  mutating func add(_ added: NumberFlags, to number: UInt32) {
    if let place = place(number) { flags[place].formUnion(added) }
  }

  private func place(_ number: UInt32) -> Int? {
    guard let index = chunk(number / 64) else { return nil }
    let chunk = chunks[index]
    let bit: UInt64 = 1 << UInt64(number % 64)
    guard chunk.members & bit != 0 else { return nil }
    return Int(chunk.start) + (chunk.members & (bit - 1)).nonzeroBitCount
  }

  private func chunk(_ quotient: UInt32) -> Int? {
    guard let first = chunks.first?.quotient, quotient >= first else { return nil }
    let guess = Int(quotient - first)
    if guess < chunks.count, chunks[guess].quotient == quotient { return guess }
    var low = 0
    var high = min(guess, chunks.count)
    while low < high {
      let middle = (low + high) / 2
      if chunks[middle].quotient < quotient { low = middle + 1 } else { high = middle }
    }
    return low < chunks.count && chunks[low].quotient == quotient ? low : nil
  }

  /// The first numbers for which `isWrong` holds, at most `limit`.
  func numbers(limit: Int, where isWrong: (NumberFlags) -> Bool) -> [UInt32] {
    var found: [UInt32] = []
    for chunk in chunks {
      var members = chunk.members
      var place = Int(chunk.start)
      while members != 0, found.count < limit {
        if isWrong(flags[place]) {
          found.append(chunk.quotient * 64 + UInt32(members.trailingZeroBitCount))
        }
        place += 1
        members &= members - 1
      }
      if found.count >= limit { break }
    }
    return found
  }
}
