import BatonDocuments
import BatonPlan

/// A small schema in the manner of a code host's: objects with ids and without, interfaces, a
/// union, lists of every depth, a connection, custom scalars, and arguments of every kind.
enum Hub {
  static let text = """
    interface Node { id: ID! }
    interface Actor { login: String! }
    union Subject = Issue | PullRequest
    scalar DateTime
    scalar JSON
    enum State { OPEN CLOSED }
    input Filter { state: State = OPEN labels: [String!] minimum: Float nested: Filter }
    type Query {
      node(id: ID!): Node
      nodes(ids: [ID!]!): [Node]!
      repository(owner: String!, name: String!, followRenames: Boolean = true): Repository
      issue: Issue
      viewer: User
      subject(number: Int): Subject
      subjects: [Subject]
      actor: Actor
      actors: [Actor]
      recent(since: DateTime): [Issue]
      search(text: String, filter: Filter, first: Int = 10): [Subject]
      milestone: Milestone
      board: [[Issue]]
      plans: [[Milestone]]
      tags: [String]
      big: Big
      secret(word: String): Secret
      secrets: [Secret]
      anything(q: String): Subject
    }
    type Mutation {
      rename(id: ID!, title: String): Renamed
      deleteIssue(id: ID!): Deleted
      addIssue(title: String): Added
      addNode(title: String): Made
      removeIssues(ids: [ID!]): Removed
    }
    type Subscription { issueChanged: Renamed issueAdded: Added issueGone: Deleted }
    type Renamed { issue: Issue }
    type Deleted { deletedId: ID issueId: ID }
    type Removed { ids: [ID!] }
    type Added { edge: IssueEdge edges: [IssueEdge] }
    type Made { issue: Issue issues: [Issue] }
    type Repository implements Node {
      id: ID!
      nameWithOwner: String
      pinned: Issue
      issue(number: Int!): Issue
      subject(number: Int!): Subject
      issues(first: Int, after: String, last: Int, before: String, state: State, orderBy: String)
        : IssueConnection
      labels(first: Int = 10, query: String): [Label]
      owner: Actor
      settings: Settings
    }
    type IssueConnection {
      totalCount: Int
      edges: [IssueEdge]
      nodes: [Issue]
      pageInfo: PageInfo!
    }
    type IssueEdge { cursor: String note: String node: Issue }
    type PageInfo {
      endCursor: String
      startCursor: String
      hasNextPage: Boolean!
      hasPreviousPage: Boolean!
    }
    type Label implements Node { id: ID! name: String color: String }
    type Issue implements Node {
      id: ID!
      number: Int
      title: String
      state: State
      body(format: String = "text", limit: Int): String
      weight: Float
      isPinned: Boolean
      updatedAt: DateTime
      payload: JSON
      payloads: [JSON]
      matrix: [[Int]]
      tags: [String]
      author: Actor
      repository: Repository
      assignees: [User]
      related: [[Issue]]
      milestone: Milestone
      settings: Settings
      databaseId: Int
      fullDatabaseId: String
    }
    type PullRequest implements Node {
      id: ID!
      number: Int
      title: String
      isDraft: Boolean
      repository: Repository
      author: Actor
    }
    type User implements Node & Actor {
      id: ID!
      login: String!
      name: String
      followers: Count
      secret: Secret
    }
    type Bot implements Actor { login: String! version: Int }
    type Count { totalCount: Int }
    type Milestone { title: String due: DateTime issue: Issue parent: Milestone }
    type Settings { theme: String depth: Int inner: Settings list: [Settings] }
    type Secret { id: ID word: String inner: Secret }
    type Big { field(n: Int): String link(n: Int): Issue id: ID }
    """

  static let schema: Schema = {
    do { return try BatonImageTests.schema(text) } catch { preconditionFailure("\(error)") }
  }()

  /// The plan of the only operation of a document.
  static func plan(_ document: String) throws -> Plan {
    try BatonImageTests.plan(document, schema)
  }

  static func plan(fragment name: String, _ document: String) throws -> Plan {
    try BatonImageTests.plan(fragment: name, document, schema)
  }

  // MARK: Documents that many tests use

  /// Asks for one issue at the root.
  static func issue(_ fields: String) throws -> Plan {
    try plan("query IssueQuery { issue { id \(fields) } }")
  }

  /// Refreshes records by id, as section 0 of the scenarios does.
  static let refresh: Plan = {
    do {
      return try plan(
        """
        query Refresh($ids: [ID!]!) {
          nodes(ids: $ids) {
            __typename
            id
            ... on Issue { number title state repository { id nameWithOwner } }
            ... on PullRequest { number title isDraft repository { id nameWithOwner } }
          }
        }
        """)
    } catch { preconditionFailure("\(error)") }
  }()

  /// Looks an issue up by the names the app has.
  static let discover: Plan = {
    do {
      return try plan(
        """
        query Discover($owner: String!, $name: String!, $number: Int!) {
          repository(owner: $owner, name: $name) {
            id
            nameWithOwner
            subject(number: $number) {
              __typename
              ... on Issue { id number title }
              ... on PullRequest { id number title }
            }
          }
        }
        """)
    } catch { preconditionFailure("\(error)") }
  }()
}
