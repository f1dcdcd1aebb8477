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
    let plan = try Inputs.plan(arguments)
    let variables = try Inputs.variables(arguments)
    let identity = try Inputs.identity(arguments)
    let isFragment = plan.kind == .fragment
    guard isFragment == (arguments.has(id) || arguments.has(key)) else {
      throw Failure(.usage, "--fragment goes with --id or --key")
    }
    let image = try library { () throws(ImageError) in
      try UntrustedImage(path: arguments.operands[0], identity: identity)
    }
    let result: ReadResult?
    if isFragment {
      result = try library { () throws(ImageError) in
        try image.reading { (snapshot) throws(ImageError) in
          guard let number = try record(arguments, plan, image.identity, in: snapshot) else {
            return nil
          }
          return try snapshot.read(
            fragment: plan, of: number, variables: variables, identity: image.identity)
        }
      }
    } else {
      result = try library { () throws(ImageError) in
        try image.reading { (snapshot) throws(ImageError) in
          try snapshot.read(plan, variables: variables, identity: image.identity)
        }
      }
    }
    guard let result else { throw Failure(.unknown, "there is no such record or key") }
    Output.write(json(result))
    return result.isComplete ? .done : .incomplete
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
    var out = Array("{\"data\": ".utf8)
    out.append(contentsOf: result.data)
    out.append(contentsOf: ", \"missing\": ".utf8)
    CanonicalJSON.append(.list(result.missing.map(path)), to: &out)
    out.append(contentsOf: ", \"errors\": ".utf8)
    let errors = result.errors.map { error in
      Value.object([
        .init("path", path(error.path)), .init("message", .string(error.error.message)),
      ])
    }
    CanonicalJSON.append(.list(errors), to: &out)
    out.append(contentsOf: ", \"fetchedAt\": ".utf8)
    out.append(contentsOf: (result.fetchedAt.map { String($0 / 1000) } ?? "null").utf8)
    out.append(contentsOf: "}\n".utf8)
    return out
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
