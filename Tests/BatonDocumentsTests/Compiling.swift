import BatonDocuments
import BatonPlan

/// A text and what is said of it.
struct Verdict: Sendable, CustomStringConvertible {
  var text: String
  /// The diagnostics, `file:line:column: message` each.
  var diagnostics: [String]

  init(_ text: String, _ diagnostics: String...) {
    self.text = text
    self.diagnostics = diagnostics
  }

  var description: String { text }
}

/// The diagnostics that `work` throws; none when it throws none.
func diagnostics(of work: () throws(DiagnosticsError) -> Void) -> [String] {
  do {
    try work()
    return []
  } catch {
    return error.diagnostics.map(\.description)
  }
}

/// A schema of the server's text, which the diagnostics call `schema`, and extensions, `client`.
func schema(_ server: String, client: String...) throws(DiagnosticsError) -> Schema {
  try Schema(
    sources: [Source(name: "schema", text: server)]
      + client.map { Source(name: "client", text: $0) })
}

/// A document that the diagnostics call `doc`.
func document(_ text: String) throws(DiagnosticsError) -> Document {
  try Document(Source(name: "doc", text: text))
}

/// The plan of the only operation of a document.
func plan(_ text: String, _ schema: Schema? = nil) throws(DiagnosticsError) -> Plan {
  try document(text).plan(schema: schema)
}

extension Plan {
  /// The field at a path of response keys, refinements looked through.
  func field(_ path: String...) -> PlanField? {
    var slot: Int? = 0
    var found: PlanField?
    for key in path {
      guard let selection = slot else { return nil }
      found = field(key, in: selection)
      slot = found?.selection
    }
    return found
  }

  /// The refinements of the selection at a path of response keys.
  func refinements(_ path: String...) -> [Refinement] {
    var slot: Int? = 0
    for key in path {
      guard let selection = slot else { return [] }
      slot = field(key, in: selection)?.selection
    }
    return slot.map { refinements(in: $0) } ?? []
  }

  /// The refinements of a selection of the pool.
  func refinements(in slot: Int) -> [Refinement] {
    selections[slot].items.compactMap {
      if case .refinement(let refinement) = $0 { refinement } else { nil }
    }
  }

  private func field(_ key: String, in slot: Int) -> PlanField? {
    for item in selections[slot].items {
      switch item {
      case .field(let field) where field.responseKey == key: return field
      case .field: break
      case .refinement(let refinement):
        if let found = field(key, in: refinement.selection) { return found }
      }
    }
    return nil
  }
}

/// A schema of every kind of definition, for the tests that need one.
let library = """
  interface Node { id: ID! }
  interface Named { name(upper: Boolean = false): String }
  type Query {
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
    search(text: String!, filter: Filter, first: Int = 10): [Result!]
    matrix(rows: [[Float!]], at: Stamp, kind: Kind = BOOK): [[Int]]
    shelf: Shelf
    pick(one: Pick): Book
  }
  type Mutation { addBook(title: String!, filters: [Filter!]): Edge removeBook(id: ID!): ID }
  type Subscription { bookAdded(shelf: ID): Edge count: Int }
  type Shelf implements Node {
    id: ID!
    books(first: Int, after: String, filter: Filter): Books!
  }
  type Books { edges: [Edge] }
  type Edge { cursor: String node: Book }
  type Book implements Node & Named {
    id: ID!
    name(upper: Boolean = false): String
    title: String!
    kind: Kind
    price: Float
    at: Stamp
  }
  type Person implements Named { name(upper: Boolean = false): String age: Int title: String }
  type Robot { serial: Int! }
  union Result = Book | Person
  enum Kind { BOOK PAPER }
  input Filter { kind: Kind = BOOK ids: [ID!] price: Float! deep: Filter }
  input Pick @oneOf { id: ID name: String }
  scalar Stamp
  """
