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
      var members = Members()
      guard try reader.enterObject() else { return .object([]) }
      repeat {
        let key = try reader.key()
        let name = JSONText.text(key, in: reader.bytes)
        members.set(name, try read(&reader, depth: depth + 1))
      } while try reader.nextMember()
      return .object(members.all)
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

  /// The members of an object; of those with one name the last counts.
  private struct Members {
    private(set) var all: [Member] = []
    /// Where each is, once there are too many to look through.
    private var places: [String: Int] = [:]

    private static let few = 8

    mutating func set(_ name: String, _ value: Value) {
      if all.count == Self.few {
        for (place, member) in all.enumerated() { places[member.name] = place }
      }
      let known =
        all.count < Self.few ? all.firstIndex { $0.name == name } : places[name]
      if let known {
        all[known].value = value
      } else {
        if all.count >= Self.few { places[name] = all.count }
        all.append(Member(name, value))
      }
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
