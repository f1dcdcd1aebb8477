import BatonDocuments
import BatonImage
import BatonPlan
import TestSupport

/// A sequence of commits into an image and into the reference store beside it.
struct ModelSequence {
  /// The image and the store differ.
  struct Difference: Error, CustomStringConvertible {
    var what: String
    var image: String
    var store: String

    var description: String { "\(what) differ\nimage: \(image)\nstore: \(store)" }
  }

  private let folder: TemporaryFolder
  private var image: Image
  private var store = ReferenceStore()
  private var documents: [(document: ModelDocument, plan: Plan)] = []
  /// The fields that each commit changed, as lines.
  private var changes: [[String]] = []
  /// What was committed, for people.
  private(set) var history = ""

  init() throws {
    folder = try TemporaryFolder()
    image = try Image.open(path: folder.file("model.image"))
  }

  mutating func reopen() throws {
    try image.close()
    image = try Image.open(path: folder.file("model.image"))
  }

  func close() throws { try image.close() }

  /// Commits a random response, now and then to a document that was committed before.
  mutating func commit(using generator: inout SeededGenerator) throws {
    let document: ModelDocument
    let plan: Plan
    if let known = documents.randomElement(using: &generator), generator.oneIn(2) {
      (document, plan) = known
    } else {
      document = DocumentGenerator.document(using: &generator)
      history += "\n\(document.text)\n\(document.variablesText)"
      plan = try Document(Source(name: "document", text: document.text))
        .plan(schema: ModelSchema.schema)
      documents.append((document, plan))
    }
    let response = ResponseGenerator.response(to: document, using: &generator)
    history += "\n\(response.text)"
    let changed = store.commit(response)
    let outcome = try image.commit(
      Array(response.text.utf8).span, of: plan, variables: try Self.variables(of: document))
    if !changed.isEmpty { changes.append(changed.flatMap { $1.lines(of: $0) }.sorted()) }
    try Self.expect(
      "counts of changed fields", outcome.fieldsChanged,
      changed.values.reduce(0) { $0 + $1.fields.count })
    let records = changed.filter { !$0.key.hasPrefix("client:root") || $0.key.contains(":root:") }
    try Self.expect(
      "counts of created records", outcome.recordsCreated,
      records.values.count { $0.what == .created })
    try Self.expect(
      "counts of changed records", outcome.recordsChanged,
      records.values.count { $0.what != .created })
  }

  /// Compares all that the image and the store say.
  func compare() throws {
    let snapshot = try image.snapshot()
    var dump: [UInt8] = []
    try snapshot.export { dump += $0 }
    try Self.expect("dumps", String(decoding: dump, as: UTF8.self), store.dump)
    for (document, plan) in documents {
      let result = try snapshot.read(
        plan, variables: try Self.variables(of: document), identity: image.identity)
      let answer = ReferenceStore.Answer(result)
      try Self.expect("answers", answer, store.read(document))
    }
    try Self.expect("journals", try journal(in: snapshot), changes)
  }

  /// What each commit of the journal did; commits that changed names alone have nothing.
  private func journal(in snapshot: borrowing Snapshot) throws -> [[String]] {
    try snapshot.changes(since: 0).map { change in
      change.records.flatMap { record in
        RecordChange(what: record.what, fields: Set(record.fields)).lines(of: record.key ?? "?")
      }.sorted()
    }.filter { !$0.isEmpty }
  }

  private static func variables(of document: ModelDocument) throws -> Variables {
    guard case .object(let members) = try Value(json: Array(document.variablesText.utf8).span)
    else { return [:] }
    return Variables(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  static func expect<Content: Equatable>(
    _ what: String, _ image: Content, _ store: Content
  ) throws {
    guard image != store else { return }
    throw Difference(what: what, image: "\(image)", store: "\(store)")
  }
}

extension ReferenceStore.Answer {
  /// What reading an image gave.
  init(_ result: ReadResult) {
    data = String(decoding: result.data, as: UTF8.self)
    missing = Set(result.missing.map { Self.text(of: $0) })
    errors = result.errors.map { "\(Self.text(of: $0.path)): \(Self.text(of: $0.error))" }
  }

  private static func text(of path: [PathStep]) -> String {
    path.map(\.description).joined(separator: ".")
  }

  private static func text(of error: FieldError) -> String {
    [error.message, error.pathText, error.code, error.extensionsText].joined(separator: " ")
  }
}
