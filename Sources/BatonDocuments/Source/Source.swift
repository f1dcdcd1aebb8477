/// The bytes of one GraphQL document and the name that messages call it by.
///
/// The bytes are taken as they are: a byte order mark is skipped, and bytes that are not UTF-8 are
/// reported when the source is parsed.
public struct Source: Sendable, Hashable {
  /// What diagnostics put before the line, a file's path as a rule.
  public let name: String
  public let bytes: [UInt8]

  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  public init(name: String, text: String) {
    self.init(name: name, bytes: Array(text.utf8))
  }
}
