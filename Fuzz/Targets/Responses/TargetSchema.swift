import BatonDocuments

/// A schema with something of everything: interfaces, unions, connections, lists of lists, input
/// objects, custom scalars.
enum TargetSchema {
  static let schema: Schema = {
    do { return try Schema(sources: [Source(name: "target", text: text)]) } catch {
      fatalError("\(error)")
    }
  }()

  private static let text = """
    scalar DateTime
    scalar JSON
    enum State { OPEN CLOSED }
    interface Node { id: ID! }
    union Assignee = User | Bot
    input IssueOrder { field: String!, direction: State, page: Int }
    type Query {
      node(id: ID!): Node
      nodes(ids: [ID!]!): [Node]!
      repository(name: String!, owner: String!): Repository
      viewer: User
      matrix: [[Issue]]
    }
    type Mutation {
      addIssue(title: String): AddIssuePayload
      deleteIssue(id: ID!): DeleteIssuePayload
    }
    type Subscription { issueChanged: Issue }
    type AddIssuePayload { edge: IssueEdge, issue: Issue }
    type DeleteIssuePayload { deletedId: ID, node: Issue }
    type Repository implements Node {
      id: ID!
      name: String
      issue(number: Int!): Issue
      issues(first: Int, after: String, before: String, last: Int, order: IssueOrder):
        IssueConnection
      settings: Settings
    }
    type Settings { theme: String, nested: Settings }
    type IssueConnection { edges: [IssueEdge], pageInfo: PageInfo!, totalCount: Int }
    type IssueEdge { cursor: String!, node: Issue }
    type PageInfo {
      hasNextPage: Boolean!
      hasPreviousPage: Boolean!
      startCursor: String
      endCursor: String
    }
    type Issue implements Node {
      id: ID!
      number: Int
      title: String
      score: Float
      state: State
      closed: Boolean
      updatedAt: DateTime
      extra: JSON
      labels: [String]
      grid: [[Int]]
      assignees: [Assignee]
      author: Assignee
      repository: Repository
      related: [Node]
    }
    type User implements Node { id: ID!, login: String }
    type Bot implements Node { id: ID!, login: String, owner: User }
    """
}
