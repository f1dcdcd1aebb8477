/// A natural key: the path of storage keys that led to a record, such as
/// `repository(name:"w",owner:"o")/issue(number:7)`.
///
/// Its text is canonical (Docs/Format.md sections 5 and 9); parsing takes the arguments in any
/// order, white space between tokens, and GraphQL's or JSON's values.
public struct NaturalKey: Sendable, Hashable {
  /// One field on the path.
  public struct Step: Sendable, Hashable {
    public var name: String
    public var arguments: [Value.Member]

    public init(_ name: String, _ arguments: [Value.Member]) {
      self.name = name
      self.arguments = arguments
    }
  }

  public var steps: [Step]

  public init(steps: [Step]) {
    self.steps = steps
  }

  /// The canonical text.
  public var text: String {
    var bytes: [UInt8] = []
    for (index, step) in steps.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "/")) }
      let arguments = step.arguments
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        .map { PlanArgument($0.name, .constant($0.value)) }
      StorageKey.append(name: step.name, arguments: arguments, variables: [:], to: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Parses a key.
  ///
  /// Throws a message and the byte offset of what is not understood.
  public init(parsing text: String) throws(NaturalKeyProblem) {
    var parser = NaturalKeyParser(text)
    steps = try parser.parse()
  }
}

/// Why a text is no natural key, and at which byte.
public struct NaturalKeyProblem: Error, Sendable, Equatable, CustomStringConvertible {
  public var message: String
  public var offset: Int

  public init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }

  public var description: String { "byte \(offset): \(message)" }
}

/// Reads natural keys from left to right.
private struct NaturalKeyParser {
  private let bytes: [UInt8]
  private var position = 0
  private static let maximumDepth = 64

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func parse() throws(NaturalKeyProblem) -> [NaturalKey.Step] {
    var steps = [try step()]
    while take("/") { steps.append(try step()) }
    skipSpace()
    guard position == bytes.count else { throw problem("'/' or the end is expected") }
    return steps
  }

  private func problem(_ message: String) -> NaturalKeyProblem {
    NaturalKeyProblem(message, at: position)
  }

  private mutating func skipSpace() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
      position += 1
    }
  }

  /// Passes a character when it is next.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func step() throws(NaturalKeyProblem) -> NaturalKey.Step {
    var step = NaturalKey.Step(try name(), [])
    guard take("(") else { return step }
    repeat {
      let name = try name()
      guard take(":") else { throw problem("':' is expected") }
      guard !step.arguments.contains(where: { $0.name == name }) else {
        throw problem("the argument \(name) is given twice")
      }
      step.arguments.append(.init(name, try value(depth: 0)))
      _ = take(",")
    } while !take(")")
    return step
  }

  private mutating func name() throws(NaturalKeyProblem) -> String {
    skipSpace()
    let start = position
    while position < bytes.count, Self.isNamePart(bytes[position], isFirst: position == start) {
      position += 1
    }
    guard position > start else { throw problem("a name is expected") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isNamePart(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"):
      true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): !isFirst
    default: false
    }
  }

  private mutating func value(depth: Int) throws(NaturalKeyProblem) -> Value {
    guard depth < Self.maximumDepth else { throw problem("values nest too deep") }
    skipSpace()
    guard position < bytes.count else { throw problem("a value is expected") }
    switch bytes[position] {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "["):
      position += 1
      var elements: [Value] = []
      while !take("]") {
        elements.append(try value(depth: depth + 1))
        _ = take(",")
      }
      return .list(elements)
    case UInt8(ascii: "{"):
      position += 1
      return .object(try members(depth: depth))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default:
      switch try name() {
      case "null": return .null
      case "true": return .boolean(true)
      case "false": return .boolean(false)
      case let name: return .enumeration(name)
      }
    }
  }

  private mutating func members(depth: Int) throws(NaturalKeyProblem) -> [Value.Member] {
    var members: [Value.Member] = []
    while !take("}") {
      skipSpace()
      let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
      let name = isQuoted ? try string() : try name()
      guard take(":") else { throw problem("':' is expected") }
      members.append(.init(name, try value(depth: depth + 1)))
      _ = take(",")
    }
    return members
  }

  private mutating func number() throws(NaturalKeyProblem) -> Value {
    let start = position
    while position < bytes.count, "+-.0123456789eE".utf8.contains(bytes[position]) {
      position += 1
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    // Negative zero is no integer: the canonical text keeps its sign.
    if let number = Int64(text), number != 0 || text.utf8.first != UInt8(ascii: "-") {
      return .int(number)
    }
    if let number = Double(text), number.isFinite { return .float(number) }
    position = start
    throw problem("\(text) is no number")
  }

  private mutating func string() throws(NaturalKeyProblem) -> String {
    position += 1
    var decoded: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: decoded, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        decoded.append(byte)
        continue
      }
      try appendEscape(to: &decoded)
    }
    throw problem("the string has no end")
  }

  private mutating func appendEscape(to decoded: inout [UInt8]) throws(NaturalKeyProblem) {
    guard position < bytes.count else { throw problem("the string has no end") }
    let escape = bytes[position]
    position += 1
    switch escape {
    case UInt8(ascii: "n"): decoded.append(0x0A)
    case UInt8(ascii: "r"): decoded.append(0x0D)
    case UInt8(ascii: "t"): decoded.append(0x09)
    case UInt8(ascii: "b"): decoded.append(0x08)
    case UInt8(ascii: "f"): decoded.append(0x0C)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(escape)
    case UInt8(ascii: "u"): try appendScalar(to: &decoded)
    default:
      position -= 1
      throw problem("an escape JSON does not have")
    }
  }

  private mutating func appendScalar(to decoded: inout [UInt8]) throws(NaturalKeyProblem) {
    var unit = try hexadecimal()
    if unit & 0xFC00 == 0xD800, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    {
      position += 2
      let low = try hexadecimal()
      guard low & 0xFC00 == 0xDC00 else { throw problem("half of a surrogate pair") }
      unit = 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
    }
    guard let scalar = Unicode.Scalar(unit) else { throw problem("half of a surrogate pair") }
    decoded.append(contentsOf: Array(String(Character(scalar)).utf8))
  }

  private mutating func hexadecimal() throws(NaturalKeyProblem) -> UInt32 {
    guard position + 4 <= bytes.count,
      let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
    else { throw problem("four hexadecimal digits are expected") }
    position += 4
    return unit
  }
}
