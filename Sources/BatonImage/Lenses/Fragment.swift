public import BatonPlan

/// A fragment that lenses read records by: what generated code declares for each `fragment` of a
/// document, and hand-written code may declare as well.
///
///     enum IssueRow: Fragment {
///       static let plan = Plan(name: "IssueRow", kind: .fragment, …)
///     }
///
///     extension Lens where Content == IssueRow {
///       var title: String { get throws(FieldProblem) { try string("title") } }
///     }
public protocol Fragment {
  /// The fragment's compiled selection, of the kind `fragment`. Keep one, as a `static let`: what an
  /// image prepares for it is kept by its identity.
  static var plan: Plan { get }
}

/// The response key of a field a lens reads. Written as a string literal.
public struct FieldKey: ExpressibleByStringLiteral, Sendable, CustomStringConvertible {
  private let literal: StaticString
  /// The first bytes, which tell most keys apart.
  let prefix: UInt64

  @inlinable
  public init(stringLiteral literal: StaticString) {
    self.init(literal)
  }

  @usableFromInline
  init(_ literal: StaticString) {
    self.literal = literal
    var prefix: UInt64 = 0
    for index in 0..<Swift.min(8, literal.utf8CodeUnitCount) {
      // SAFETY: the index is below the literal's count, and a literal lives for ever.
      prefix |= UInt64(unsafe literal.utf8Start[index]) << UInt64(index * 8)
    }
    self.prefix = prefix
  }

  var count: Int { literal.utf8CodeUnitCount }

  public var description: String { literal.description }

  /// Whether the key's bytes are `bytes`.
  func matches(_ bytes: [UInt8]) -> Bool {
    // SAFETY: a literal's bytes live for ever.
    bytes.span.isEqual(to: unsafe Span(_unsafeStart: literal.utf8Start, count: count))
  }

  /// The first bytes of a key, as `prefix` holds them.
  static func prefix(of bytes: [UInt8]) -> UInt64 {
    var prefix: UInt64 = 0
    for (index, byte) in bytes.prefix(8).enumerated() {
      prefix |= UInt64(byte) << UInt64(index * 8)
    }
    return prefix
  }
}
