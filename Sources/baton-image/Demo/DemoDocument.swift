/// The schema and the operations of the demonstration.
enum DemoDocument {
  static let schema = """
    scalar DateTime

    enum IssueState { OPEN CLOSED }

    interface Node { id: ID! }

    type Query {
      node(id: ID!): Node
      nodes(ids: [ID!]!): [Node]!
      repository(owner: String!, name: String!): Repository
    }

    type Repository implements Node {
      id: ID!
      nameWithOwner: String!
      issue(number: Int!): Issue
    }

    type Issue implements Node {
      id: ID!
      number: Int!
      title: String!
      state: IssueState!
      updatedAt: DateTime!
      author: User
      labels(first: Int!): LabelConnection!
      repository: Repository!
    }

    type LabelConnection {
      totalCount: Int!
      nodes: [Label]
    }

    type Label implements Node { id: ID! name: String! color: String! }

    type User implements Node { id: ID! login: String! }
    """

  static let operations = """
    query IssueQuery($owner: String!, $name: String!, $number: Int!) {
      repository(owner: $owner, name: $name) {
        __typename
        id
        issue(number: $number) { __typename id ...IssueRow_issue }
      }
    }

    query RefreshRowsQuery($ids: [ID!]!) {
      nodes(ids: $ids) { __typename id ...IssueRow_issue }
    }

    fragment IssueRow_issue on Issue {
      number
      title
      state
      updatedAt
      author { __typename id login }
      labels(first: 3) { __typename totalCount nodes { __typename id name color } }
      repository { __typename id nameWithOwner }
    }
    """
}
