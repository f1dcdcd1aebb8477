/// A Swift type that a leaf's cell reads as.
public protocol LensScalar {
  /// The value of a cell; nil when the cell is of another kind or the value does not fit.
  init?(cell: borrowing ScalarCell)
}

/// A scalar as the image holds it, for conversions.
public struct ScalarCell: ~Escapable {
  let kind: CellKind
  let payload: Span<UInt8>

  @_lifetime(copy payload)
  init(_ kind: CellKind, _ payload: Span<UInt8>) {
    self.kind = kind
    self.payload = payload
  }

  /// The text: a string's contents, or the source text of another token.
  public var text: String? {
    switch kind {
    case .string, .source: return payload.text()
    case .null, .link, .links, .list: return nil
    default:
      var out: [UInt8] = []
      return JSONWriter.append(kind, payload, to: &out) ? String(decoding: out, as: UTF8.self) : nil
    }
  }
}

extension String: LensScalar {
  public init?(cell: borrowing ScalarCell) {
    guard cell.kind == .string || cell.kind == .source else { return nil }
    self = cell.payload.text()
  }
}

extension Bool: LensScalar {
  public init?(cell: borrowing ScalarCell) {
    switch cell.kind {
    case .true: self = true
    case .false: self = false
    default: return nil
    }
  }
}

extension Int64: LensScalar {
  public init?(cell: borrowing ScalarCell) {
    switch cell.kind {
    case .int:
      guard let number = CellView.int(cell.payload) else { return nil }
      self = number
    case .float:
      guard cell.payload.count >= 8,
        let number = Int64(exactly: Double(bitPattern: cell.payload.u64(at: 0)))
      else { return nil }
      self = number
    case .source:
      // A service may write a whole number as 3.0.
      guard let float = Double(cell.payload.text()), let number = Int64(exactly: float) else {
        return nil
      }
      self = number
    default: return nil
    }
  }
}

extension Int: LensScalar {
  public init?(cell: borrowing ScalarCell) {
    guard let number = Int64(cell: cell), let exact = Int(exactly: number) else { return nil }
    self = exact
  }
}

extension Double: LensScalar {
  public init?(cell: borrowing ScalarCell) {
    switch cell.kind {
    case .float:
      guard cell.payload.count >= 8 else { return nil }
      self = Double(bitPattern: cell.payload.u64(at: 0))
    case .int:
      guard let number = CellView.int(cell.payload) else { return nil }
      self = Double(number)
    case .source:
      guard let number = Double(cell.payload.text()) else { return nil }
      self = number
    default: return nil
    }
    guard isFinite else { return nil }
  }
}

/// An enum's value: one the build knows, or the text of one it doesn't.
public enum EnumValue<Known: RawRepresentable>: LensScalar where Known.RawValue == String {
  case known(Known)
  case unknown(String)

  public init?(cell: borrowing ScalarCell) {
    guard let text = String(cell: cell) else { return nil }
    self = Known(rawValue: text).map { .known($0) } ?? .unknown(text)
  }

  /// The value when the build knows it.
  public var known: Known? {
    if case .known(let value) = self { value } else { nil }
  }
}

extension EnumValue: Sendable where Known: Sendable {}
extension EnumValue: Equatable where Known: Equatable {}

extension Lens {
  /// A non-null leaf.
  ///
  /// Throws when the field is missing, null, errored or deleted, or holds no such value.
  @inlinable
  public func value<Scalar: LensScalar>(
    _ key: FieldKey, as type: Scalar.Type = Scalar.self
  ) throws(FieldProblem) -> Scalar {
    guard let value = try optional(key, as: type) else { throw nullProblem(key) }
    return value
  }

  /// A nullable leaf: nil when the server said null.
  ///
  /// Throws when the field is missing, errored or deleted, or holds no such value.
  public func optional<Scalar: LensScalar>(
    _ key: FieldKey, as _: Scalar.Type = Scalar.self
  ) throws(FieldProblem) -> Scalar? {
    guard let cell = try value(key) else { return nil }
    guard let value = Scalar(cell: ScalarCell(cell.kind, cell.payload)) else {
      throw problem(key, .mismatch("the value is no \(Scalar.self)"))
    }
    return value
  }

  public func string(_ key: FieldKey) throws(FieldProblem) -> String { try value(key) }
  public func int(_ key: FieldKey) throws(FieldProblem) -> Int { try value(key) }
  public func double(_ key: FieldKey) throws(FieldProblem) -> Double { try value(key) }
  public func bool(_ key: FieldKey) throws(FieldProblem) -> Bool { try value(key) }

  /// The bytes of a string in place; they borrow the snapshot. Nil for null.
  @_lifetime(copy self)
  public func bytes(_ key: FieldKey) throws(FieldProblem) -> Span<UInt8>? {
    guard let cell = try value(key) else { return nil }
    guard cell.kind == .string || cell.kind == .source else {
      throw problem(key, .mismatch("the value is no text"))
    }
    return cell.payload
  }

  /// A non-null custom scalar through a conversion of its text.
  ///
  /// Throws `mismatch` when the conversion gives nil.
  public func converted<Result>(
    _ key: FieldKey, by convert: (String) -> Result?
  ) throws(FieldProblem) -> Result {
    guard let result = try optionalConverted(key, by: convert) else { throw nullProblem(key) }
    return result
  }

  /// A nullable custom scalar through a conversion of its text.
  public func optionalConverted<Result>(
    _ key: FieldKey, by convert: (String) -> Result?
  ) throws(FieldProblem) -> Result? {
    guard let cell = try value(key) else { return nil }
    guard let text = ScalarCell(cell.kind, cell.payload).text, let result = convert(text) else {
      throw problem(key, .mismatch("the text does not convert to \(Result.self)"))
    }
    return result
  }

  /// A list of leaves, null elements as nil; nil for a null list.
  public func list<Scalar: LensScalar>(
    _ key: FieldKey, of _: Scalar.Type = Scalar.self
  ) throws(FieldProblem) -> [Scalar?]? {
    guard let cell = try value(key) else { return nil }
    guard cell.kind == .list else { throw problem(key, .mismatch("the value is no list")) }
    var reader = ByteReader(cell.payload)
    var values: [Scalar?] = []
    while !reader.isAtEnd {
      guard let byte = reader.byte(), let kind = CellKind(rawValue: byte),
        let payload = reader.prefixed()
      else { throw problem(key, .damaged(Damage("cell", "an element is cut"))) }
      if kind == .null {
        values.append(nil)
      } else if let value = Scalar(cell: ScalarCell(kind, payload)) {
        values.append(value)
      } else {
        throw problem(key, .mismatch("an element is no \(Scalar.self)"))
      }
    }
    return values
  }

  @usableFromInline
  func nullProblem(_ key: FieldKey) -> FieldProblem { problem(key, .null) }
}
