import BatonDocuments
import BatonImage
import BatonPlan
import TestSupport

/// A sequence of answers, deletions, pins and new launches, into an image that gives up what is not
/// used and into the store beside it.
struct LaunchSequence {
  private let folder: TemporaryFolder
  private var image: Image
  private var store = LaunchStore()
  private var generator: SeededGenerator
  /// What was done, for people.
  private(set) var history = ""

  private static let schema = """
    interface Node { id: ID! }
    type Query { node(id: ID!): Node nodes(ids: [ID!]!): [Node] issueBy(number: Int): Issue }
    type Issue implements Node { id: ID! title: String }
    """

  private static let document = """
    query Refresh($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Issue { title } } }
    query Find($number: Int) { issueBy(number: $number) { id title } }
    query Look($id: ID!) { node(id: $id) { __typename id ... on Issue { title } } }
    """

  private static let plans: (refresh: Plan, find: Plan, look: Plan) = {
    do {
      let schema = try Schema(sources: [Source(name: "schema", text: schema)])
      let document = try Document(Source(name: "document", text: document))
      return (
        try document.plan(operation: "Refresh", schema: schema),
        try document.plan(operation: "Find", schema: schema),
        try document.plan(operation: "Look", schema: schema)
      )
    } catch { preconditionFailure("\(error)") }
  }()

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    folder = try TemporaryFolder()
    image = try Self.open(folder)
  }

  private static func open(_ folder: TemporaryFolder) throws -> Image {
    try Image.open(path: folder.file("launches.image"), options: .init(evictsUnused: true))
  }

  func close() throws { try image.close() }

  // MARK: Steps

  mutating func step() throws {
    let id = "I\(Int.random(in: 0...5, using: &generator))"
    switch Int.random(in: 0...11, using: &generator) {
    case 0...2: try refresh()
    case 3: try find()
    case 4: try look()
    case 5: try delete(id)
    case 6: try pin(id)
    default:
      history += "\nlaunch"
      try image.close()
      image = try Self.open(folder)
      store.beginLaunch()
    }
  }

  private mutating func answer() -> (id: String, title: String) {
    (
      "I\(Int.random(in: 0...5, using: &generator))",
      "t\(Int.random(in: 0...1, using: &generator))"
    )
  }

  private static func text(_ answer: (id: String, title: String)) -> String {
    "{\"__typename\":\"Issue\",\"id\":\"\(answer.id)\",\"title\":\"\(answer.title)\"}"
  }

  private mutating func refresh() throws {
    let answers = (0..<Int.random(in: 1...3, using: &generator)).map { _ in answer() }
    let texts = answers.map { Self.text($0) }.joined(separator: ",")
    history += "\nrefresh \(texts)"
    let outcome = try image.commit(
      Array("{\"data\":{\"nodes\":[\(texts)]}}".utf8).span, of: Self.plans.refresh,
      variables: ["ids": .list(answers.map { .string($0.id) })])
    let isChanged = store.commit(answers)
    try ModelSequence.expect("whether pages were written", outcome.pagesWritten > 0, isChanged)
  }

  private mutating func find() throws {
    let answer = answer()
    let number = Int.random(in: 0...2, using: &generator)
    history += "\nfind \(number) \(Self.text(answer))"
    let outcome = try image.commit(
      Array("{\"data\":{\"issueBy\":\(Self.text(answer))}}".utf8).span, of: Self.plans.find,
      variables: ["number": .int(Int64(number))])
    let isChanged = store.commit(
      [answer], link: "issueBy(number:\(number))", isNaturalKey: true)
    try ModelSequence.expect("whether pages were written", outcome.pagesWritten > 0, isChanged)
  }

  private mutating func look() throws {
    let answer = answer()
    history += "\nlook \(Self.text(answer))"
    let outcome = try image.commit(
      Array("{\"data\":{\"node\":\(Self.text(answer))}}".utf8).span, of: Self.plans.look,
      variables: ["id": .string(answer.id)])
    let isChanged = store.commit([answer], link: "node(id:\"\(answer.id)\")")
    try ModelSequence.expect("whether pages were written", outcome.pagesWritten > 0, isChanged)
  }

  private mutating func delete(_ id: String) throws {
    history += "\ndelete \(id)"
    let outcome = try image.write { editor in
      if let record = try editor.existing(id) { try editor.delete(record) }
    }
    let isChanged = store.change(id) { issue in
      issue.title = nil
      issue.isEvicted = false
    }
    try ModelSequence.expect("whether pages were written", outcome.pagesWritten > 0, isChanged)
  }

  private mutating func pin(_ id: String) throws {
    guard let issue = store.issues[id] else { return }
    history += "\n\(issue.isPinned ? "unpin" : "pin") \(id)"
    if issue.isPinned { try image.unpin(id) } else { try image.pin(id) }
    _ = store.change(id) { $0.isPinned.toggle() }
  }

  // MARK: Comparing

  /// Compares what the image and the store hold; nothing is used by that.
  func compare() throws {
    let snapshot = try image.snapshot()
    var dump: [UInt8] = []
    try snapshot.export { dump += $0 }
    try ModelSequence.expect("dumps", String(decoding: dump, as: UTF8.self), store.dump)
    let names = try snapshot.otherNames().keys.map { "\($0.text) \($0.id)" }.sorted()
    try ModelSequence.expect("names", names, store.names)
  }
}
