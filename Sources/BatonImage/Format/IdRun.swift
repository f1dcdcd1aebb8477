/// The runs that the table `ids` is made of: Docs/Format.md section 8.
///
/// A run holds entries of records whose keys have hashes close to one another, in order, and lies
/// under the highest half of a hash it may hold. So one step to the lowest key at or above a hash
/// comes to the run the hash is in, whatever was split or removed before.
package enum IdRun {
  /// How many entries a run has at most, unless more hashes than that have the same half.
  ///
  /// A lookup verifies a run whole, and an entry more costs a page of it: larger runs are slower to
  /// verify, smaller ones spend more on what the engine keeps beside each.
  package static let maximumCount = 64
  /// The key of the last run, which is there as soon as the table has been written to.
  package static let lastKey: UInt64 = 0xFFFF_FFFF

  private static let start = 4
  static let entrySize = 8

  /// The half of a hash that the table is ordered by.
  @inline(__always)
  package static func half(of hash: UInt64) -> UInt64 { hash >> 32 }

  @inline(__always)
  package static func entry(hash: UInt64, number: UInt32) -> UInt64 {
    hash & ~0xFFFF_FFFF | UInt64(number)
  }

  package static func count(of run: Span<UInt8>) -> Int { (run.count - start) / entrySize }

  @inline(__always)
  package static func entry(_ index: Int, of run: Span<UInt8>) -> UInt64 {
    run.u64(at: start + index * entrySize)
  }

  /// Calls `body` with the number of each record whose key may have a hash, until it returns false.
  @inline(__always)
  package static func forEachNumber(
    in run: Span<UInt8>, hash: UInt64, _ body: (UInt32) throws(ImageError) -> Bool
  ) throws(ImageError) {
    let count = count(of: run)
    var (low, high) = (0, count)
    let first = entry(hash: hash, number: 0)
    while low < high {
      let middle = (low + high) / 2
      if entry(middle, of: run) < first { low = middle + 1 } else { high = middle }
    }
    while low < count {
      let entry = entry(low, of: run)
      guard half(of: entry) == half(of: hash) else { return }
      if try !body(UInt32(truncatingIfNeeded: entry)) { return }
      low += 1
    }
  }

  // MARK: Writing

  /// A run to be written: its key, and its value with room for the checksum.
  package struct Piece {
    package var key: UInt64
    package var value: [UInt8]
  }

  /// The run under `key` with entries added, which ascend and belong to it: in as many runs as they
  /// take, the last of them under the same key.
  package static func adding(_ added: ArraySlice<UInt64>, to run: Span<UInt8>?, key: UInt64)
    -> [Piece]
  {
    let entries = merged(run, added)
    var pieces: [Piece] = []
    var first = 0
    let count = (entries.count + maximumCount - 1) / maximumCount
    for piece in 0..<count {
      let end = end(of: entries, near: entries.count * (piece + 1) / count, after: first)
      // Where many have the same half, fewer runs hold them than were meant to.
      guard end > first else { continue }
      let isLast = end == entries.count
      pieces.append(
        Piece(
          key: isLast ? key : half(of: entries[end - 1]), value: encoded(entries[first..<end])))
      first = end
    }
    return pieces
  }

  /// The value of a run without an entry; nil when it doesn't have it.
  package static func removing(_ removed: UInt64, from run: Span<UInt8>) -> [UInt8]? {
    let entries = (0..<count(of: run)).map { entry($0, of: run) }
    guard let index = entries.firstIndex(of: removed) else { return nil }
    return encoded(entries[..<index] + entries[(index + 1)...])
  }

  /// Where a run that begins at `first` ends: near `place`, where the half of the hash changes.
  private static func end(of entries: [UInt64], near place: Int, after first: Int) -> Int {
    var end = max(place, first)
    while end > first, end < entries.count, half(of: entries[end - 1]) == half(of: entries[end]) {
      end += 1
    }
    return end
  }

  private static func merged(_ run: Span<UInt8>?, _ added: ArraySlice<UInt64>) -> [UInt64] {
    var entries: [UInt64] = []
    var next = added.startIndex
    if let run {
      entries.reserveCapacity(count(of: run) + added.count)
      for index in 0..<count(of: run) {
        let old = entry(index, of: run)
        while next < added.endIndex, added[next] < old {
          entries.append(added[next])
          next += 1
        }
        if next < added.endIndex, added[next] == old { next += 1 }
        entries.append(old)
      }
    }
    entries.append(contentsOf: added[next...])
    return entries
  }

  package static func encoded(_ entries: some Collection<UInt64>) -> [UInt8] {
    var value: [UInt8] = []
    value.reserveCapacity(start + entries.count * entrySize)
    value.append(u32: 0)
    for entry in entries { value.append(u64: entry) }
    return value
  }
}
