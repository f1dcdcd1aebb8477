internal import CXXHash

/// Little-endian loads from a span; bytes outside it trap, so callers check lengths first.
///
/// One check and one load each: sums of single bytes are left as they stand wherever the compiler
/// writes an offset in another way, with a check for each byte.
extension Span<UInt8> {
  @inline(__always)
  package func u16(at offset: Int) -> UInt16 { UInt16(littleEndian: load(at: offset)) }

  @inline(__always)
  package func u32(at offset: Int) -> UInt32 { UInt32(littleEndian: load(at: offset)) }

  @inline(__always)
  package func u64(at offset: Int) -> UInt64 { UInt64(littleEndian: load(at: offset)) }

  @inline(__always)
  private func load<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
    precondition(
      offset >= 0 && offset <= count &- MemoryLayout<Number>.size, "an offset outside of a span")
    // SAFETY: the bytes lie in the span, as just checked, and any bits are an integer.
    return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Number.self)
  }

  /// Whether both hold the same bytes.
  @inline(__always)
  package func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    // SAFETY: both pointers are valid for `count` bytes while the closures run.
    return unsafe withUnsafeBufferPointer { left in
      unsafe other.withUnsafeBufferPointer { right in
        unsafe baton_equal(left.baseAddress, right.baseAddress, left.count) != 0
      }
    }
  }

  /// Where a byte stands first from `start` on; the count when it doesn't.
  package func index(of byte: UInt8, from start: Int) -> Int {
    let rest = extracting(droppingFirst: start)
    // SAFETY: the pointer is valid for `count` bytes while the closure runs.
    return unsafe start
      + rest.withUnsafeBufferPointer {
        unsafe Int(baton_index_of($0.baseAddress, byte, $0.count))
      }
  }

  /// Whether the span's bytes come before the other's, as unsigned bytes.
  package func precedes(_ other: Span<UInt8>) -> Bool {
    let shared = Swift.min(count, other.count)
    for index in 0..<shared where self[index] != other[index] {
      return self[index] < other[index]
    }
    return count < other.count
  }

  /// An owned copy of the bytes.
  package func copy() -> [UInt8] {
    // SAFETY: the pointer lives for the closure only and the array copies what it reads.
    unsafe self.withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }

  /// The text of the bytes, with U+FFFD in place of what is not UTF-8.
  package func text() -> String {
    // SAFETY: the pointer lives for the closure only and the string copies what it reads.
    unsafe self.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

/// Little-endian stores at the end of a byte array.
extension [UInt8] {
  @inline(__always)
  package mutating func append(u16 value: UInt16) {
    append(UInt8(truncatingIfNeeded: value))
    append(UInt8(truncatingIfNeeded: value >> 8))
  }

  @inline(__always)
  package mutating func append(u32 value: UInt32) {
    append(u16: UInt16(truncatingIfNeeded: value))
    append(u16: UInt16(truncatingIfNeeded: value >> 16))
  }

  @inline(__always)
  package mutating func append(u64 value: UInt64) {
    append(u32: UInt32(truncatingIfNeeded: value))
    append(u32: UInt32(truncatingIfNeeded: value >> 32))
  }

  /// Appends an unsigned LEB128 in its shortest form.
  package mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  package mutating func append(_ bytes: Span<UInt8>) {
    // SAFETY: the pointer lives for the closure only, and the array copies from it.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Overwrites four bytes at `offset`, which must lie inside.
  @inline(__always)
  package mutating func store(u32 value: UInt32, at offset: Int) {
    self[offset] = UInt8(truncatingIfNeeded: value)
    self[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
    self[offset + 2] = UInt8(truncatingIfNeeded: value >> 16)
    self[offset + 3] = UInt8(truncatingIfNeeded: value >> 24)
  }
}

/// XXH3 (64 bit, seed 0) of the bytes.
@inline(__always)
package func hash(_ bytes: Span<UInt8>) -> UInt64 {
  // SAFETY: the pointer is valid for `count` bytes while the closure runs, and the hash keeps none.
  unsafe bytes.withUnsafeBufferPointer {
    unsafe baton_xxh3_64($0.baseAddress, $0.count)
  }
}

/// XXH3 of a kind byte and the bytes behind it, as keys and names are hashed.
func hash(kind: UInt8, _ bytes: Span<UInt8>) -> UInt64 {
  // SAFETY: the room has one byte more than the span, and both live while the closures run. Every
  // byte of it is set before the hash reads it.
  unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count + 1) { room in
    unsafe room.initializeElement(at: 0, to: kind)
    unsafe bytes.withUnsafeBufferPointer {
      _ = unsafe room.extracting(1...).initialize(fromContentsOf: $0)
    }
    return unsafe baton_xxh3_64(room.baseAddress, room.count)
  }
}

/// What the table `ids` lists a record under: its kind byte and its key, hashed.
func keyHash(_ key: Span<UInt8>, isPath: Bool) -> UInt64 { hash(kind: isPath ? 1 : 0, key) }

/// XXH3 of the bytes with a seed.
func hash(_ bytes: Span<UInt8>, seed: UInt64) -> UInt64 {
  // SAFETY: as above.
  unsafe bytes.withUnsafeBufferPointer {
    unsafe baton_xxh3_64_seeded($0.baseAddress, $0.count, seed)
  }
}

/// The checksum that seals a value of `table` at `key`: Docs/Format.md section 3.
@inline(__always)
package func seal(_ payload: Span<UInt8>, table: ImageTable, key: UInt64) -> UInt32 {
  let mixed = hash(payload) ^ (key &* 0x9E37_79B9_7F4A_7C15 &+ table.rawValue)
  return UInt32(truncatingIfNeeded: mixed ^ mixed >> 32)
}

/// Whether a value of `table` at `key` has the checksum it begins with.
@inline(__always)
package func isSealed(_ value: Span<UInt8>, table: ImageTable, key: UInt64) -> Bool {
  value.count >= 4
    && value.u32(at: 0) == seal(value.extracting(droppingFirst: 4), table: table, key: key)
}

/// Throws `damaged` where a value of `table` at `key` doesn't have the checksum it begins with.
@inline(__always)
func checkSeal(of value: Span<UInt8>, _ table: ImageTable, _ key: UInt64) throws(ImageError) {
  guard isSealed(value, table: table, key: key) else { throw brokenSeal(table, key) }
}

@inline(never)
private func brokenSeal(_ table: ImageTable, _ key: UInt64) -> ImageError {
  .damaged(Damage("table \(table.name), key \(key)", "its checksum is wrong"))
}

extension [UInt8] {
  /// Writes the checksum over the first four bytes, which a builder leaves for it.
  package mutating func seal(table: ImageTable, key: UInt64) {
    store(u32: BatonImage.seal(span.extracting(4...), table: table, key: key), at: 0)
  }
}
