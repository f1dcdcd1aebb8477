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
    Output.print(arguments.has(.json) ? json(outcome) : text(outcome))
    return .done
  }

  private static func text(_ outcome: CommitOutcome) -> String {
    var line =
      "commit \(outcome.commit): \(outcome.recordsCreated) created, "
      + "\(outcome.recordsChanged) changed, \(outcome.recordsUnchanged) unchanged"
    if let ids = outcome.ids {
      let answered = ids.filter { $0.status == .ok }.count
      line += "; \(answered) of \(ids.count) ids answered"
    }
    if !outcome.aliases.isEmpty { line += "; \(outcome.aliases.count) aliases" }
    if !outcome.errors.isEmpty { line += "; \(outcome.errors.count) errors" }
    return line
  }

  private static func json(_ outcome: CommitOutcome) -> String {
    var members: [Value.Member] = [
      .init("commit", .int(Int64(clamping: outcome.commit))),
      .init(
        "records",
        .object([
          .init("created", .int(Int64(outcome.recordsCreated))),
          .init("changed", .int(Int64(outcome.recordsChanged))),
          .init("unchanged", .int(Int64(outcome.recordsUnchanged))),
        ])),
      .init("fieldsChanged", .int(Int64(outcome.fieldsChanged))),
      .init("pagesWritten", .int(Int64(outcome.pagesWritten))),
    ]
    if let ids = outcome.ids {
      members.append(
        .init(
          "ids",
          .list(
            ids.map { id in
              .object([
                .init("asked", .string(id.asked)),
                .init("id", id.id.map { .string($0) } ?? .null),
                .init("status", .string(id.status.rawValue)),
              ])
            })))
    }
    members.append(.init("errors", .list(outcome.errors.map(JSONText.value))))
    members.append(
      .init(
        "aliases",
        .list(
          outcome.aliases.map {
            .object([.init("from", .string($0.from)), .init("to", .string($0.to))])
          })))
    return CanonicalJSON.text(of: .object(members))
  }
}

/// JSON of values the library gives.
enum JSONText {
  /// An error of a response.
  static func value(_ error: FieldError) -> Value {
    var members: [Value.Member] = [
      .init("message", .string(error.message)), .init("path", json(error.pathText)),
    ]
    if !error.code.isEmpty { members.append(.init("type", .string(error.code))) }
    if !error.extensionsText.isEmpty {
      members.append(.init("extensions", json(error.extensionsText)))
    }
    return .object(members)
  }

  /// The value of a stored JSON text; the text itself when it is none.
  private static func json(_ text: String) -> Value {
    let bytes = Array(text.utf8)
    return (try? Value(json: bytes.span)) ?? .string(text)
  }
}
