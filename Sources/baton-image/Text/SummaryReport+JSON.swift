import BatonImage
import BatonPlan

extension SummaryReport {
  /// The summary as one JSON document; times are seconds since 1970.
  static func json(_ summary: ImageSummary) -> Value {
    let counters = summary.counters
    return .object([
      .init("versions", versions(summary.header)),
      .init("created", .seconds(summary.header.created)),
      .init("identity", .json(summary.header.identity)),
      .init("lookups", .json(summary.header.lookups)),
      .init("account", .string(summary.header.account)),
      .init("schemaDigest", .string(String(summary.header.schemaDigest, radix: 16))),
      .init("commit", .number(counters.commit)),
      .init("committedAt", counters.commit == 0 ? .null : .seconds(counters.time)),
      .init("oldestJournal", .number(counters.oldestJournal)),
      .init("generation", .number(counters.generation)),
      .init("size", size(summary)),
      .init("tables", .list(summary.tables.map(table))),
      .init("records", records(summary)),
      .init("names", .number(summary.entries(of: .names))),
      .init(
        "naturalKeys",
        .object([
          .init("live", .number(summary.liveKeys)),
          .init("superseded", .number(summary.supersededKeys)),
        ])),
      .init("aliases", .number(summary.aliases)),
      .init(
        "operations",
        .object([
          .init("count", .number(summary.operations)),
          .init("latest", .list(summary.latest.map(fetched))),
        ])),
      .init(
        "misses",
        .object([
          .init("count", .number(summary.misses)),
          .init("most", .list(summary.mostMissed.map(CardReport.json))),
        ])),
      .init("readers", summary.readers.map { .list($0.map(reader)) } ?? .null),
    ])
  }

  private static func versions(_ header: Header) -> Value {
    .object([
      .init("format", .number(header.formatVersion)),
      .init("keyRules", .number(header.keyRulesVersion)),
      .init("engine", .number(header.engineVersion)),
    ])
  }

  private static func size(_ summary: ImageSummary) -> Value {
    .object([
      .init("file", .number(summary.fileBytes)), .init("map", .number(summary.mapBytes)),
      .init("pageSize", .number(summary.header.pageSize)),
      .init("pages", .number(summary.pages)), .init("freePages", .number(summary.freePages)),
    ])
  }

  private static func table(_ table: ImageSummary.Table) -> Value {
    .object([
      .init("name", .string(table.name)), .init("entries", .number(table.entries)),
      .init("pages", .number(table.pages)),
    ])
  }

  private static func records(_ summary: ImageSummary) -> Value {
    let types = summary.types.map { use in
      Value.object([
        .init("type", .string(use.name)), .init("records", .number(use.records)),
        .init("bytes", .number(use.bytes)),
      ])
    }
    let largest = summary.largest.map { record in
      Value.object([
        .init("key", .string(record.key)), .init("type", .string(record.type)),
        .init("bytes", .number(record.bytes)),
      ])
    }
    return .object([
      .init("count", .number(summary.entries(of: .records))), .init("types", .list(types)),
      .init("largest", .list(largest)),
      .init("flags", .object(summary.flags.map { .init($0.key, .number($0.value)) })),
    ])
  }

  private static func fetched(_ fetch: ImageSummary.Fetched) -> Value {
    .object([
      .init("operation", .string(fetch.operation)), .init("variables", .json(fetch.variables)),
      .init("fetchedAt", .seconds(fetch.time)),
    ])
  }

  private static func reader(_ reader: ReaderSlot) -> Value {
    .object([
      .init("process", .number(reader.process)),
      .init("transaction", reader.transaction.map { .number($0) } ?? .null),
      .init("alive", .boolean(reader.isAlive)),
    ])
  }
}

extension Value {
  static func number(_ number: some BinaryInteger) -> Value { .int(Int64(clamping: number)) }

  /// Seconds since 1970, of milliseconds.
  static func seconds(_ milliseconds: Int64) -> Value { .int(milliseconds / 1000) }

  /// The value of a stored JSON text; the text itself when it is none.
  static func json(_ text: String) -> Value {
    let bytes = Array(text.utf8)
    return (try? Value(json: bytes.span)) ?? .string(text)
  }
}
