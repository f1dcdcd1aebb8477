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
    let (path, files) = (arguments.operands[0], Array(arguments.operands.dropFirst()))
    let plan = try Inputs.plan(arguments)
    let variables = try Inputs.variables(arguments, of: plan)
    let identity = try Inputs.identity(arguments)
    var parts: [[UInt8]] = []
    for file in files { parts.append(try Inputs.bytes(of: file)) }
    let outcome: CommitOutcome
    do throws(ImageError) {
      let image = try Image.open(path: path, options: .forWriting(identity: identity))
      outcome = try image.commit(parts: parts, of: plan, variables: variables)
      try image.close()
    } catch .response(let problem) {
      throw Failure(.failed, "\(shown(files[problem.part])): \(problem)")
    } catch {
      throw Failure(error, image: path)
    }
    if arguments.has(.json) { Output.print(CommitReport.json(outcome)) }
    guard outcome.hasData else {
      let errors = outcome.errors.map { "\n  " + CommitReport.text($0) }
      throw Failure(.failed, "there is no data, nothing was committed:" + errors.joined())
    }
    if !arguments.has(.json) { Output.print(CommitReport.text(outcome)) }
    return .done
  }

  private static func shown(_ file: String) -> String { file == "-" ? "standard input" : file }
}
