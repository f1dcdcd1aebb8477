import BatonDocuments
import BatonImage
import BatonPlan
import TestSupport

/// A sequence of refreshes, look-ups, discoveries, deletions and writes, into an image and into the
/// store of subjects beside it.
struct SubjectSequence {
  private let folder: TemporaryFolder
  private var image: Image
  private var store = SubjectStore()
  private var service: SubjectService
  private var generator: SeededGenerator
  /// The id that the last deletion of this launch, or of the one before, answered.
  private var payload: String?
  private var isNewLaunch = false
  /// What was done, for people.
  private(set) var history = ""

  private static let schema = """
    interface Node { id: ID! }
    type Query { node(id: ID!): Node nodes(ids: [ID!]!): [Node] repository(name: String): Repository }
    type Mutation { deleteIssue(id: ID): Deleted }
    type Deleted { deletedId: ID }
    type Repository implements Node { id: ID! name: String issue(number: Int): Issue }
    type Issue implements Node { id: ID! number: Int title: String repository: Repository }
    """

  private static let document = """
    query Refresh($ids: [ID!]!) { nodes(ids: $ids) { ...Subject } }
    query Look($id: ID!) { node(id: $id) { ...Subject } }
    fragment Subject on Node {
      __typename id
      ... on Issue { number title repository { id name } }
      ... on Repository { name }
    }
    query Discover($name: String, $number: Int) {
      repository(name: $name) { id name issue(number: $number) { id number title } }
    }
    query Read($ids: [ID!]!) {
      nodes(ids: $ids) { __typename id ... on Issue { title } ... on Repository { name } }
    }
    mutation Delete($id: ID) { deleteIssue(id: $id) { deletedId @deleteRecord } }
    """

  private static let plans: [String: Plan] = {
    do {
      let schema = try Schema(sources: [Source(name: "schema", text: schema)])
      let document = try Document(Source(name: "document", text: document))
      var plans: [String: Plan] = [:]
      for name in ["Refresh", "Look", "Discover", "Read", "Delete"] {
        plans[name] = try document.plan(operation: name, schema: schema)
      }
      return plans
    } catch { preconditionFailure("\(error)") }
  }()

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    service = SubjectService(seed: generator.next())
    folder = try TemporaryFolder()
    image = try Image.open(path: folder.file("subjects.image"))
  }

  func close() throws { try image.close() }

  // MARK: Steps

  mutating func step() throws {
    switch Int.random(in: 0...11, using: &generator) {
    case 0...4: try commit("Refresh", service.refresh())
    case 5: try commit("Look", service.look())
    case 6...8: try commit("Discover", service.discover())
    case 9: try delete()
    case 10: try write()
    default:
      history += "\nreopen"
      try image.close()
      image = try Image.open(path: folder.file("subjects.image"))
      isNewLaunch = true
    }
  }

  private mutating func commit(_ name: String, _ exchange: SubjectService.Exchange) throws {
    history += "\n\(name) \(exchange.variables)\n\(exchange.response)"
    guard let plan = Self.plans[name] else { return }
    let outcome = try image.commit(
      Array(exchange.response.utf8).span, of: plan, variables: Self.variables(exchange.variables))
    store.commit(exchange.answer)
    try end(outcome)
  }

  private mutating func delete() throws {
    guard let plan = Self.plans["Delete"],
      let id = SubjectService.ids.randomElement(using: &generator)
    else { return }
    history += "\nDelete \(id)"
    let response = "{\"data\":{\"deleteIssue\":{\"deletedId\":\"\(id)\"}}}"
    let outcome = try image.commit(
      Array(response.utf8).span, of: plan, variables: ["id": .string(id)])
    store.delete(id)
    payload = nil
    try end(outcome)
    payload = id
  }

  /// A write without a response.
  private mutating func write() throws {
    guard let id = SubjectService.ids.randomElement(using: &generator),
      let other = SubjectService.ids.randomElement(using: &generator)
    else { return }
    let type = id.hasPrefix("R") ? "Repository" : "Issue"
    let kind = Int.random(in: 0...4, using: &generator)
    let title = "w\(Int.random(in: 0...2, using: &generator))"
    let key = SubjectStore.NaturalKey(name: "u")
    let isAlike = type == "Issue" && !other.hasPrefix("R")
    // The service's first repository, which has or had the name.
    let isOwn = type == "Repository" && id.hasSuffix("0")
    history += "\nwrite \(kind) \(id) \(other) \(title)"
    let isKnown = store.resolve(id) != nil
    let outcome = try image.write { editor in
      switch kind {
      case 0:
        let record = try editor.record(id, type: type)
        try editor.set("title", to: .string(title), on: record)
      case 1:
        guard let record = try editor.existing(id) else { return }
        try editor.clear("title", of: record)
      case 2:
        guard let record = try editor.existing(id) else { return }
        try editor.delete(record)
      case 3:
        guard let record = try editor.existing(id), isAlike else { return }
        try editor.addAlias(other, to: record)
      default:
        guard let record = try editor.existing(id), isOwn else { return }
        try editor.addNaturalKey(key.text, to: record)
      }
    }
    let isLive = isKnown && store.subjects[store.resolve(id) ?? ""]?.isDeleted == false
    switch kind {
    case 0: store.write("title", .leaf("\"\(title)\""), of: id, type: type)
    case 1 where isLive: store.write("title", nil, of: id, type: type)
    case 2 where isLive: store.delete(id)
    case 3 where isLive && isAlike: store.add(alias: other, to: id)
    case 4 where isLive && isOwn: store.add(key: key, to: id)
    default: store.begin()
    }
    try end(outcome)
  }

  /// Compares what the commit did, and takes into account what the first one of a launch does.
  private mutating func end(_ outcome: CommitOutcome) throws {
    if isNewLaunch, outcome.pagesWritten > 0 {
      payload = nil
      isNewLaunch = false
    }
    let expected = store.changes.flatMap { id, change in change.lines(of: id) }.sorted()
    let snapshot = try image.snapshot()
    var changes: [String] = []
    if outcome.pagesWritten > 0, let change = try snapshot.changes(since: outcome.commit - 1).last {
      for record in change.records {
        guard let key = record.key, !key.hasPrefix("client:root") else { continue }
        changes += RecordChange(what: record.what, fields: Set(record.fields)).lines(of: key)
      }
    }
    try ModelSequence.expect("changes", changes.sorted(), expected)
  }

  // MARK: Comparing

  /// Compares all that the image and the store say.
  mutating func compare() throws {
    let snapshot = try image.snapshot()
    var dump: [UInt8] = []
    try snapshot.export { dump += $0 }
    try ModelSequence.expect(
      "dumps", String(decoding: dump, as: UTF8.self), store.dump(payload: payload))
    let names = try snapshot.otherNames()
    try ModelSequence.expect(
      "names",
      names.keys.map { "\($0.text) \($0.id) \($0.isLive)" }.sorted()
        + names.aliases.map { "\($0.from) is \($0.to)" }.sorted(), store.names)
    for (key, target) in store.keys {
      try ModelSequence.expect(
        "a natural key", try snapshot.id(of: key.text), target.isLive ? target.id : nil)
    }
    for id in SubjectService.ids {
      let count = try snapshot.miss(of: Array(id.utf8)).map { Int($0.count) }
      try ModelSequence.expect("misses of \(id)", count, store.misses[id]?.count)
    }
    guard let plan = Self.plans["Read"] else { return }
    let ids = SubjectService.ids.shuffled(using: &generator)
    let result = try snapshot.read(
      plan, variables: ["ids": .list(ids.map { .string($0) })], identity: image.identity)
    try ModelSequence.expect("answers", ReferenceStore.Answer(result), store.read(ids))
  }

  private static func variables(_ text: String) throws -> Variables {
    guard case .object(let members) = try Value(json: Array(text.utf8).span) else { return [:] }
    return Variables(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }
}
