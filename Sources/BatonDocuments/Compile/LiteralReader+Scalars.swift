import BatonPlan

extension LiteralReader {
  /// A scalar's value; a custom scalar, and one that nothing names, takes any.
  mutating func scalar(_ value: ValueSyntax, _ leaf: Leaf, _ type: InputType) -> ValueTemplate {
    let isFree = leaf == .custom || leaf == .unknown
    switch (value.kind, leaf) {
    case (.int(let text), .id):
      return .constant(.string(text))
    case (.int(let text), _):
      return .constant(integer(text, value, leaf, type))
    case (.float(let text), .float), (.float(let text), .custom), (.float(let text), .unknown):
      return .constant(float(text, at: value.offset))
    case (.string(let text), .string), (.string(let text), .id):
      return .constant(.string(text))
    case (.string(let text), _) where isFree:
      return .constant(.string(text))
    case (.boolean(let boolean), _) where isFree || leaf == .boolean:
      return .constant(.boolean(boolean))
    case (.enumeration(let name), _) where isFree:
      return .constant(.enumeration(name))
    default:
      return mismatch(value, type)
    }
  }

  private mutating func integer(
    _ text: String, _ value: ValueSyntax, _ leaf: Leaf, _ type: InputType
  ) -> Value {
    switch leaf {
    case .float:
      return float(text, at: value.offset)
    case .int:
      if let integer = Int32(text) { return .int(Int64(integer)) }
      complain("\(text) does not fit Int's 32 bits", at: value.offset)
    case .unknown:
      return Int64(text).map(Value.int) ?? float(text, at: value.offset)
    case .custom:
      if let integer = Int64(text) { return .int(integer) }
      complain("\(text) does not fit 64 bits", at: value.offset)
    default:
      _ = mismatch(value, type)
    }
    return .null
  }

  private mutating func float(_ text: String, at offset: Int) -> Value {
    guard let float = Double(text), float.isFinite else {
      complain("\(text) is beyond a Float's range", at: offset)
      return .null
    }
    return .float(float)
  }
}

extension ValueSyntax {
  /// What the value is, for messages.
  var phrase: String {
    switch kind {
    case .variable(let name): "$\(name)"
    case .int(let text), .float(let text): text.utf8.count > 40 ? "a number" : text
    case .string: "a string"
    case .boolean(let value): value ? "true" : "false"
    case .null: "null"
    case .enumeration(let name): "the enum value \(name)"
    case .list: "a list"
    case .object: "an object"
    }
  }
}
