public import BatonPlan

/// Values of GraphQL's input side from JSON: variables, configuration.
extension Value {
  /// Reads one JSON document.
  ///
  /// A number without fraction that 64 bits hold is an `int`, any other a `float`. Throws `response`
  /// with the byte offset when the bytes are no JSON, or a number is too large.
  public init(json: Span<UInt8>) throws(ImageError) {
    var indexer = try JSONIndexer()
    try indexer.index(json)
    var reader = indexer.reader
    self = try Value.read(&reader, depth: 0)
    guard reader.isAtEnd else { throw reader.problem("something follows the document") }
  }

  private static let maximumDepth = 128

  @_lifetime(reader: copy reader)
  private static func read(_ reader: inout JSONReader, depth: Int) throws(ImageError) -> Value {
    guard depth < maximumDepth else { throw reader.problem("values nest too deep") }
    switch reader.character {
    case UInt8(ascii: "{"):
      var members: [Member] = []
      guard try reader.enterObject() else { return .object([]) }
      repeat {
        let key = try reader.key()
        let name = JSONText.text(key, in: reader.bytes)
        let value = try read(&reader, depth: depth + 1)
        members.removeAll { $0.name == name }
        members.append(Member(name, value))
      } while try reader.nextMember()
      return .object(members)
    case UInt8(ascii: "["):
      var elements: [Value] = []
      guard try reader.enterArray() else { return .list([]) }
      repeat { elements.append(try read(&reader, depth: depth + 1)) } while try reader.nextElement()
      return .list(elements)
    case UInt8(ascii: "\""):
      return .string(JSONText.text(try reader.string(), in: reader.bytes))
    default: return try readScalar(&reader)
    }
  }

  @_lifetime(reader: copy reader)
  private static func readScalar(_ reader: inout JSONReader) throws(ImageError) -> Value {
    let start = reader
    let scalar = try reader.scalar()
    switch scalar.kind {
    case .null: return .null
    case .true: return .boolean(true)
    case .false: return .boolean(false)
    case .integer, .fraction:
      if let number = scalar.int(in: reader.bytes) { return .int(number) }
      guard let number = scalar.float(in: reader.bytes), number.isFinite else {
        throw start.problem("the number is too large")
      }
      return .float(number)
    }
  }
}
