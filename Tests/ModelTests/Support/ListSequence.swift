import BatonDocuments
import BatonImage
import BatonPlan
import TestSupport

/// A sequence of pages, inserted and deleted edges and new launches, into an image and into the
/// store of connections beside it.
struct ListSequence {
  private let folder: TemporaryFolder
  private var image: Image
  private var store = ListStore()
  private var generator: SeededGenerator
  private var isNewLaunch = false
  /// What was done, for people.
  private(set) var history = ""

  private static let schema = """
    enum State { OPEN CLOSED }
    type Query {
      list(first: Int, after: String, last: Int, before: String, state: State): List
    }
    type List { total: Int edges: [Edge] pageInfo: PageInfo }
    type Edge { cursor: String node: Item }
    type Item { id: ID! }
    type PageInfo {
      hasNextPage: Boolean hasPreviousPage: Boolean startCursor: String endCursor: String
    }
    type Mutation { add: Added remove: Removed }
    type Added { edge: Edge item: Item }
    type Removed { deletedId: ID }
    """

  private static let document = """
    query Page($first: Int, $after: String, $last: Int, $before: String, $state: State) {
      list(first: $first, after: $after, last: $last, before: $before, state: $state)
      @connection(key: "Q_list") {
        total
        edges { cursor node { id } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
    mutation appendEdge($c: [ID!]!) { add { edge @appendEdge(connections: $c) { cursor node { id } } } }
    mutation prependEdge($c: [ID!]!) { add { edge @prependEdge(connections: $c) { cursor node { id } } } }
    mutation appendNode($c: [ID!]!) {
      add { item @appendNode(connections: $c, edgeTypeName: "Edge") { id } }
    }
    mutation prependNode($c: [ID!]!) {
      add { item @prependNode(connections: $c, edgeTypeName: "Edge") { id } }
    }
    mutation deleteEdge($c: [ID!]!) { remove { deletedId @deleteEdge(connections: $c) } }
    """

  private static let edits = ["appendEdge", "prependEdge", "appendNode", "prependNode"]

  private static let plans: [String: Plan] = {
    do {
      let schema = try Schema(sources: [Source(name: "schema", text: schema)])
      let document = try Document(Source(name: "document", text: document))
      var plans: [String: Plan] = [:]
      for name in edits + ["Page", "deleteEdge"] {
        plans[name] = try document.plan(operation: name, schema: schema)
      }
      return plans
    } catch { preconditionFailure("\(error)") }
  }()

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    folder = try TemporaryFolder()
    image = try Image.open(path: folder.file("lists.image"))
  }

  func close() throws { try image.close() }

  // MARK: Steps

  mutating func step() throws {
    switch Int.random(in: 0...9, using: &generator) {
    case 0...4: try page()
    case 5...7: try insert()
    case 8: try delete()
    default:
      history += "\nreopen"
      try image.close()
      image = try Image.open(path: folder.file("lists.image"))
      isNewLaunch = true
    }
  }

  private mutating func commit(
    _ name: String, _ variables: Variables, _ response: String,
    to change: (inout ListStore) -> Void
  ) throws {
    history += "\n\(name) \(variables)\n\(response)"
    guard let plan = Self.plans[name] else { return }
    let outcome = try image.commit(Array(response.utf8).span, of: plan, variables: variables)
    let before = store.base.records
    if isNewLaunch { store.dropPayloads() }
    let kept = store.base.records
    change(&store)
    let isChanged = before != kept || kept != store.base.records
    if isChanged { isNewLaunch = false }
    try ModelSequence.expect("whether something was written", outcome.pagesWritten > 0, isChanged)
  }

  private mutating func edge() -> ListStore.Edge {
    let number = Int.random(in: 0...5, using: &generator)
    let cursor = generator.oneIn(5) ? Int.random(in: 0...5, using: &generator) : number
    return .init(cursor: "c\(cursor)", node: "N\(number)")
  }

  private mutating func connection() -> String {
    let state = ["", "(state:\"OPEN\")", "(state:\"CLOSED\")"].randomElement(using: &generator)
    return "__Q_list_connection" + (state ?? "")
  }

  /// A cursor at an end of a connection, or any.
  private mutating func cursor(_ field: String, of connection: String) -> String {
    if !generator.oneIn(4),
      case .leaf(let token)? = store.cell(field, of: "client:root:\(connection):pageInfo")
    {
      return String(token.dropFirst().dropLast())
    }
    return "c\(Int.random(in: 0...5, using: &generator))"
  }

  private mutating func page() throws {
    let connection = connection()
    var page = ListStore.Page(
      key: "", connection: connection, edges: [], total: Int.random(in: 0...3, using: &generator),
      info: [:])
    var arguments: [(String, String)] = []
    var variables: Variables = [:]
    let count = Int.random(in: 0...3, using: &generator)
    let isBackward = generator.oneIn(4)
    arguments.append((isBackward ? "last" : "first", String(count)))
    variables[isBackward ? "last" : "first"] = .int(Int64(count))
    if isBackward {
      page.before = cursor("startCursor", of: connection)
    } else if !generator.oneIn(3) {
      page.after = cursor("endCursor", of: connection)
    }
    if let cursor = page.after ?? page.before {
      arguments.append((isBackward ? "before" : "after", "\"\(cursor)\""))
      variables[isBackward ? "before" : "after"] = .string(cursor)
    }
    if let state = connection.split(separator: "\"").dropFirst().first {
      arguments.append(("state", "\"\(state)\""))
      variables["state"] = .string(String(state))
    }
    page.key =
      "list(" + arguments.sorted { $0.0 < $1.0 }.map { "\($0):\($1)" }.joined(separator: ",") + ")"
    for _ in 0..<count { page.edges.append(generator.oneIn(8) ? nil : edge()) }
    let known = page.edges.compactMap { $0 }
    page.info = [
      "hasNextPage": generator.oneIn(2) ? "true" : "false",
      "hasPreviousPage": generator.oneIn(2) ? "true" : "false",
      "startCursor": known.first.map { "\"\($0.cursor)\"" } ?? "null",
      "endCursor": known.last.map { "\"\($0.cursor)\"" } ?? "null",
    ]
    let edges = page.edges.map { $0?.text ?? "null" }.joined(separator: ",")
    let info = page.info.map { "\"\($0)\":\($1)" }.joined(separator: ",")
    let response =
      "{\"data\":{\"list\":{\"total\":\(page.total),\"edges\":[\(edges)],\"pageInfo\":{\(info)}}}}"
    let answered = page
    try commit("Page", variables, response) { $0.commit(answered) }
  }

  private mutating func insert() throws {
    let connection = "client:root:\(connection())"
    let edge = edge()
    let name = Self.edits.randomElement(using: &generator) ?? ""
    let isNode = name.hasSuffix("Node")
    let member = isNode ? "\"item\":{\"id\":\"\(edge.node)\"}" : "\"edge\":\(edge.text)"
    let variables: Variables = ["c": .list([.string(connection)])]
    try commit(name, variables, "{\"data\":{\"add\":{\(member)}}}") { store in
      store.insert(edge, isNode: isNode, first: name.hasPrefix("prepend"), into: connection)
    }
  }

  private mutating func delete() throws {
    let connection = "client:root:\(connection())"
    let node = "N\(Int.random(in: 0...5, using: &generator))"
    let response = "{\"data\":{\"remove\":{\"deletedId\":\"\(node)\"}}}"
    try commit("deleteEdge", ["c": .list([.string(connection)])], response) { store in
      store.deleteEdge(to: node, from: connection)
    }
  }

  // MARK: Comparing

  func compare() throws {
    let snapshot = try image.snapshot()
    var dump: [UInt8] = []
    try snapshot.export { dump += $0 }
    try ModelSequence.expect("dumps", String(decoding: dump, as: UTF8.self), store.base.dump)
  }
}
