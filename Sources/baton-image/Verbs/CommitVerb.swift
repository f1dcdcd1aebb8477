import BatonImage
import BatonPlan

/// `commit`: one response, whole or in parts, in one transaction.
enum CommitVerb: Verb {
  static let name = "commit"
  static let operands = "IMAGE --document FILE [options] RESPONSE..."
  static let summary = "commit a response, in one transaction"
  static let options = Option.plan + [.json]
  static let operandCount = 2...Int.max

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let plan = try Inputs.plan(arguments)
    let variables = try Inputs.variables(arguments)
    do { _ = try plan.resolvedVariables(variables) } catch { throw Failure(.usage, "\(error)") }
    var parts: [[UInt8]] = []
    for path in arguments.operands.dropFirst() { parts.append(try Inputs.bytes(of: path)) }
    let identity = try Inputs.identity(arguments)
    let outcome = try library { () throws(ImageError) in
      let image = try Image.open(
        path: arguments.operands[0], options: Image.Options(identity: identity))
      let outcome = try image.commit(parts: parts, of: plan, variables: variables)
      try image.close()
      return outcome
    }
    Output.print(
      arguments.has(.json) ? CommitReport.json(outcome) : CommitReport.text(outcome))
    return .done
  }
}
