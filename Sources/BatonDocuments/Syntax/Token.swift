/// A lexical token: its kind and the bytes it covers.
struct Token: Sendable {
  enum Kind: UInt8, Sendable {
    case end
    case bang, dollar, ampersand, leftParenthesis, rightParenthesis, spread, colon, equals, at
    case leftBracket, rightBracket, leftBrace, pipe, rightBrace
    case name, int, float, string, blockString
  }

  var kind: Kind
  var start: Int
  var end: Int
}

extension Token.Kind: CustomStringConvertible {
  var description: String {
    switch self {
    case .end: "the end of the document"
    case .bang: "'!'"
    case .dollar: "'$'"
    case .ampersand: "'&'"
    case .leftParenthesis: "'('"
    case .rightParenthesis: "')'"
    case .spread: "'...'"
    case .colon: "':'"
    case .equals: "'='"
    case .at: "'@'"
    case .leftBracket: "'['"
    case .rightBracket: "']'"
    case .leftBrace: "'{'"
    case .pipe: "'|'"
    case .rightBrace: "'}'"
    case .name: "a name"
    case .int: "an integer"
    case .float: "a float"
    case .string, .blockString: "a string"
    }
  }
}
