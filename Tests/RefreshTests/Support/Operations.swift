import BatonDocuments
import BatonImage
import BatonPlan

/// The documents that the tests ask by.
enum Operations {
  static let text = """
    query Refresh($ids: [ID!]!) {
      nodes(ids: $ids) {
        __typename id
        ... on Issue { number title state repository { id nameWithOwner } }
        ... on PullRequest { number title isDraft repository { id nameWithOwner } }
      }
    }
    query RefreshWithAuthor($ids: [ID!]!) {
      nodes(ids: $ids) { __typename id ... on Issue { title author { __typename id login } } }
    }
    query RefreshWithLabels($ids: [ID!]!, $count: Int) {
      nodes(ids: $ids) {
        __typename id
        ... on Issue { title labels(first: $count) { totalCount nodes { id name } } }
      }
    }
    query RefreshTitles($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Issue { id title } } }
    query Discover($owner: String!, $name: String!, $number: Int!) {
      repository(owner: $owner, name: $name) {
        id nameWithOwner
        issueOrPullRequest(number: $number) {
          __typename ... on Issue { id number title } ... on PullRequest { id number title }
        }
      }
    }
    """

  static let refresh = operation("Refresh")
  static let refreshWithAuthor = operation("RefreshWithAuthor")
  static let refreshWithLabels = operation("RefreshWithLabels")
  static let refreshTitles = operation("RefreshTitles")
  static let discover = operation("Discover")

  /// An operation of a document, compiled without a schema.
  static func operation(_ name: String?, of text: String = text) -> RemoteOperation {
    do {
      let document = try Document(Source(name: "test.graphql", text: text))
      return RemoteOperation(plan: try document.plan(operation: name), document: text)
    } catch {
      fatalError("the test's document: \(error)")
    }
  }

  /// The variables of a discovery.
  static func issue(_ number: Int64, in name: String = "widgets") -> Variables {
    ["owner": .string("octo-org"), "name": .string(name), "number": .int(number)]
  }

  /// The natural key of an issue.
  static func key(_ number: Int64, in name: String = "widgets") -> String {
    "repository(name:\"\(name)\",owner:\"octo-org\")/issueOrPullRequest(number:\(number))"
  }
}
