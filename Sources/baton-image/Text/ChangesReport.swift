import BatonImage
import BatonPlan

/// What a commit changed, as a line and as JSON.
enum ChangesReport {
  /// `3  2026-03-01T08:17:00Z  RefreshRowsQuery  1 record, 2 fields: I_7 changed state, title`
  static func text(_ commit: ChangesReader.Commit) -> String {
    let entry = commit.entry
    let fields = commit.changes.reduce(0) { $0 + $1.fields.count }
    var line = "\(entry.commit)  \(Quantity.time(entry.time))  "
    line += entry.operation.isEmpty ? "-" : printable(entry.operation)
    line += "  " + counted(commit.changes.count, "record", "records")
    line += ", " + counted(fields, "field", "fields")
    let records = commit.changes.map { change in
      let names = change.fields.map { printable($0) }.joined(separator: ", ")
      return "\(printable(change.key)) \(word(change.what))" + (names.isEmpty ? "" : " " + names)
    }
    return line + (records.isEmpty ? "" : ": ") + records.joined(separator: "; ")
  }

  static func json(_ commit: ChangesReader.Commit) -> Value {
    let records = commit.changes.map { change in
      Value.object([
        .init("key", .string(change.key)), .init("what", .string(word(change.what))),
        .init("fields", .list(change.fields.map { .string($0) })),
      ])
    }
    let operation = commit.entry.operation
    return .object([
      .init("commit", .number(commit.entry.commit)),
      .init("time", .seconds(commit.entry.time)),
      .init("operation", operation.isEmpty ? .null : .string(operation)),
      .init("records", .list(records)),
    ])
  }

  private static func word(_ what: JournalDraft.What) -> String { "\(what)" }
}
