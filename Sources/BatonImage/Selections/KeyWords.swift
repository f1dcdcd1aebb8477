/// The first sixteen bytes of a name as two numbers, and its length: most names are told apart by
/// them alone, with two loads and no loop.
struct KeyWords: Equatable, BitwiseCopyable {
  let first: UInt64
  let second: UInt64
  let count: Int

  /// How many bytes the numbers hold; of longer names the rest is to be compared.
  static let covered = 16

  /// The words of the bytes between two offsets.
  @inline(__always)
  init(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    count = end - start
    first = bytes.word(at: start, count: min(count, 8))
    second = count > 8 ? bytes.word(at: start &+ 8, count: min(count &- 8, 8)) : 0
  }

  init(_ bytes: [UInt8]) {
    self.init(bytes.span, from: 0, to: bytes.count)
  }
}

/// A key that is looked for where it is expected: compared in place, with two loads.
struct ExpectedKey: BitwiseCopyable {
  let words: KeyWords
  private let firstMask: UInt64
  private let secondMask: UInt64

  /// How many bytes behind a key's start have to be there for the loads.
  private static let reach = 17

  init(_ words: KeyWords) {
    self.words = words
    firstMask = Self.mask(min(words.count, 8))
    secondMask = Self.mask(min(max(words.count - 8, 0), 8))
  }

  private static func mask(_ count: Int) -> UInt64 {
    count == 8 ? .max : (1 << UInt64(count * 8)) - 1
  }

  /// Whether the key and a quote stand at an offset. False too for a key longer than the words.
  @inline(__always)
  func stands(at start: Int, in bytes: Span<UInt8>) -> Bool {
    guard words.count <= KeyWords.covered, start <= bytes.count &- Self.reach else { return false }
    let first = bytes.u64(at: start) & firstMask
    let second = bytes.u64(at: start &+ 8) & secondMask
    return first == words.first && second == words.second
      && bytes[start &+ words.count] == UInt8(ascii: "\"")
  }
}

extension Span<UInt8> {
  /// Up to eight bytes as a little-endian number.
  @inline(__always)
  fileprivate func word(at offset: Int, count size: Int) -> UInt64 {
    guard offset <= count &- 8 else { return slowWord(at: offset, count: size) }
    let unused = UInt64(truncatingIfNeeded: 64 &- size &* 8) & 63
    return size == 0 ? 0 : (u64(at: offset) &<< unused) &>> unused
  }

  /// The same near the span's end.
  @inline(never)
  private func slowWord(at offset: Int, count size: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<size { word |= UInt64(self[offset + index]) << UInt64(index * 8) }
    return word
  }
}

/// A name that keys and type names of responses are held against.
struct ResponseKey {
  let bytes: [UInt8]
  let words: KeyWords
  let expected: ExpectedKey

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    words = KeyWords(bytes)
    expected = ExpectedKey(words)
  }

  init(_ text: String) {
    self.init(Array(text.utf8))
  }

  @inline(__always)
  func isEqual(to other: ResponseKey) -> Bool {
    words == other.words && (words.count <= KeyWords.covered || bytes == other.bytes)
  }

  func isEqual(to name: Span<UInt8>) -> Bool {
    bytes.span.isEqual(to: name)
  }

  /// Whether a string of a document spells the name.
  @inline(__always)
  func matches(_ string: JSONString, in document: Span<UInt8>) -> Bool {
    if string.isEscaped || words.count > KeyWords.covered {
      return string.spells(bytes, in: document)
    }
    return words == KeyWords(document, from: string.start, to: string.end)
  }
}
