import BatonDocuments
import BatonPlan

/// The subjects the benchmarks refresh: issues with an author, labels, comments and a repository,
/// fifty a response, as a list of them asks for by `nodes(ids:)`.
enum Subjects {
  /// How many subjects a response has.
  static let batch = 50
  /// How many records a response names: 50 issues, as many connections of labels and of comments,
  /// and the authors, labels and repositories they share.
  static let records = 3 * batch + authors + labels + repositories
  static let authors = 24
  static let labels = 20
  static let repositories = 6

  /// How many batches hold `count` records.
  static func batches(holding count: Int) -> Int { count / records }

  static func plan() throws -> Plan {
    let schema = try Schema(sources: [Source(name: "schema.graphql", text: schemaText)])
    let document = try Document(Source(name: "subjects.graphql", text: documentText))
    return try document.plan(operation: "RefreshSubjects", schema: schema)
  }

  /// The fields of the row that is read back, by their storage keys.
  static let rowFields = [
    "id", "number", "title", "state", "url", "createdAt", "updatedAt", "isPinned",
  ]

  private static let schemaText = """
    scalar DateTime
    scalar URI
    enum State { OPEN CLOSED }
    interface Node { id: ID! }
    interface Actor { login: String! avatarUrl: URI! }
    type Query { node(id: ID!): Node nodes(ids: [ID!]!): [Node]! }
    type Issue implements Node {
      id: ID! number: Int! title: String! state: State! url: URI! createdAt: DateTime!
      updatedAt: DateTime! isPinned: Boolean! author: Actor labels(first: Int): LabelConnection
      comments(first: Int): CommentConnection! repository: Repository!
    }
    type User implements Node & Actor { id: ID! login: String! avatarUrl: URI! }
    type LabelConnection { totalCount: Int! nodes: [Label] }
    type Label implements Node { id: ID! name: String! color: String! }
    type CommentConnection { totalCount: Int! }
    type Repository implements Node { id: ID! nameWithOwner: String! stargazerCount: Int! }
    """

  private static let documentText = """
    query RefreshSubjects($ids: [ID!]!) {
      nodes(ids: $ids) { __typename id ...SubjectRow }
    }
    fragment SubjectRow on Issue {
      number title state url createdAt updatedAt isPinned
      author { __typename login avatarUrl ... on User { id } }
      labels(first: 5) { totalCount nodes { id name color } }
      comments(first: 0) { totalCount }
      repository { id nameWithOwner stargazerCount }
    }
    """
}
