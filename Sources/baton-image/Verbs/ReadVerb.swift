import BatonImage
import BatonPlan

/// `read`: an operation's root selection, or one fragment of one record, from the image alone.
enum ReadVerb: Verb {
  static let name = "read"
  static let operands = "IMAGE --document FILE [--fragment NAME --id ID | --key KEY] [options]"
  static let summary = "read an operation or a fragment, without a query"
  static let options = Option.plan + [.fragment, id, key]
  static let operandCount = 1...1

  private static let id = Option(name: "--id", value: "ID", help: "the record, by its id")
  private static let key = Option(
    name: "--key", value: "KEY", help: "the record, by its natural key")

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let path = arguments.operands[0]
    let plan = try Inputs.plan(arguments)
    let variables = try Inputs.variables(arguments, of: plan)
    let identity = try Inputs.identity(arguments)
    let isFragment = plan.kind == .fragment
    guard !arguments.has(id) || !arguments.has(key) else {
      throw Failure(.usage, "--id and --key exclude each other")
    }
    guard isFragment == (arguments.has(id) || arguments.has(key)) else {
      throw Failure(
        .usage,
        isFragment
          ? "--fragment needs the record, by --id or --key" : "--id and --key go with --fragment")
    }
    let result = try library(path) { () throws(ImageError) in
      let image = try UntrustedImage(path: path, identity: identity)
      return try image.reading { (snapshot) throws(ImageError) -> ReadResult? in
        guard isFragment else {
          return try snapshot.read(plan, variables: variables, identity: image.identity)
        }
        guard let number = try record(arguments, plan, image.identity, in: snapshot) else {
          return nil
        }
        return try snapshot.read(
          fragment: plan, of: number, variables: variables, identity: image.identity)
      }
    }
    guard let result else {
      let name = arguments[id] ?? arguments[key] ?? ""
      throw Failure(.unknown, "there is no such record or key: \(printable(name))")
    }
    Output.write(json(result))
    guard !result.isComplete else { return .done }
    Output.error("baton-image read: \(counted(result.missing.count, "field", "fields")) missing")
    return .incomplete
  }

  /// The live record that `--id` or `--key` names.
  private static func record(
    _ arguments: Arguments, _ plan: Plan, _ identity: IdentityRules,
    in snapshot: borrowing PageSnapshot
  ) throws(ImageError) -> UInt32? {
    if let text = arguments[key] { return try snapshot.number(ofNaturalKey: text) }
    guard let text = arguments[id] else { return nil }
    if let number = try snapshot.liveRecord(text) { return number }
    guard identity.scope == .type else { return nil }
    return try snapshot.liveRecord("\(plan.rootType.name):\(text)")
  }

  private static func json(_ result: ReadResult) -> [UInt8] {
    let errors = result.errors.map { error in
      Value.object([
        .init("path", path(error.path)), .init("message", .string(error.error.message)),
      ])
    }
    var object = JSONObject()
    object.add("data", text: result.data)
    object.add("missing", .list(result.missing.map(path)))
    object.add("errors", .list(errors))
    object.add("fetchedAt", result.fetchedAt.map { .seconds($0) } ?? .null)
    return object.text + [UInt8(ascii: "\n")]
  }

  private static func path(_ steps: [PathStep]) -> Value {
    .list(
      steps.map { step in
        switch step {
        case .key(let key): .string(key)
        case .index(let index): .int(Int64(index))
        }
      })
  }
}
