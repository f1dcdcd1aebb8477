import BatonImage
import BatonPlan

/// The plans and lenses of two row fragments and the operation that refreshes them, written by hand
/// as generated code would.
enum Schema {
  static let types = TypeSystem(
    objectTypes: ["Query", "Issue", "PullRequest", "User", "Bot", "Repository", "Label"],
    possibleTypes: [
      "Node": ["Issue", "PullRequest", "User", "Repository", "Label"], "Actor": ["User", "Bot"],
    ])

  static func leaf(_ name: String, _ leaf: Leaf, key: String? = nil) -> SelectionItem {
    .field(PlanField(responseKey: key ?? name, name: name, type: .leaf(leaf)))
  }

  static func link(
    _ name: String, _ type: String, isAbstract: Bool = false, depth: Int = 0,
    arguments: [PlanArgument] = [], _ selection: Int
  ) -> SelectionItem {
    .field(
      PlanField(
        responseKey: name, arguments: arguments,
        type: .composite(TypeReference(type, isAbstract: isAbstract), listDepth: depth),
        selection: selection))
  }

  static let typename = leaf("__typename", .string)
  static let id = leaf("id", .id)

  /// The selections of both fragments, to be placed behind `offset` others.
  static func issue(at offset: Int) -> [Selection] {
    [
      Selection([
        typename, id, leaf("number", .int), leaf("title", .string), leaf("state", .enumeration),
        leaf("updatedAt", .custom), leaf("weight", .float), leaf("tags", .string),
        link("author", "Actor", isAbstract: true, offset + 1),
        link(
          "labels", "LabelConnection", arguments: [PlanArgument("first", .constant(.int(5)))],
          offset + 3),
        link("repository", "Repository", offset + 6),
      ]),
      Selection([
        typename, leaf("login", .string),
        .refinement(Refinement(typeCondition: TypeCondition("User"), selection: offset + 2)),
      ]),
      Selection([id]),
      Selection([
        leaf("totalCount", .int), link("edges", "LabelEdge", depth: 1, offset + 4),
        link("pageInfo", "PageInfo", offset + 7),
      ]),
      Selection([leaf("cursor", .string), link("node", "Label", offset + 5)]),
      Selection([id, leaf("name", .string)]),
      Selection([id, leaf("nameWithOwner", .string)]),
      Selection([leaf("hasNextPage", .boolean), leaf("endCursor", .string)]),
    ]
  }

  static func pullRequest(at offset: Int) -> [Selection] {
    [
      Selection([
        typename, id, leaf("number", .int), leaf("title", .string),
        leaf("state", .enumeration, key: "prState"), leaf("isDraft", .boolean),
        link("repository", "Repository", offset + 1),
      ]),
      Selection([id, leaf("nameWithOwner", .string)]),
    ]
  }

  static let refresh: Plan = {
    let issue = Schema.issue(at: 2)
    let pullRequest = Schema.pullRequest(at: 2 + issue.count)
    let nodes = PlanField(
      responseKey: "nodes", arguments: [PlanArgument("ids", .variable("ids"), leaf: .id)],
      type: .composite(TypeReference("Node", isAbstract: true), listDepth: 1), selection: 1)
    return Plan(
      name: "RefreshRows", kind: .query, rootType: TypeReference("Query", isAbstract: false),
      variables: [VariableDefinition("ids", type: "[ID!]!", leaf: .id)],
      selections: [
        Selection([.field(nodes)]),
        Selection([
          typename, id,
          .refinement(
            Refinement(
              typeCondition: TypeCondition("Issue"), selection: 2, fragmentName: "IssueRow_issue")),
          .refinement(
            Refinement(
              typeCondition: TypeCondition("PullRequest"), selection: 2 + issue.count,
              fragmentName: "PullRequestRow_pullRequest")),
        ]),
      ] + issue + pullRequest, typeSystem: types)
  }()
}

enum IssueRow_issue: Fragment {
  static let plan = Plan(
    name: "IssueRow_issue", kind: .fragment, rootType: TypeReference("Issue", isAbstract: false),
    selections: Schema.issue(at: 0), typeSystem: Schema.types)

  enum Author {}
  enum Labels {}
  enum Label {}
  enum Repository {}
  enum State: String { case open = "OPEN", closed = "CLOSED" }
}

extension Lens where Content == IssueRow_issue {
  var id: String { get throws(FieldProblem) { try string("id") } }
  var issueNumber: Int { get throws(FieldProblem) { try int("number") } }
  var title: String { get throws(FieldProblem) { try string("title") } }
  var updatedAt: String { get throws(FieldProblem) { try string("updatedAt") } }
  var weight: Double? { get throws(FieldProblem) { try optional("weight") } }
  var tags: [String?]? { get throws(FieldProblem) { try list("tags") } }
  var state: EnumValue<IssueRow_issue.State> { get throws(FieldProblem) { try value("state") } }

  var repository: Lens<IssueRow_issue.Repository> {
    @_lifetime(copy self) get throws(FieldProblem) { try link("repository") }
  }

  var author: Lens<IssueRow_issue.Author>? {
    @_lifetime(copy self) get throws(FieldProblem) { try optionalLink("author") }
  }

  var labelsRecord: Lens<IssueRow_issue.Labels>? {
    @_lifetime(copy self) get throws(FieldProblem) { try optionalLink("labels") }
  }

  var labels: LensConnection<IssueRow_issue.Label>? {
    @_lifetime(copy self) get throws(FieldProblem) { try connection("labels") }
  }
}

extension Lens where Content == IssueRow_issue.Labels {
  var totalCount: Int { get throws(FieldProblem) { try int("totalCount") } }
}

extension Lens where Content == IssueRow_issue.Repository {
  var id: String { get throws(FieldProblem) { try string("id") } }
  var nameWithOwner: String { get throws(FieldProblem) { try string("nameWithOwner") } }
}

extension Lens where Content == IssueRow_issue.Author {
  var id: String? { get throws(FieldProblem) { try optional("id") } }
  var login: String { get throws(FieldProblem) { try string("login") } }
}

extension Lens where Content == IssueRow_issue.Label {
  var id: String { get throws(FieldProblem) { try string("id") } }
  var name: String { get throws(FieldProblem) { try string("name") } }
}

enum PullRequestRow_pullRequest: Fragment {
  static let plan = Plan(
    name: "PullRequestRow_pullRequest", kind: .fragment,
    rootType: TypeReference("PullRequest", isAbstract: false),
    selections: Schema.pullRequest(at: 0), typeSystem: Schema.types)

  enum Repository {}
}

extension Lens where Content == PullRequestRow_pullRequest {
  var id: String { get throws(FieldProblem) { try string("id") } }
  var number: Int { get throws(FieldProblem) { try int("number") } }
  var title: String { get throws(FieldProblem) { try string("title") } }
  var prState: String { get throws(FieldProblem) { try string("prState") } }
  var isDraft: Bool { get throws(FieldProblem) { try bool("isDraft") } }
}

extension Lens where Content == PullRequestRow_pullRequest {
  var repository: Lens<PullRequestRow_pullRequest.Repository> {
    @_lifetime(copy self) get throws(FieldProblem) { try link("repository") }
  }
}

extension Lens where Content == PullRequestRow_pullRequest.Repository {
  var id: String { get throws(FieldProblem) { try string("id") } }
  var nameWithOwner: String { get throws(FieldProblem) { try string("nameWithOwner") } }
}
