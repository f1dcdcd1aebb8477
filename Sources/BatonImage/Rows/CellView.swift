/// One cell read in place: Docs/Format.md section 7.
package struct CellView: ~Escapable {
  /// The whole cell, its kind byte first.
  package let bytes: Span<UInt8>
  package let kind: CellKind
  private let errorsStart: Int
  private let payloadStart: Int

  /// Throws `damaged` when the kind is unknown or the errors block doesn't fit.
  @inline(__always)
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) throws(ImageError) {
    guard bytes.count > 0, let kind = CellKind(rawValue: bytes[0] & CellKind.mask) else {
      throw .damaged(Damage("cell", "its kind is unknown"))
    }
    self.bytes = bytes
    self.kind = kind
    if bytes[0] & CellKind.errors == 0 {
      errorsStart = 1
      payloadStart = 1
    } else {
      var reader = ByteReader(bytes, at: 1)
      guard let length = reader.length() else {
        throw .damaged(Damage("cell", "its errors are longer than the cell"))
      }
      errorsStart = reader.position
      payloadStart = reader.position + length
    }
  }

  /// The value's bytes behind the kind and the errors.
  package var payload: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(droppingFirst: payloadStart) }
  }

  /// The errors block; empty when the field has none.
  package var errors: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(errorsStart..<payloadStart) }
  }

  package var hasErrors: Bool { bytes[0] & CellKind.errors != 0 }

  /// Whether the value is the last good one of a field that is null under an error.
  package var isStale: Bool { bytes[0] & CellKind.stale != 0 }

  /// Whether the field reads as null because an error covers it.
  package var isErrored: Bool { hasErrors && (isStale || kind == .null) }

  /// The integer of an `int` cell; nil for another kind or a length no integer has.
  package var int: Int64? {
    guard kind == .int else { return nil }
    return CellView.int(payload)
  }

  /// Decodes the payload of an integer.
  package static func int(_ payload: Span<UInt8>) -> Int64? {
    switch payload.count {
    case 1: Int64(Int8(bitPattern: payload[0]))
    case 2: Int64(Int16(bitPattern: payload.u16(at: 0)))
    case 4: Int64(Int32(bitPattern: payload.u32(at: 0)))
    case 8: Int64(bitPattern: payload.u64(at: 0))
    default: nil
    }
  }

  /// The number of a `float` cell; nil for another kind.
  package var float: Double? {
    guard kind == .float, payload.count >= 8 else { return nil }
    return Double(bitPattern: payload.u64(at: 0))
  }

  /// The record of a `link` cell; nil for another kind.
  package var link: UInt32? {
    guard kind == .link, payload.count == 4 else { return nil }
    return payload.u32(at: 0)
  }

  /// How many elements a `links` cell has; 0 for another kind.
  package var linkCount: Int { kind == .links ? payload.count / 4 : 0 }

  /// The record of an element of a `links` cell, 0 for null.
  package func link(at index: Int) -> UInt32 { payload.u32(at: index * 4) }
}

/// Reads varints and length-prefixed parts from a span, checking each length.
package struct ByteReader: ~Escapable {
  package let bytes: Span<UInt8>
  package private(set) var position: Int

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  package var isAtEnd: Bool { position >= bytes.count }

  /// The next byte; nil at the end.
  package mutating func byte() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// The next varint; nil when it is cut, too long, or not in its shortest form.
  package mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let next = byte() {
      let part = UInt64(next & 0x7F)
      guard shift < 63 || part <= 1 else { return nil }
      value |= part << shift
      if next & 0x80 == 0 { return next == 0 && shift > 0 ? nil : value }
      shift += 7
      guard shift < 70 else { return nil }
    }
    return nil
  }

  /// A varint that is a length the rest holds; nil otherwise.
  package mutating func length() -> Int? {
    guard let value = varint(), value <= UInt64(bytes.count - position) else { return nil }
    return Int(value)
  }

  /// The next `count` bytes; nil when fewer are left.
  @_lifetime(copy self)
  package mutating func part(_ count: Int) -> Span<UInt8>? {
    guard count >= 0, count <= bytes.count - position else { return nil }
    defer { position += count }
    return bytes.extracting(position..<position + count)
  }

  /// A part behind its length as a varint; nil when it doesn't fit.
  @_lifetime(copy self)
  package mutating func prefixed() -> Span<UInt8>? {
    guard let count = length() else { return nil }
    return part(count)
  }
}
