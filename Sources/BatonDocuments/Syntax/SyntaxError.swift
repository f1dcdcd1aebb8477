/// Where a source stops being GraphQL, and why.
struct SyntaxError: Error, Sendable {
  /// The offset of the byte the message is about.
  var offset: Int
  var message: String
}
