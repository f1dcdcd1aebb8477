/// Values that hold several entries because the hashes of their texts are equal:
/// Docs/Format.md section 3.
enum Entries {
  /// Calls `body` with each payload of a value until it returns false.
  ///
  /// Throws `damaged` when an entry is longer than the rest.
  static func forEach(
    _ value: Span<UInt8>, _ body: (Span<UInt8>) throws(ImageError) -> Bool
  ) throws(ImageError) {
    var position = 4
    while position < value.count {
      if try !body(try payload(in: value, at: &position)) { return }
    }
  }

  private static var cut: ImageError { .damaged(Damage("entries", "an entry is cut")) }

  /// The payload whose text, from `offset` to its end, is `text`; nil when there is none.
  @_lifetime(copy value)
  static func payload(
    in value: Span<UInt8>, text: Span<UInt8>, at offset: Int
  ) throws(ImageError) -> Span<UInt8>? {
    var position = 4
    while position < value.count {
      let payload = try payload(in: value, at: &position)
      if payload.count >= offset, payload.extracting(droppingFirst: offset).isEqual(to: text) {
        return payload
      }
    }
    return nil
  }

  /// Appends the entries of a value but those that `isLeftOut` picks.
  static func append<Sink: ByteSink & ~Copyable>(
    _ value: Span<UInt8>, to out: inout Sink, except isLeftOut: (Span<UInt8>) -> Bool
  ) throws(ImageError) {
    var position = 4
    while position < value.count {
      let payload = try payload(in: value, at: &position)
      guard !isLeftOut(payload) else { continue }
      out.append(u32: UInt32(payload.count))
      out.append(payload)
    }
  }

  /// The payload of the entry at `position`, which is moved behind it.
  @_lifetime(copy value)
  private static func payload(
    in value: Span<UInt8>, at position: inout Int
  ) throws(ImageError) -> Span<UInt8> {
    guard position + 4 <= value.count else { throw cut }
    let count = Int(value.u32(at: position))
    position += 4
    guard count <= value.count - position else { throw cut }
    defer { position += count }
    return value.extracting(position..<position + count)
  }

  /// A value whose payloads are those of `value` without the one that `isReplaced` picks, and
  /// `payload` at the end, if any. Nil when none is left. The checksum is left to the caller.
  static func replacing(
    in value: Span<UInt8>?, with payload: [UInt8]?, where isReplaced: (Span<UInt8>) -> Bool
  ) throws(ImageError) -> [UInt8]? {
    var out: [UInt8] = [0, 0, 0, 0]
    if let value { try append(value, to: &out, except: isReplaced) }
    if let payload {
      out.append(u32: UInt32(payload.count))
      out.append(contentsOf: payload)
    }
    return out.count > 4 ? out : nil
  }
}

/// Values that are numbers repeated after the checksum.
enum NumberList {
  /// The value with a number added in order, or nil when it has it.
  static func adding(_ number: UInt32, to value: Span<UInt8>?) -> [UInt8]? {
    var numbers = numbers(value)
    guard !numbers.contains(number) else { return nil }
    numbers.append(number)
    return encode(numbers.sorted())
  }

  /// The value without a number; nil when none is left.
  static func removing(_ number: UInt32, from value: Span<UInt8>?) -> [UInt8]? {
    let numbers = numbers(value).filter { $0 != number }
    return numbers.isEmpty ? nil : encode(numbers)
  }

  static func numbers(_ value: Span<UInt8>?) -> [UInt32] {
    guard let value else { return [] }
    var numbers: [UInt32] = []
    for offset in stride(from: 4, to: value.count - 3, by: 4) {
      numbers.append(value.u32(at: offset))
    }
    return numbers
  }

  static func encode(_ numbers: [UInt32]) -> [UInt8] {
    var out: [UInt8] = [0, 0, 0, 0]
    for number in numbers { out.append(u32: number) }
    return out
  }
}

/// Values that are 64-bit hashes repeated after the checksum.
enum HashList {
  static func hashes(_ value: Span<UInt8>?) -> [UInt64] {
    guard let value else { return [] }
    var hashes: [UInt64] = []
    for offset in stride(from: 4, to: value.count - 7, by: 8) {
      hashes.append(value.u64(at: offset))
    }
    return hashes
  }

  /// The value of hashes in order; nil when there are none.
  static func encode(_ hashes: some Collection<UInt64>) -> [UInt8]? {
    guard !hashes.isEmpty else { return nil }
    var out: [UInt8] = [0, 0, 0, 0]
    for hash in hashes.sorted() { out.append(u64: hash) }
    return out
  }
}
