/// One thing wrong in a source, and where.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
  /// The source's name.
  public let source: String
  /// The line, from 1.
  public let line: Int
  /// The column in Unicode scalars, from 1.
  public let column: Int
  public let message: String

  public init(source: String, line: Int, column: Int, message: String) {
    self.source = source
    self.line = line
    self.column = column
    self.message = message
  }

  /// `file:line:column: message`, the form editors and terminals make a link of.
  public var description: String { "\(source):\(line):\(column): \(message)" }
}
