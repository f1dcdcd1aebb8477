internal import CSimdjson

/// Walks an indexed document value by value, checking the grammar of what it passes.
///
/// The reader stands before a value. The caller asks for what it wants there; `skip` passes a value
/// and checks all of it, `leap` passes one by its brackets alone, for looking ahead.
struct JSONReader: ~Escapable {
  let bytes: Span<UInt8>
  private let offsets: Span<UInt32>
  /// Which of the offsets is next.
  var cursor = 0
  /// Bytes known to hold no backslash: strings inside need no look for escapes.
  private var plain: Range<Int>

  /// How deep values may nest, in what is read and in what is skipped.
  static let maximumDepth = 512

  @_lifetime(copy bytes, copy offsets)
  init(bytes: Span<UInt8>, offsets: Span<UInt32>) {
    self.bytes = bytes
    self.offsets = offsets
    plain = 0..<0
  }

  /// The byte the reader stands at; the document's length at its end.
  @inline(__always)
  var offset: Int {
    cursor < offsets.count ? Int(offsets[cursor]) : bytes.count
  }

  /// The first character of the next value or structure; 0 at the end.
  @inline(__always)
  var character: UInt8 {
    cursor < offsets.count ? bytes[Int(offsets[cursor])] : 0
  }

  var isAtEnd: Bool { cursor >= offsets.count }

  /// An error at the place the reader stands.
  func problem(_ message: String) -> ImageError {
    let what = isAtEnd ? "the document ends; \(message)" : message
    return .response(ResponseProblem(what, offset: offset))
  }

  // MARK: Objects and arrays

  /// Enters an object; true when the reader stands before its first key, false when it is empty
  /// and already passed.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func enterObject() throws(ImageError) -> Bool {
    guard character == UInt8(ascii: "{") else { throw problem("an object is expected") }
    cursor += 1
    guard character == UInt8(ascii: "}") else { return true }
    cursor += 1
    return false
  }

  /// The next key; the reader stands before its value afterwards.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func key() throws(ImageError) -> JSONString {
    guard character == UInt8(ascii: "\"") else { throw problem("a key is expected") }
    let key = try string()
    guard character == UInt8(ascii: ":") else { throw problem("':' is expected") }
    cursor += 1
    return key
  }

  /// Passes a key and the colon behind it where the key is the one expected; false, without moving,
  /// where another stands, or it is spelled with escapes.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func pass(_ key: ExpectedKey) -> Bool {
    guard cursor &+ 1 < offsets.count else { return false }
    let quote = Int(offsets[cursor])
    guard bytes[quote] == UInt8(ascii: "\""), key.stands(at: quote &+ 1, in: bytes),
      bytes[Int(offsets[cursor &+ 1])] == UInt8(ascii: ":")
    else { return false }
    cursor &+= 2
    return true
  }

  /// Stands before the value of a member of the object ahead, where the member is at `place` and
  /// all before it are scalars; false, without moving, when it isn't so.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func find(_ key: ExpectedKey, at place: Int) -> Bool {
    // A bracket, and then four offsets for each member: key, colon, value, comma.
    var next = cursor &+ 1
    guard character == UInt8(ascii: "{"), next &+ 4 &* place < offsets.count else { return false }
    for _ in 0..<place {
      let value = bytes[Int(offsets[next &+ 2])]
      guard value != UInt8(ascii: "{"), value != UInt8(ascii: "["),
        bytes[Int(offsets[next &+ 3])] == UInt8(ascii: ",")
      else { return false }
      next &+= 4
    }
    let start = cursor
    cursor = next
    if pass(key) { return true }
    cursor = start
    return false
  }

  /// Passes what follows a member's value; true when another key follows.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func nextMember() throws(ImageError) -> Bool {
    let found = character
    guard found == UInt8(ascii: ",") || found == UInt8(ascii: "}") else {
      throw problem("',' or '}' is expected")
    }
    cursor += 1
    return found == UInt8(ascii: ",")
  }

  /// Enters an array; true when the reader stands before its first element.
  @_lifetime(self: copy self)
  mutating func enterArray() throws(ImageError) -> Bool {
    guard character == UInt8(ascii: "[") else { throw problem("a list is expected") }
    cursor += 1
    guard character == UInt8(ascii: "]") else { return true }
    cursor += 1
    return false
  }

  /// Passes what follows an element; true when another one follows.
  @_lifetime(self: copy self)
  mutating func nextElement() throws(ImageError) -> Bool {
    let found = character
    guard found == UInt8(ascii: ",") || found == UInt8(ascii: "]") else {
      throw problem("',' or ']' is expected")
    }
    cursor += 1
    return found == UInt8(ascii: ",")
  }

  // MARK: Scalars

  /// Passes a string, whose escapes are checked, and says where its contents lie.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func string() throws(ImageError) -> JSONString {
    let start = offset + 1
    cursor += 1
    // Only white space lies between a string's last quote and the next offset; what is not white
    // space would have an offset of its own.
    var end = offset &- 1
    if end < start || bytes[end] != UInt8(ascii: "\"") {
      while end >= start && JSONReader.isSpace(bytes[end]) { end -= 1 }
      guard end >= start, bytes[end] == UInt8(ascii: "\"") else {
        cursor -= 1
        throw problem("a string has no end")
      }
    }
    if start >= plain.lowerBound && end <= plain.upperBound {
      return JSONString(start: start, end: end, isEscaped: false)
    }
    return try string(from: start, to: end)
  }

  /// A string outside the bytes known to be plain: looks how far they go from here on.
  @inline(never)
  @_lifetime(self: copy self)
  private mutating func string(from start: Int, to end: Int) throws(ImageError) -> JSONString {
    let backslash = bytes.index(of: UInt8(ascii: "\\"), from: start)
    plain = start..<backslash
    guard backslash < end else { return JSONString(start: start, end: end, isEscaped: false) }
    let isEscaped = try JSONString.checkEscapes(in: bytes, from: backslash, to: end)
    return JSONString(start: start, end: end, isEscaped: isEscaped)
  }

  /// Passes a value that is no string, object or list, and says what and where it is.
  @_lifetime(self: copy self)
  mutating func scalar() throws(ImageError) -> JSONScalar {
    let start = offset
    let first = character
    cursor += 1
    var end = offset
    while end > start && JSONReader.isSpace(bytes[end - 1]) { end -= 1 }
    if let scalar = JSONScalar(bytes, from: start, to: end, first: first) { return scalar }
    cursor -= 1
    throw problem("a value is expected")
  }

  @inline(__always)
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Passes an integer of up to 18 digits with nothing behind them, the most common number; nil,
  /// without moving, before any other value, which `scalar` is for.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func shortInteger() -> Int64? {
    guard cursor &+ 1 < offsets.count else { return nil }
    let start = Int(offsets[cursor])
    let end = Int(offsets[cursor &+ 1])
    guard end &- start <= 18, end <= bytes.count else { return nil }
    var value: Int64 = 0
    var index = start
    while index < end {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
      index &+= 1
    }
    guard end > start, end &- start == 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
    cursor &+= 1
    return value
  }

  /// Passes `true` or `false` with nothing behind it; nil, without moving, before any other value.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func boolean() -> Bool? {
    guard cursor &+ 1 < offsets.count else { return nil }
    let start = Int(offsets[cursor])
    let count = Int(offsets[cursor &+ 1]) &- start
    guard count == 4 || count == 5, start <= bytes.count &- 5 else { return nil }
    // The letters of "true", and those behind the first of "false", as the numbers they load as.
    if count == 4 {
      guard bytes.u32(at: start) == 0x6575_7274 else { return nil }
    } else {
      guard bytes[start] == UInt8(ascii: "f"), bytes.u32(at: start &+ 1) == 0x6573_6C61 else {
        return nil
      }
    }
    cursor &+= 1
    return count == 4
  }

  // MARK: Passing values

  /// A value that was passed, and how to pass it again where the same text comes.
  struct Passed: BitwiseCopyable {
    fileprivate var start = 0
    fileprivate var end = 0
    fileprivate var offsetCount = 0
  }

  /// The object or list that began at an earlier cursor and was just passed.
  func passed(since start: Int) -> Passed {
    Passed(
      start: Int(offsets[start]), end: Int(offsets[cursor &- 1]) &+ 1,
      offsetCount: cursor &- start)
  }

  /// Passes a value whose text is that of one passed before; false, without moving, before any
  /// other.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func pass(again value: Passed) -> Bool {
    let start = offset
    let count = value.end &- value.start
    guard count > 0, count <= bytes.count &- start,
      bytes.extracting(value.start..<value.end)
        .isEqual(to: bytes.extracting(start..<start &+ count))
    else { return false }
    cursor &+= value.offsetCount
    return true
  }

  /// A number that objects of one text share: made of the last bytes of their first two values, which
  /// tell most others apart. Never 0.
  @inline(__always)
  var digestOfBeginning: UInt64 {
    // A bracket, and four offsets for a member.
    let last = offsets.count &- 1
    guard cursor < last else { return 1 }
    let first = Int(offsets[min(cursor &+ 4, last)])
    let second = Int(offsets[min(cursor &+ 8, last)])
    guard first >= 8, second >= first, second <= bytes.count else { return 1 }
    let mixed =
      (bytes.u64(at: first &- 8) &* 0x9E37_79B9_7F4A_7C15) ^ bytes.u64(at: second &- 8)
    return (mixed &* 0xBF58_476D_1CE4_E5B9) | 1
  }

  /// Passes a value of any kind by its brackets alone, and checks nothing.
  @_lifetime(self: copy self)
  mutating func leap() {
    // SAFETY: each offset is below the document's length, as the index gave them for it, and both
    // pointers are valid while the closures run.
    cursor = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe offsets.withUnsafeBufferPointer { offsets in
        guard let document = bytes.baseAddress, let first = offsets.baseAddress else {
          return offsets.count
        }
        return unsafe baton_json_leap(document, first, cursor, offsets.count)
      }
    }
  }

  /// Passes a value of any kind and checks its grammar; returns the bytes it takes.
  @_lifetime(self: copy self)
  @discardableResult
  mutating func skip() throws(ImageError) -> Range<Int> {
    let start = offset
    switch character {
    case UInt8(ascii: "\""):
      return start..<(try string().end + 1)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      try skipNested()
      // The closing bracket is the offset just passed.
      return start..<Int(offsets[cursor - 1]) + 1
    default:
      let scalar = try scalar()
      return scalar.start..<scalar.end
    }
  }

  /// Passes an object or list without recursion: the kinds of the open ones are bits of a stack.
  private mutating func skipNested() throws(ImageError) {
    var open = BitStack()
    var expectsValue = true
    repeat {
      if expectsValue {
        expectsValue = try skipValueStart(&open)
      } else {
        let isMore = open.top ? try nextMember() : try nextElement()
        if isMore {
          if open.top { _ = try key() }
          expectsValue = true
        } else {
          open.pop()
        }
      }
    } while open.count > 0
  }

  /// Passes a scalar, or enters an object or list; true when a value is expected next.
  private mutating func skipValueStart(_ open: inout BitStack) throws(ImageError) -> Bool {
    switch character {
    case UInt8(ascii: "{"):
      guard open.push(true) else { throw problem("values nest too deep") }
      if try enterObject() {
        _ = try key()
        return true
      }
      open.pop()
    case UInt8(ascii: "["):
      guard open.push(false) else { throw problem("values nest too deep") }
      if try enterArray() { return true }
      open.pop()
    case UInt8(ascii: "\""): _ = try string()
    default: _ = try scalar()
    }
    return false
  }
}

/// Which of the open values are objects.
private struct BitStack {
  private var words: InlineArray<8, UInt64> = .init(repeating: 0)
  private(set) var count = 0

  var top: Bool { words[(count - 1) >> 6] >> UInt64((count - 1) & 63) & 1 == 1 }

  /// False when the stack is full.
  mutating func push(_ bit: Bool) -> Bool {
    guard count < JSONReader.maximumDepth else { return false }
    let mask: UInt64 = 1 << UInt64(count & 63)
    if bit { words[count >> 6] |= mask } else { words[count >> 6] &= ~mask }
    count += 1
    return true
  }

  mutating func pop() { count -= 1 }
}
