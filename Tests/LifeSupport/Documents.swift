public import BatonDocuments
public import BatonPlan

/// The schema and the operations of the tests about changes and life, compiled once.
public enum Documents {
  public static let schema: Schema = {
    do {
      return try Schema(sources: [
        Source(
          name: "schema.graphql",
          text: """
            interface Node { id: ID! }
            type Issue implements Node {
              id: ID! number: Int! title: String! state: String weight: Float
              tags: [String] author: Actor repository: Repository labels(first: Int): LabelList
              comments(first: Int): CommentList data: JSON
            }
            interface Actor { login: String! }
            type User implements Node & Actor { id: ID! login: String! name: String }
            type Bot implements Actor { login: String! }
            type Repository implements Node {
              id: ID! nameWithOwner: String! issue(number: Int!): Issue
            }
            type LabelList { totalCount: Int! nodes: [Label] }
            type Label implements Node { id: ID! name: String! }
            type CommentList { totalCount: Int! nodes: [Comment] }
            type Comment { body: String! }
            type SearchList { issueCount: Int! nodes: [Issue] hits: [Hit] }
            type Hit { text: String! score: Float! }
            type RenamePayload { issue: Issue log: Log }
            type Log { text: String! }
            scalar JSON
            type Query {
              node(id: ID!): Node
              nodes(ids: [ID!]!): [Node]!
              repository(owner: String!, name: String!): Repository
              search(query: String!): SearchList
              recent: [Issue]
              viewer: User
              secret(code: String!): Secret
            }
            type Secret { text: String! }
            type Mutation { rename(id: ID!, title: String!): RenamePayload }
            """)
      ])
    } catch { fatalError("\(error)") }
  }()

  static let document: Document = {
    do {
      return try Document(
        Source(
          name: "operations.graphql",
          text: """
            query Refresh($ids: [ID!]!) {
              nodes(ids: $ids) {
                __typename id
                ... on Issue { number title state weight tags author { __typename login ... on User { id } } }
              }
            }
            query Labels($id: ID!) {
              node(id: $id) {
                __typename id
                ... on Issue { labels(first: 5) { totalCount nodes { id name } } }
              }
            }
            query Discover($owner: String!, $name: String!, $number: Int!) {
              repository(owner: $owner, name: $name) {
                id nameWithOwner
                issue(number: $number) { id number title state }
              }
            }
            query Search($query: String!) {
              search(query: $query) { issueCount nodes { id title } hits { text score } }
            }
            query Recent { recent { id title } }
            query Viewer { viewer { id login } }
            query Secrets($code: String!) { secret(code: $code) { text } }
            mutation Rename($id: ID!, $title: String!) {
              rename(id: $id, title: $title) { issue { id title } log { text } }
            }
            fragment Row on Issue { id number title state }
            fragment Title on Issue { title }
            fragment WithAuthor on Issue { title author { login } }
            fragment WithLabels on Issue { title labels(first: 5) { totalCount nodes { name } } }
            fragment Found on SearchList { issueCount nodes { title } }
            """))
    } catch { fatalError("\(error)") }
  }()

  private static func operation(_ name: String) -> Plan {
    do { return try document.plan(operation: name, schema: schema) } catch {
      fatalError("\(error)")
    }
  }

  private static func fragment(_ name: String) -> Plan {
    do { return try document.plan(fragment: name, schema: schema) } catch {
      fatalError("\(error)")
    }
  }

  public static let refresh = operation("Refresh")
  public static let labels = operation("Labels")
  public static let discover = operation("Discover")
  public static let search = operation("Search")
  public static let recent = operation("Recent")
  public static let viewer = operation("Viewer")
  public static let secrets = operation("Secrets")
  public static let rename = operation("Rename")

  public static let row = fragment("Row")
  public static let title = fragment("Title")
  public static let withAuthor = fragment("WithAuthor")
  public static let withLabels = fragment("WithLabels")
  public static let found = fragment("Found")
}
