/// A type as written, `[ID!]!`: a name and what is wrapped around it.
struct TypeSyntax: Sendable {
  var name: Name
  var wrapping: TypeWrapping

  var text: String { wrapping.text(around: name.text) }
}

/// The lists and exclamation marks around a type's name, packed into a word.
struct TypeWrapping: Sendable, Hashable {
  /// The most lists a type may be nested in.
  static let maximumDepth = 60

  /// How many lists are around the name.
  private(set) var listDepth = 0
  /// Bit 0 is the name's exclamation mark, bit n that of the n-th list from the inside.
  private var marks: UInt64 = 0

  static let nullable = TypeWrapping()
  static let required = TypeWrapping().nonNull

  /// Whether the whole carries an exclamation mark.
  var isNonNull: Bool { marks & outermost != 0 }

  /// The same with an exclamation mark.
  var nonNull: TypeWrapping {
    var wrapping = self
    wrapping.marks |= outermost
    return wrapping
  }

  /// The same without an exclamation mark on the outside.
  var nullable: TypeWrapping {
    var wrapping = self
    wrapping.marks &= ~outermost
    return wrapping
  }

  /// A list of this; nil beyond the deepest that is allowed.
  var list: TypeWrapping? {
    guard listDepth < Self.maximumDepth else { return nil }
    var wrapping = self
    wrapping.listDepth += 1
    return wrapping
  }

  /// What the outermost list holds; nil when there is no list.
  var item: TypeWrapping? {
    guard listDepth > 0 else { return nil }
    var wrapping = nullable
    wrapping.listDepth -= 1
    return wrapping
  }

  /// Whether a value of this may stand where `other` is asked for, names aside: the lists are the
  /// same, and every exclamation mark of `other` is there.
  func satisfies(_ other: TypeWrapping) -> Bool {
    listDepth == other.listDepth && other.marks & ~marks == 0
  }

  /// This with the exclamation marks of `other` as well; nil when the lists differ.
  func strengthened(by other: TypeWrapping) -> TypeWrapping? {
    guard listDepth == other.listDepth else { return nil }
    var wrapping = self
    wrapping.marks |= other.marks
    return wrapping
  }

  /// The type's text with `name` inside.
  func text(around name: String) -> String {
    var text = String(repeating: "[", count: listDepth) + name
    for level in 0...listDepth {
      if level > 0 { text += "]" }
      if marks & 1 << UInt64(level) != 0 { text += "!" }
    }
    return text
  }

  private var outermost: UInt64 { 1 << UInt64(listDepth) }
}
