/// One verb of the command.
protocol Verb: SendableMetatype {
  static var name: String { get }
  /// What follows the verb, `IMAGE RESPONSE...`.
  static var operands: String { get }
  /// What it does, in a line.
  static var summary: String { get }
  static var options: [Option] { get }
  /// How many operands it takes.
  static var operandCount: ClosedRange<Int> { get }

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus
}

/// The command: finds the verb, parses its arguments, runs it, and prints what went wrong.
enum Command {
  static let verbs: [any Verb.Type] = [
    CommitVerb.self, ReadVerb.self, ExportVerb.self, ResolveVerb.self, KeysVerb.self,
    InspectVerb.self, VerifyVerb.self, ChangesVerb.self, ForgetVerb.self, CompactVerb.self,
    RefreshVerb.self, DiscoverVerb.self, DemoVerb.self,
  ]

  static func run(_ arguments: [String]) -> ExitStatus {
    guard let name = arguments.first else {
      Output.error(usage)
      return .usage
    }
    if ["--help", "-h", "help"].contains(name) {
      Output.print(usage)
      return .done
    }
    guard let verb = verbs.first(where: { $0.name == name }) else {
      Output.error("baton-image: unknown verb \(name)\n\n\(usage)")
      return .usage
    }
    return run(verb, Array(arguments.dropFirst()))
  }

  private static func run(_ verb: any Verb.Type, _ arguments: [String]) -> ExitStatus {
    do throws(Failure) {
      let parsed = try Arguments(arguments, options: verb.options + [.help])
      if parsed.has(.help) {
        Output.print(help(of: verb))
        return .done
      }
      guard verb.operandCount.contains(parsed.operands.count) else {
        throw Failure(.usage, "usage: baton-image \(verb.name) \(verb.operands)")
      }
      return try verb.run(parsed)
    } catch {
      Output.error("baton-image \(verb.name): \(error.message)")
      return error.status
    }
  }

  private static var usage: String {
    let width = verbs.map { $0.name.count }.max() ?? 0
    let lines = verbs.map { verb in
      "  " + verb.name + String(repeating: " ", count: width + 2 - verb.name.count) + verb.summary
    }
    return """
      usage: baton-image VERB IMAGE [options]

      \(lines.joined(separator: "\n"))

      baton-image VERB --help says more of a verb.
      """
  }

  private static func help(of verb: any Verb.Type) -> String {
    var lines = ["usage: baton-image \(verb.name) \(verb.operands)", "", verb.summary, ""]
    let options = verb.options + [.help]
    let heads = options.map { $0.name + ($0.value.map { " " + $0 } ?? "") }
    let width = heads.map(\.count).max() ?? 0
    for (head, option) in zip(heads, options) {
      let padding = String(repeating: " ", count: width + 2 - head.count)
      lines.append(
        "  " + head + padding + option.help + (option.isRepeatable ? " (repeatable)" : ""))
    }
    return lines.joined(separator: "\n")
  }
}
