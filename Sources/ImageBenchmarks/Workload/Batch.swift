import BatonPlan

/// One response's subjects, by number: the same number gives the same ids and texts.
struct Batch {
  let number: Int
  let ids: [String]

  init(_ number: Int) {
    self.number = number
    ids = (0..<Subjects.batch).map { Self.id("I_kwDO", number, $0) }
  }

  var variables: Variables { Self.variables(of: [self]) }

  /// An id whose text says nothing of when it was given, as those of services are.
  static func id(_ prefix: String, _ batch: Int, _ index: Int) -> String {
    let digits = String(mix(UInt64(batch) << 8 | UInt64(index)), radix: 16)
    return prefix + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// SplitMix64's last step: a bijection that scatters.
  static func mix(_ number: UInt64) -> UInt64 {
    var mixed = number &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// The response to the batch's `nodes(ids:)`; in every revision each record has another value
  /// somewhere.
  func response(revision: Int) -> [UInt8] { Self.response(of: [self], revision: revision) }

  /// The response to a `nodes(ids:)` of all subjects of some batches.
  static func response(of batches: [Batch], revision: Int) -> [UInt8] {
    var writer = ResponseText(batches: batches.count)
    writer.append("{\"data\":{\"nodes\":[")
    for (place, batch) in batches.enumerated() {
      for index in 0..<Subjects.batch {
        if place > 0 || index > 0 { writer.append(",") }
        batch.appendSubject(index, revision, to: &writer)
      }
    }
    writer.append("]}}")
    return writer.bytes
  }

  static func variables(of batches: [Batch]) -> Variables {
    ["ids": .list(batches.flatMap { $0.ids.map { .string($0) } })]
  }

  private func appendSubject(_ index: Int, _ revision: Int, to writer: inout ResponseText) {
    let subject = number * Subjects.batch + index
    writer.append("{\"__typename\":\"Issue\",\"id\":\"")
    writer.append(ids[index])
    writer.append("\",\"number\":")
    writer.append(subject)
    writer.append(",\"title\":\"")
    writer.append(Self.titles[subject % Self.titles.count])
    writer.append(" (", subject, ")")
    writer.append("\",\"state\":\"")
    writer.append(subject % 5 == 0 ? "CLOSED" : "OPEN")
    writer.append("\",\"url\":\"https://example.org/organization-", number, "/widgets/issues/")
    writer.append(subject)
    writer.append("\",\"createdAt\":\"2021-03-04T05:06:07Z\",\"updatedAt\":\"2026-01-02T03:04:05.")
    writer.append(1_000_000 + revision)
    writer.append("Z\",\"isPinned\":")
    writer.append(subject % 7 == 0 ? "true" : "false")
    appendAuthor(index % Subjects.authors, revision, to: &writer)
    appendLabels(index, revision, to: &writer)
    writer.append(",\"comments\":{\"totalCount\":", revision + index, "},\"repository\":{\"id\":\"")
    let repository = index % Subjects.repositories
    writer.append(Self.id("R_kgDO", number, repository))
    writer.append("\",\"nameWithOwner\":\"organization-", number, "/widgets-", repository)
    writer.append("\",\"stargazerCount\":", 1000 + revision, "}}")
  }

  private func appendAuthor(_ index: Int, _ revision: Int, to writer: inout ResponseText) {
    writer.append(",\"author\":{\"__typename\":\"User\",\"login\":\"contributor-", number, "-")
    writer.append(index)
    writer.append("\",\"avatarUrl\":\"https://avatars.example.org/u/", number * 64 + index)
    writer.append("?s=80&v=", revision, "\",\"id\":\"")
    writer.append(Self.id("U_kgDO", number, index))
    writer.append("\"}")
  }

  private func appendLabels(_ index: Int, _ revision: Int, to writer: inout ResponseText) {
    let count = 1 + index % 3
    writer.append(",\"labels\":{\"totalCount\":", count + revision, ",\"nodes\":[")
    for position in 0..<count {
      let label = (index + position * 7) % Subjects.labels
      if position > 0 { writer.append(",") }
      writer.append("{\"id\":\"")
      writer.append(Self.id("LA_kwDO", number, label))
      writer.append("\",\"name\":\"area: component ", label, "\",\"color\":\"")
      writer.append(100_000 + (revision + label) % 900_000)
      writer.append("\"}")
    }
    writer.append("]}")
  }

  private static let titles = [
    "Settings panel crashes on launch while the cache is warm",
    "List view keeps the old order after an update renames a field",
    "Caf\u{E9} menu shows \\\"undefined\\\" \u{2014} network is slow",
    "Refreshing five hundred rows should not fetch the list again",
    "Widget extension reads rows that the app has not written yet",
    "Crash in the background fetch when the account changes",
    "Labels of transferred issues are missing until the next launch",
  ]
}

/// Bytes of a response being put together.
struct ResponseText {
  private(set) var bytes: [UInt8] = []

  init(batches: Int) { bytes.reserveCapacity(batches * 48 << 10) }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }

  mutating func append(_ text: String, _ number: Int, _ more: String) {
    append(text)
    append(number)
    append(more)
  }

  mutating func append(_ text: String, _ number: Int, _ more: String, _ other: Int) {
    append(text, number, more)
    append(other)
  }

  mutating func append(_ text: String, _ number: Int) {
    append(text)
    append(number)
  }
}
