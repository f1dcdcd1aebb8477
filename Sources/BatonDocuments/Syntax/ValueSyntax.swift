/// A value as written, and the offset it starts at.
struct ValueSyntax: Sendable {
  enum Kind: Sendable {
    case variable(String)
    /// The token's text.
    case int(String)
    /// The token's text.
    case float(String)
    /// The contents, decoded.
    case string(String)
    case boolean(Bool)
    case null
    case enumeration(String)
    case list([ValueSyntax])
    case object([ArgumentSyntax])
  }

  var kind: Kind
  var offset: Int

  var isNull: Bool {
    if case .null = kind { true } else { false }
  }
}

/// A name and its value: an argument, or a member of an input object.
struct ArgumentSyntax: Sendable {
  var name: Name
  var value: ValueSyntax
}

extension ValueSyntax {
  /// Whether two values are written the same, but for the order of object members.
  func matches(_ other: ValueSyntax) -> Bool {
    switch (kind, other.kind) {
    case (.variable(let one), .variable(let two)): one == two
    case (.int(let one), .int(let two)): one == two
    case (.float(let one), .float(let two)): one == two
    case (.string(let one), .string(let two)): one == two
    case (.boolean(let one), .boolean(let two)): one == two
    case (.null, .null): true
    case (.enumeration(let one), .enumeration(let two)): one == two
    case (.list(let one), .list(let two)):
      one.count == two.count && zip(one, two).allSatisfy { $0.matches($1) }
    case (.object(let one), .object(let two)): one.match(two)
    default: false
    }
  }
}

extension [ArgumentSyntax] {
  /// Whether two sets of arguments are written the same, but for their order.
  func match(_ other: [ArgumentSyntax]) -> Bool {
    guard count == other.count else { return false }
    if isEmpty { return true }
    let mine = sorted { $0.name.text < $1.name.text }
    let others = other.sorted { $0.name.text < $1.name.text }
    return zip(mine, others).allSatisfy {
      $0.name.text == $1.name.text && $0.value.matches($1.value)
    }
  }
}
