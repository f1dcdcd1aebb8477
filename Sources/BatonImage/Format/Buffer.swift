internal import CXXHash

/// Values in memory of their own, appended and read by index.
///
/// What an array is, without asking at each change whether somebody shares it: a buffer can't be
/// copied, so nobody does. Indexes are checked. It keeps its room when it is emptied.
@safe
struct Buffer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // SAFETY (Sendable): it can't be copied, so whoever has it is the only one who does.

  // SAFETY (all of this file): `base` has room for `capacity` elements, of which the first `count`
  // are initialized; it is allocated and freed here alone, and each access is checked against
  // `count` before.
  private var base: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 16) {
    self.capacity = max(1, capacity)
    unsafe base = UnsafeMutablePointer<Element>.allocate(capacity: self.capacity)
  }

  deinit { unsafe base.deallocate() }

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count, "an index outside of a buffer")
      return unsafe base[index]
    }
    set {
      precondition(index >= 0 && index < count, "an index outside of a buffer")
      unsafe base[index] = newValue
    }
  }

  /// The elements in place.
  @inline(__always)
  var span: Span<Element> {
    @_lifetime(borrow self)
    get {
      // SAFETY: the span borrows self, and what moves the elements mutates it.
      let span = unsafe Span(_unsafeStart: base, count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Some of the elements in place.
  @inline(__always)
  @_lifetime(borrow self)
  func span(_ range: Range<Int>) -> Span<Element> { span.extracting(range) }

  /// Changes one element in place.
  @inline(__always)
  mutating func update(_ index: Int, _ body: (inout Element) -> Void) {
    precondition(index >= 0 && index < count, "an index outside of a buffer")
    unsafe body(&base[index])
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(by: 1) }
    unsafe (base + count).initialize(to: element)
    count &+= 1
  }

  @inline(__always)
  mutating func append(_ elements: Span<Element>) {
    let more = elements.count
    if more > capacity &- count { grow(by: more) }
    // SAFETY: the room was made; the elements are somebody else's, as this is held exclusively.
    let end = unsafe base + count
    unsafe elements.withUnsafeBufferPointer { source in
      if let start = source.baseAddress { unsafe end.update(from: start, count: more) }
    }
    count &+= more
  }

  mutating func append(contentsOf elements: [Element]) { append(elements.span) }

  /// Appends some of another buffer's elements.
  mutating func append(_ other: borrowing Buffer, _ range: Range<Int>) {
    append(other.span.extracting(range))
  }

  /// Appends an element a number of times.
  mutating func append(repeating element: Element, count more: Int) {
    if more > capacity &- count { grow(by: more) }
    unsafe (base + count).update(repeating: element, count: more)
    count += more
  }

  /// Makes room for so many more.
  mutating func reserve(_ more: Int) {
    if more > capacity &- count { grow(by: more) }
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func removeLast() {
    precondition(count > 0, "an empty buffer has no last element")
    count &-= 1
  }

  /// Drops what stands from `range` on.
  @inline(__always)
  mutating func removeSubrange(_ range: PartialRangeFrom<Int>) {
    precondition(range.lowerBound >= 0 && range.lowerBound <= count, "a range outside of a buffer")
    count = range.lowerBound
  }

  /// An owned copy of some of the elements.
  func copy(_ range: Range<Int>) -> [Element] {
    unsafe span.extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Gives back room beyond `limit` elements, which must be none of those held.
  mutating func shrink(to limit: Int) {
    guard capacity > limit, count <= limit else { return }
    move(toCapacity: max(1, limit))
  }

  @inline(never)
  private mutating func grow(by more: Int) {
    let (wanted, overflow) = count.addingReportingOverflow(more)
    precondition(!overflow, "a buffer beyond all memory")
    move(toCapacity: max(wanted, capacity * 2))
  }

  private mutating func move(toCapacity wanted: Int) {
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: wanted)
    unsafe moved.update(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = moved
    capacity = wanted
  }
}

/// What bytes are appended to.
protocol ByteSink: ~Copyable {
  var count: Int { get }
  mutating func append(_ byte: UInt8)
  mutating func append(_ bytes: Span<UInt8>)
  mutating func append(u16 value: UInt16)
  mutating func append(u32 value: UInt32)
  mutating func append(u64 value: UInt64)
  mutating func append(varint value: UInt64)
}

extension [UInt8]: ByteSink {}

extension Buffer: ByteSink where Element == UInt8 {
  @inline(__always)
  mutating func append(_ bytes: Span<UInt8>) {
    let more = bytes.count
    if more > capacity &- count { grow(by: more) }
    // SAFETY: the room was made; the bytes are somebody else's, as this is held exclusively.
    unsafe bytes.withUnsafeBufferPointer { source in
      unsafe baton_copy(base + count, source.baseAddress, more)
    }
    count &+= more
  }

  @inline(__always)
  mutating func append(u16 value: UInt16) { append(bytesOf: value.littleEndian) }

  @inline(__always)
  mutating func append(u32 value: UInt32) { append(bytesOf: value.littleEndian) }

  @inline(__always)
  mutating func append(u64 value: UInt64) { append(bytesOf: value.littleEndian) }

  /// Appends an unsigned LEB128 in its shortest form.
  @inline(__always)
  mutating func append(varint value: UInt64) {
    if value < 0x80 {
      append(UInt8(truncatingIfNeeded: value))
    } else {
      appendLong(varint: value)
    }
  }

  @inline(never)
  private mutating func appendLong(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  @inline(__always)
  private mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(
    bytesOf number: Number
  ) {
    let size = MemoryLayout<Number>.size
    if size > capacity &- count { grow(by: size) }
    // SAFETY: the room was made; bytes may be written as any integer's.
    unsafe UnsafeMutableRawPointer(base + count).storeBytes(of: number, as: Number.self)
    count &+= size
  }

  /// Overwrites four bytes at `offset`, which must lie inside.
  @inline(__always)
  mutating func store(u32 value: UInt32, at offset: Int) {
    precondition(offset >= 0 && offset <= count &- 4, "an offset outside of a buffer")
    // SAFETY: checked above.
    unsafe UnsafeMutableRawPointer(base + offset).storeBytes(
      of: value.littleEndian, as: UInt32.self)
  }

  /// Writes the checksum over the first four bytes, which a builder leaves for it.
  mutating func seal(table: ImageTable, key: UInt64) {
    store(u32: BatonImage.seal(span.extracting(droppingFirst: 4), table: table, key: key), at: 0)
  }
}
