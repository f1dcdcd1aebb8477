/// An option that a verb takes.
struct Option: Hashable {
  /// The name with its dashes.
  var name: String
  /// What stands for its value in the help; nil for a switch.
  var value: String?
  var help: String
  var isRepeatable = false

  static let schema = Option(
    name: "--schema", value: "FILE",
    help: "the GraphQL schema; a client schema extension follows in another one",
    isRepeatable: true)
  static let config = Option(
    name: "--config", value: "FILE", help: "identity, transient types and lookups, as JSON")
  static let document = Option(
    name: "--document", value: "FILE", help: "a GraphQL executable document")
  static let operation = Option(
    name: "--operation", value: "NAME", help: "the operation, when the document has several")
  static let fragment = Option(
    name: "--fragment", value: "NAME", help: "a fragment of the document")
  static let variables = Option(name: "--variables", value: "JSON", help: "the variables")
  static let variablesFile = Option(
    name: "--variables-file", value: "FILE", help: "the variables, from a file")
  static let json = Option(name: "--json", value: nil, help: "print JSON")
  static let help = Option(name: "--help", value: nil, help: "print this")

  static let plan: [Option] = [
    .schema, .config, .document, .operation, .variables, .variablesFile,
  ]
}

/// A verb's arguments, parsed: options by name, the rest in order.
struct Arguments {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Parses what follows the verb.
  ///
  /// `--name value` and `--name=value` are the same; `--` ends the options. Throws a usage failure
  /// that names an unknown option, a missing value, or an option given twice.
  init(_ arguments: [String], options: [Option]) throws(Failure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands.append(contentsOf: rest)
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0] == "-h" ? Option.help.name : String(parts[0])
      guard let option = options.first(where: { $0.name == name }) else {
        throw Failure(.usage, "unknown option \(name)")
      }
      var value = ""
      if option.value != nil {
        if parts.count == 2 {
          value = String(parts[1])
        } else if let next = rest.popFirst() {
          value = next
        } else {
          throw Failure(.usage, "\(name) needs a value")
        }
      } else if parts.count == 2 {
        throw Failure(.usage, "\(name) takes no value")
      }
      guard option.isRepeatable || values[name] == nil else {
        throw Failure(.usage, "\(name) is given twice")
      }
      values[name, default: []].append(value)
    }
  }

  subscript(option: Option) -> String? { values[option.name]?.last }

  func all(_ option: Option) -> [String] { values[option.name] ?? [] }

  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// The value of an option that must be given.
  func required(_ option: Option) throws(Failure) -> String {
    guard let value = self[option] else { throw Failure(.usage, "\(option.name) is missing") }
    return value
  }
}
