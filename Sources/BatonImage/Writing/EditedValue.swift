/// A value that `Image.write` gives a field.
public indirect enum EditedValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case int(Int64)
  /// A finite number.
  case float(Double)
  case string(String)
  /// The source text of a JSON value that is no string: a custom scalar's, or a number that no other
  /// case holds exactly.
  case source(String)
  /// Another record of the same write.
  case link(ImageEditor.Record)
  /// A list of records, nil for null. An empty list of objects is this, and not an empty `list`.
  case links([ImageEditor.Record?])
  /// A list of anything, lists too.
  case list([EditedValue])
}

extension EditedValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .float(value) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: EditedValue...) { self = .list(elements) }
}

/// Encodes edited values as cells: Docs/Format.md section 7.
struct EditedValueEncoder {
  /// Gives the number of a record, and throws for one of another write.
  let number: (ImageEditor.Record) throws(ImageError) -> UInt32

  /// Appends the cell of a value.
  ///
  /// Throws `usage` for what a field can't hold.
  func append(_ value: EditedValue, to bytes: inout [UInt8]) throws(ImageError) {
    if case .list(let elements) = value, Self.areLinks(elements) {
      return try append(.links(elements.map(\.record)), to: &bytes)
    }
    let start = bytes.count
    bytes.append(0)
    bytes[start] = try appendPayload(value, to: &bytes, depth: 0).rawValue
  }

  /// Whether a list is one of records, as responses bring it.
  private static func areLinks(_ elements: [EditedValue]) -> Bool {
    elements.contains { $0.record != nil }
      && elements.allSatisfy { $0.record != nil || $0 == .null }
  }

  private func appendPayload(
    _ value: EditedValue, to bytes: inout [UInt8], depth: Int
  ) throws(ImageError) -> CellKind {
    switch value {
    case .null: return .null
    case .boolean(let flag): return flag ? .true : .false
    case .int(let number):
      CellEncoder.appendPayload(number, to: &bytes)
      return .int
    case .float(let number):
      guard number.isFinite else { throw .usage("\(number) is no number that JSON has") }
      CellEncoder.appendPayload(number, text: number.description.utf8.span, to: &bytes)
      return .float
    case .string(let text):
      bytes.append(contentsOf: text.utf8)
      return .string
    case .source(let text):
      try check(source: text)
      bytes.append(contentsOf: text.utf8)
      return .source
    case .link(let record):
      bytes.append(u32: try number(record))
      return .link
    case .links(let records):
      if depth > 0 {
        return try appendPayload(
          .list(records.map { $0.map { .link($0) } ?? .null }), to: &bytes, depth: depth)
      }
      for record in records {
        let number: UInt32 = if let record { try number(record) } else { 0 }
        bytes.append(u32: number)
      }
      return .links
    case .list(let elements):
      guard depth < CellKind.maximumDepth else { throw .usage("lists nest too deep") }
      for element in elements {
        var payload: [UInt8] = []
        let kind = try appendPayload(element, to: &payload, depth: depth + 1)
        CellEncoder.appendElement(kind, payload: payload, to: &bytes)
      }
      return .list
    }
  }

  private func check(source text: String) throws(ImageError) {
    let bytes = Array(text.utf8)
    var check = try JSONCheck()
    guard check.isValue(bytes.span), bytes.first != UInt8(ascii: "\"") else {
      throw .usage("the source text is no JSON value, or a string")
    }
  }
}

extension EditedValue {
  fileprivate var record: ImageEditor.Record? {
    if case .link(let record) = self { record } else { nil }
  }
}
