import BatonDocuments
import BatonPlan

/// The plans that responses are committed by.
enum ResponsePlans {
  struct Entry: Sendable {
    var plan: Plan
    var variables: Variables
    /// Whether the same response a second time must change nothing: no edits, pages or misses.
    var isRepeatable: Bool
  }

  static let all: [Entry] = {
    var entries: [Entry] = []
    for schema in [TargetSchema.schema, nil] {
      for (name, variables, isRepeatable) in operations {
        entries.append(
          Entry(
            plan: compile(name, schema), variables: variables, isRepeatable: isRepeatable))
      }
    }
    return entries
  }()

  private static func compile(_ name: String, _ schema: Schema?) -> Plan {
    do {
      return try Document(Source(name: "target", text: text)).plan(operation: name, schema: schema)
    } catch {
      fatalError("\(error)")
    }
  }

  private static let connection = Value.list([.string("client:R_1:__issues_connection")])

  private static let operations: [(String, Variables, Bool)] = [
    ("Refresh", ["ids": .list([.string("I_1"), .string("I_2"), .string("old")])], false),
    ("Find", ["name": .string("w"), "owner": .string("o"), "number": .int(7)], true),
    ("Page", [:], false),
    ("Page", ["after": .string("c2"), "more": .boolean(true)], false),
    ("Back", ["before": .string("c1")], false),
    ("Deferred", ["owner": .string("o")], false),
    ("Add", ["connections": connection], false),
    ("Remove", ["connections": connection], false),
    ("Lists", [:], true),
    ("Lookup", ["id": .string("I_1")], false),
    ("Changed", [:], false),
  ]

  private static let text = """
    query Refresh($ids: [ID!]!) { nodes(ids: $ids) { __typename id ...Row } }
    query Find($name: String!, $owner: String!, $number: Int!) {
      repository(name: $name, owner: $owner) {
        id name
        issue(number: $number) { id ...Row author { __typename ... on User { login } } }
        settings { theme nested { theme nested { theme } } }
      }
    }
    query Page($after: String, $more: Boolean = false) {
      repository(name: "w", owner: "o") {
        id
        issues(first: 2, after: $after) @connection(key: "R_issues") {
          totalCount
          edges { cursor node { id title number @include(if: $more) } }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }
      }
    }
    query Back($before: String) {
      repository(name: "w", owner: "o") {
        id
        issues(last: 2, before: $before) @connection(key: "R_issues", filters: []) {
          edges { cursor node { id title } }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }
      }
    }
    query Deferred($owner: String!) {
      viewer { id ...Login @defer(label: "login") }
      repository(name: "w", owner: $owner) {
        id
        ... @defer(label: "issues") {
          issues(first: 5) { edges { node { id ... @defer(label: "title") { title } } } }
        }
      }
    }
    mutation Add($connections: [ID!]!) {
      addIssue(title: "New") {
        edge @appendEdge(connections: $connections) { cursor node { id title } }
        issue @prependNode(connections: $connections, edgeTypeName: "IssueEdge") { id title }
      }
    }
    mutation Remove($connections: [ID!]!) {
      deleteIssue(id: "I_1") {
        deletedId @deleteRecord
        node @deleteEdge(connections: $connections) { id }
      }
    }
    query Lists {
      matrix { id grid labels extra assignees { __typename ... on Bot { id owner { id login } } } }
      viewer { login }
    }
    query Lookup($id: ID!) { node(id: $id) { __typename id ...Row } viewer { id login } }
    subscription Changed { issueChanged { id title related { id ... on Issue { title } } } }
    fragment Row on Issue {
      number title score state closed updatedAt extra labels
      author { __typename ... on User { id login } ... on Bot { id } }
      repository { id name }
    }
    fragment Login on User { login }
    """
}
