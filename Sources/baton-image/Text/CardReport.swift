import BatonImage
import BatonPlan

/// One record as a card, as text and as JSON.
enum CardReport {
  private static let style = Style.output

  static func text(_ card: RecordCard) -> String {
    var head = TextTable([.left, .left])
    head.add("type", SummaryReport.shown(type: card.type))
    head.add("number", "\(card.number)")
    if !card.flags.names.isEmpty { head.add("flags", card.flags.names.joined(separator: ", ")) }
    head.add("changed in", card.commit == 0 ? "no commit" : "commit \(card.commit)")
    head.add("bytes", "\(card.bytes)")
    if card.generation > 0 { head.add("last used in", "generation \(card.generation)") }
    for key in card.naturalKeys {
      let state = key.isLive ? "" : style.faint("  superseded")
      head.add("natural key", printable(key.text) + state)
    }
    for alias in card.aliases { head.add("alias", printable(alias)) }
    for miss in card.misses {
      head.add("missed", "\(printable(String(decoding: miss.id, as: UTF8.self))): \(text(miss))")
    }
    var fields = TextTable([.left, .left])
    for field in card.fields {
      let value = printable(String(decoding: field.value, as: UTF8.self), limit: 200)
      fields.add(
        printable(field.key, limit: 60), field.isStale ? "null, last good value \(value)" : value)
      for error in field.errors {
        let code = error.code.isEmpty ? "" : error.code + ": "
        fields.add("", style.alarm(printable("! " + code + error.message, limit: 200)))
      }
    }
    let lines = [style.heading(printable(card.key))] + head.lines
    return (lines + (fields.isEmpty ? [] : [""]) + fields.lines).joined(separator: "\n")
  }

  /// What came back for an id that has no answer.
  static func text(_ miss: Miss) -> String {
    let kind =
      switch miss.kind {
      case .null: "null"
      case .notFound: "not found"
      case .forbidden: "forbidden"
      case .error: "an error"
      }
    return "answered \(kind) \(counted(miss.count, "time", "times")), last "
      + Quantity.age(miss.last)
  }

  static func json(_ card: RecordCard) -> [UInt8] {
    var fields = JSONObject()
    for field in card.fields { fields.add(field.key, text: json(field)) }
    let keys = card.naturalKeys.map { key in
      Value.object([
        .init("key", .string(key.text)), .init("superseded", .boolean(!key.isLive)),
        .init("commit", .number(key.commit)),
      ])
    }
    var object = JSONObject()
    object.add("key", .string(card.key))
    object.add("type", .string(card.type))
    object.add("number", .number(card.number))
    object.add("flags", .list(card.flags.names.map { .string($0) }))
    object.add("commit", .number(card.commit))
    object.add("bytes", .number(card.bytes))
    object.add("generation", .number(card.generation))
    object.add("fields", text: fields.text)
    object.add("naturalKeys", .list(keys))
    object.add("aliases", .list(card.aliases.map { .string($0) }))
    object.add("misses", .list(card.misses.map(json)))
    return object.text
  }

  private static func json(_ field: RecordCard.Field) -> [UInt8] {
    var object = JSONObject()
    object.add("value", text: field.isStale ? Array("null".utf8) : field.value)
    if field.isStale { object.add("stale", text: field.value) }
    if !field.errors.isEmpty {
      object.add("errors", .list(field.errors.map(ErrorJSON.value)))
    }
    return object.text
  }

  static func json(_ miss: Miss) -> Value {
    let kind =
      switch miss.kind {
      case .null: "null"
      case .notFound: "notFound"
      case .forbidden: "forbidden"
      case .error: "error"
      }
    return .object([
      .init("id", .string(String(decoding: miss.id, as: UTF8.self))),
      .init("status", .string(kind)), .init("count", .number(miss.count)),
      .init("first", .seconds(miss.first)), .init("last", .seconds(miss.last)),
    ])
  }
}
