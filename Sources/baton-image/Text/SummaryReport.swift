import BatonImage
import BatonPlan

/// What an image holds, as text and as JSON.
enum SummaryReport {
  private static let style = Style.output

  static func text(_ summary: ImageSummary, path: String) -> String {
    var lines = [style.heading(path)]
    lines += origin(summary)
    lines += section("Size", sizes(summary))
    lines += section("Records by type", types(summary))
    lines += section("Largest records", largest(summary))
    lines += section("Names", names(summary))
    lines += section("Operations, newest first", operations(summary))
    lines += section("Ids that were not found", misses(summary))
    lines += section("Readers", readers(summary))
    return lines.joined(separator: "\n")
  }

  /// A heading and the lines below it; nothing where there are none.
  private static func section(_ heading: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", style.heading(heading)] + lines
  }

  private static func origin(_ summary: ImageSummary) -> [String] {
    let header = summary.header
    let counters = summary.counters
    var table = TextTable([.left, .left])
    table.add(
      "versions",
      "format \(header.formatVersion), key rules \(header.keyRulesVersion), "
        + "engine \(header.engineVersion)")
    table.add("made", "\(Quantity.time(header.created)), \(Quantity.age(header.created))")
    let commit =
      counters.commit == 0
      ? "none yet"
      : "\(counters.commit), \(Quantity.time(counters.time)), \(Quantity.age(counters.time))"
    table.add("last commit", commit)
    table.add(
      "journal",
      counters.oldestJournal == 0 ? "empty" : "from commit \(counters.oldestJournal) on")
    table.add("generation", "\(counters.generation)")
    table.add("identity", printable(header.identity))
    table.add("lookups", printable(header.lookups))
    if !header.account.isEmpty { table.add("account", printable(header.account)) }
    if header.schemaDigest != 0 {
      table.add("schema digest", String(header.schemaDigest, radix: 16))
    }
    return table.lines
  }

  private static func sizes(_ summary: ImageSummary) -> [String] {
    var table = TextTable([.left, .right, .right, .right])
    table.add("", "entries", "pages", "")
    for use in summary.tables where use.entries > 0 {
      table.add(use.name, "\(use.entries)", "\(use.pages)", "")
    }
    table.add("free", "", "\(summary.freePages)", "")
    table.add("file", "", "\(summary.pages)", Quantity.bytes(summary.fileBytes))
    table.add("map", "", "", Quantity.bytes(summary.mapBytes))
    return table.lines + ["  Pages have \(summary.header.pageSize) bytes."]
  }

  private static func types(_ summary: ImageSummary) -> [String] {
    guard !summary.types.isEmpty else { return [] }
    var table = TextTable([.left, .right, .right])
    table.add("", "records", "bytes")
    for use in summary.types.prefix(maximumTypes) {
      table.add(shown(type: use.name), "\(use.records)", "\(use.bytes)")
    }
    var lines = table.lines
    if summary.types.count > maximumTypes {
      lines.append("  and \(summary.types.count - maximumTypes) types more")
    }
    let flags = summary.flags.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    if !flags.isEmpty { lines.append("  Of these: " + flags.joined(separator: ", ")) }
    return lines
  }

  private static let maximumTypes = 40

  static func shown(type: String) -> String { type.isEmpty ? "(unknown)" : printable(type) }

  private static func largest(_ summary: ImageSummary) -> [String] {
    var table = TextTable([.right, .left, .left])
    for record in summary.largest {
      table.add("\(record.bytes)", shown(type: record.type), printable(record.key, limit: 100))
    }
    return table.lines
  }

  private static func names(_ summary: ImageSummary) -> [String] {
    var table = TextTable([.left, .right])
    table.add("names of types, fields and operations", "\(summary.entries(of: .names))")
    table.add("natural keys", "\(summary.liveKeys)")
    if summary.supersededKeys > 0 {
      table.add("superseded natural keys", "\(summary.supersededKeys)")
    }
    table.add("aliases", "\(summary.aliases)")
    return table.lines
  }

  private static func operations(_ summary: ImageSummary) -> [String] {
    var table = TextTable([.left, .left, .left])
    for fetch in summary.latest {
      table.add(
        Quantity.age(fetch.time), printable(fetch.operation),
        style.faint(printable(fetch.variables, limit: 70)))
    }
    let rest = summary.operations - UInt64(summary.latest.count)
    return table.lines + (rest > 0 ? ["  and \(rest) more"] : [])
  }

  private static func misses(_ summary: ImageSummary) -> [String] {
    var table = TextTable([.left, .left])
    for miss in summary.mostMissed {
      let id = String(decoding: miss.id, as: UTF8.self)
      table.add(printable(id, limit: 60), CardReport.text(miss))
    }
    let rest = summary.misses - UInt64(summary.mostMissed.count)
    return table.lines + (rest > 0 ? ["  and \(rest) more"] : [])
  }

  private static func readers(_ summary: ImageSummary) -> [String] {
    guard let readers = summary.readers else {
      return ["  The lock file's layout is not known here."]
    }
    var table = TextTable([.left, .left])
    for reader in readers {
      let state = reader.transaction.map { "reads transaction \($0)" } ?? "idle"
      table.add(
        "process \(reader.process)", reader.isAlive ? state : style.alarm("is gone; \(state)"))
    }
    return table.isEmpty ? ["  none"] : table.lines
  }
}
