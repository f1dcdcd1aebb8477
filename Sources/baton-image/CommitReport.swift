import BatonImage
import BatonPlan

/// What a commit did, for people and as JSON.
enum CommitReport {
  /// One line.
  static func text(_ outcome: CommitOutcome) -> String {
    var line =
      "commit \(outcome.commit): \(outcome.recordsCreated) created, "
      + "\(outcome.recordsChanged) changed, \(outcome.recordsUnchanged) unchanged"
    if let ids = outcome.ids {
      let answered = ids.filter { $0.status == .ok }.count
      line += "; \(answered) of \(ids.count) ids answered"
    }
    if !outcome.aliases.isEmpty {
      line += "; \(counted(outcome.aliases.count, "alias", "aliases"))"
    }
    if !outcome.errors.isEmpty { line += "; \(counted(outcome.errors.count, "error", "errors"))" }
    return line
  }

  /// An error of a response: its code, path and message.
  static func text(_ error: FieldError) -> String {
    let parts = [error.code, error.dottedPath, error.message].filter { !$0.isEmpty }
    return printable(parts.joined(separator: ": "))
  }

  /// The members that the command's contract names.
  static func json(_ outcome: CommitOutcome) -> String {
    var members: [Value.Member] = [
      .init("commit", .number(outcome.commit)),
      .init(
        "records",
        .object([
          .init("created", .number(outcome.recordsCreated)),
          .init("changed", .number(outcome.recordsChanged)),
          .init("unchanged", .number(outcome.recordsUnchanged)),
        ])),
      .init("fieldsChanged", .number(outcome.fieldsChanged)),
      .init("pagesWritten", .number(outcome.pagesWritten)),
    ]
    if let ids = outcome.ids { members.append(.init("ids", .list(ids.map(json)))) }
    members.append(.init("errors", .list(outcome.errors.map(ErrorJSON.value))))
    let aliases = outcome.aliases.map { alias in
      Value.object([.init("from", .string(alias.from)), .init("to", .string(alias.to))])
    }
    members.append(.init("aliases", .list(aliases)))
    return CanonicalJSON.text(of: .object(members))
  }

  private static func json(_ id: IdOutcome) -> Value {
    .object([
      .init("asked", .string(id.asked)),
      .init("id", id.id.map { .string($0) } ?? .null),
      .init("status", .string(id.status.rawValue)),
    ])
  }
}

/// JSON of the errors of responses.
enum ErrorJSON {
  static func value(_ error: FieldError) -> Value {
    var members: [Value.Member] = [
      .init("message", .string(error.message)), .init("path", .json(error.pathText)),
    ]
    if !error.code.isEmpty { members.append(.init("type", .string(error.code))) }
    if !error.extensionsText.isEmpty {
      members.append(.init("extensions", .json(error.extensionsText)))
    }
    return .object(members)
  }
}

/// A number with the word for one or for several.
func counted(_ count: some BinaryInteger, _ one: String, _ several: String) -> String {
  "\(count) \(count == 1 ? one : several)"
}
