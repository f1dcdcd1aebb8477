/// Appends cells to a byte array: Docs/Format.md section 7.
enum CellEncoder {
  static func appendNull<Sink: ByteSink & ~Copyable>(to bytes: inout Sink) {
    bytes.append(CellKind.null.rawValue)
  }

  static func append<Sink: ByteSink & ~Copyable>(_ flag: Bool, to bytes: inout Sink) {
    bytes.append((flag ? CellKind.true : CellKind.false).rawValue)
  }

  static func append<Sink: ByteSink & ~Copyable>(_ number: Int64, to bytes: inout Sink) {
    bytes.append(CellKind.int.rawValue)
    appendPayload(number, to: &bytes)
  }

  /// Appends an integer in the fewest of 1, 2, 4 or 8 bytes.
  @inline(__always)
  static func appendPayload<Sink: ByteSink & ~Copyable>(_ number: Int64, to bytes: inout Sink) {
    if let small = Int8(exactly: number) {
      bytes.append(UInt8(bitPattern: small))
    } else if let small = Int16(exactly: number) {
      bytes.append(u16: UInt16(bitPattern: small))
    } else if let small = Int32(exactly: number) {
      bytes.append(u32: UInt32(bitPattern: small))
    } else {
      bytes.append(u64: UInt64(bitPattern: number))
    }
  }

  /// Appends a float; `text` is its token, kept when the shortest form is another text.
  static func append<Sink: ByteSink & ~Copyable>(
    _ number: Double, text: Span<UInt8>, to bytes: inout Sink
  ) {
    bytes.append(CellKind.float.rawValue)
    appendPayload(number, text: text, to: &bytes)
  }

  static func appendPayload<Sink: ByteSink & ~Copyable>(
    _ number: Double, text: Span<UInt8>, to bytes: inout Sink
  ) {
    bytes.append(u64: number.bitPattern)
    if !isShortest(number, text) { bytes.append(text) }
  }

  /// Whether `text` is the number's shortest form, as `Double.description` gives it.
  static func isShortest(_ number: Double, _ text: Span<UInt8>) -> Bool {
    number.description.utf8.span.isEqual(to: text)
  }

  static func append<Sink: ByteSink & ~Copyable>(link number: UInt32, to bytes: inout Sink) {
    bytes.append(CellKind.link.rawValue)
    bytes.append(u32: number)
  }

  /// Appends an element of a list.
  static func appendElement<Sink: ByteSink & ~Copyable>(
    _ kind: CellKind, payload: [UInt8], to bytes: inout Sink
  ) {
    bytes.append(kind.rawValue)
    bytes.append(varint: UInt64(payload.count))
    bytes.append(payload.span)
  }

  /// Appends an element that is a link, or null for record 0.
  static func appendElement<Sink: ByteSink & ~Copyable>(link number: UInt32, to bytes: inout Sink) {
    guard number != 0 else {
      appendElement(.null, payload: [], to: &bytes)
      return
    }
    bytes.append(CellKind.link.rawValue)
    bytes.append(varint: 4)
    bytes.append(u32: number)
  }

  /// Appends the cell's bytes with an errors block beside its value.
  static func append<Sink: ByteSink & ~Copyable>(
    cell: Span<UInt8>, errors: Span<UInt8>, isStale: Bool, to bytes: inout Sink
  ) throws(ImageError) {
    let view = try CellView(cell)
    bytes.append(view.kind.rawValue | CellKind.errors | (isStale ? CellKind.stale : 0))
    bytes.append(varint: UInt64(errors.count))
    bytes.append(errors)
    bytes.append(view.payload)
  }
}
