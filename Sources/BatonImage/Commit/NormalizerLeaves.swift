import BatonPlan

/// Reading leaves: tokens to cells, by what the schema says of them.
extension Normalizer {
  /// Appends the cell of the leaf the reader stands before.
  @_lifetime(reader: copy reader)
  mutating func leaf(_ reader: inout JSONReader, field: ShapeField) throws(ImageError) {
    let start = changes.bytes.count
    if field.edit != nil { try noteIds(reader, field) }
    if isList(reader, field.leaf, field.listDepth, depth: 0) {
      let elements = try self.elements(&reader, field: field, depth: 1)
      changes.bytes.append(CellKind.list.rawValue)
      changes.bytes.append(contentsOf: elements)
      return
    }
    if reader.character == UInt8(ascii: "\"") {
      let string = try reader.string()
      changes.bytes.append(CellKind.string.rawValue)
      string.appendDecoded(from: reader.bytes, to: &changes.bytes)
      return
    }
    changes.bytes.append(0)
    changes.bytes[start] = try Self.token(&reader, field.leaf, to: &changes.bytes).rawValue
  }

  /// Whether the value is a list whose elements are kept apart, and not a custom scalar's own.
  private func isList(
    _ reader: JSONReader, _ leaf: Leaf, _ listDepth: Int?, depth: Int
  ) -> Bool {
    guard reader.character == UInt8(ascii: "[") else { return false }
    guard let listDepth else { return true }
    return depth < listDepth || leaf != .custom
  }

  /// The elements of a list of leaves: Docs/Format.md section 7.
  @_lifetime(reader: copy reader)
  private mutating func elements(
    _ reader: inout JSONReader, field: ShapeField, depth: Int
  ) throws(ImageError) -> [UInt8] {
    guard depth < CellKind.maximumDepth else { throw reader.problem("lists nest too deep") }
    var bytes: [UInt8] = []
    guard try reader.enterArray() else { return bytes }
    var payload: [UInt8] = []
    repeat {
      payload.removeAll(keepingCapacity: true)
      let kind: CellKind
      if isList(reader, field.leaf, field.listDepth, depth: depth) {
        kind = .list
        payload = try elements(&reader, field: field, depth: depth + 1)
      } else if reader.character == UInt8(ascii: "\"") {
        kind = .string
        try reader.string().appendDecoded(from: reader.bytes, to: &payload)
      } else {
        kind = try Self.token(&reader, field.leaf, to: &payload)
      }
      CellEncoder.appendElement(kind, payload: payload, to: &bytes)
    } while try reader.nextElement()
    return bytes
  }

  /// Appends the payload of a token that is no string; its kind.
  ///
  /// Static, as a call on `self` beside `&changes.bytes` would copy the change set.
  @_lifetime(reader: copy reader)
  private static func token(
    _ reader: inout JSONReader, _ leaf: Leaf, to payload: inout some ByteSink & ~Copyable
  ) throws(ImageError) -> CellKind {
    if reader.character == UInt8(ascii: "{") || reader.character == UInt8(ascii: "[") {
      guard leaf == .custom || leaf == .unknown else {
        throw reader.problem("a scalar is expected, as the document selects no fields of it")
      }
      let range = try reader.skip()
      payload.append(reader.bytes.extracting(range))
      return .source
    }
    let scalar = try reader.scalar()
    let text = reader.bytes.extracting(scalar.start..<scalar.end)
    switch scalar.kind {
    case .null: return .null
    case .true, .false:
      guard leaf != .custom else {
        payload.append(text)
        return .source
      }
      return scalar.kind == .true ? .true : .false
    case .integer, .fraction:
      return number(scalar, text, in: reader.bytes, leaf, to: &payload)
    }
  }

  /// Appends a number: in 8 bytes or fewer where that gives its token back, else its source text.
  private static func number(
    _ scalar: JSONScalar, _ text: Span<UInt8>, in bytes: Span<UInt8>, _ leaf: Leaf,
    to payload: inout some ByteSink & ~Copyable
  ) -> CellKind {
    if leaf == .float, let value = scalar.float(in: bytes), value.isFinite {
      CellEncoder.appendPayload(value, text: text, to: &payload)
      return .float
    }
    if leaf != .custom {
      if let value = scalar.int(in: bytes) {
        CellEncoder.appendPayload(value, to: &payload)
        return .int
      }
      if leaf == .unknown, scalar.kind == .fraction, let value = scalar.float(in: bytes),
        CellEncoder.isShortest(value, text)
      {
        CellEncoder.appendPayload(value, text: text, to: &payload)
        return .float
      }
    }
    payload.append(text)
    return .source
  }

  /// Notes the ids a field with an edge or record directive holds; the reader stays before it.
  private mutating func noteIds(_ reader: JSONReader, _ field: ShapeField) throws(ImageError) {
    var ahead = reader
    var ids: [[UInt8]] = []
    if ahead.character == UInt8(ascii: "[") {
      guard try ahead.enterArray() else { return }
      repeat {
        if ahead.character == UInt8(ascii: "\"") {
          ids.append(JSONText.bytes(try ahead.string(), in: ahead.bytes))
        } else {
          ids.append(ahead.bytes.extracting(try ahead.skip()).copy())
        }
      } while try ahead.nextElement()
    } else if ahead.character == UInt8(ascii: "\"") {
      ids.append(JSONText.bytes(try ahead.string(), in: ahead.bytes))
    } else {
      ids.append(ahead.bytes.extracting(try ahead.skip()).copy())
    }
    note(field, subject: .ids(ids))
  }
}

extension Leaf {
  /// Whether an integer's cell is its number: that of a float is a float, and that of a custom scalar
  /// its source text.
  var keepsIntegers: Bool { self != .float && self != .custom }
}
