import BatonImage
import BatonPlan
import Foundation
import Testing

/// Transient types and fields leave nothing on the disk, nor does anything that names them (R7).
@Suite(.timeLimit(.minutes(60))) struct TransientTests {
  static let rules = IdentityRules(
    transientTypes: ["Secret"],
    transientFields: ["Query.anything", "Query.tags", "Issue.payload", "Issue.body", "User.name"])

  /// Words that stand in what is committed and must not stand in the file.
  static let words = [
    "zzvalue", "zzargument", "zzid", "zzerror", "anything", "secrets", "Secret", "payload",
    "zzvariable", "zznested", "ZzOperation",
  ]

  /// Commits that have something transient in every place.
  static let commits: [(document: String, variables: String, response: String)] = [
    (
      "query ZzOperation($w: String) { secret(word: $w) { id word } viewer { id login } }",
      #"{"w":"zzvariable"}"#,
      #"{"data":{"secret":{"id":"zzid1","word":"zzvalue"},"viewer":{"id":"U","login":"l"}}}"#
    ),
    (
      "query ZzOperation { secrets { id word inner { id word } } recent { id title } }", "{}",
      """
      {"data":{"secrets":[{"id":"zzid2","word":"zzvalue","inner":{"id":"zzid3","word":"zzvalue"}},
      null],"recent":[{"id":"A","title":"t"}]}}
      """
    ),
    (
      """
      query ZzOperation($q: String) {
        anything(q: $q) { __typename ... on Issue { id title } }
        other: anything(q: "zzargument") { __typename ... on Issue { id title } }
        issue { id title payload }
      }
      """, #"{"q":"zzvariable"}"#,
      """
      {"data":{"anything":{"__typename":"Issue","id":"zzid4","title":"zzvalue"},"other":null,
      "issue":{"id":"B","title":"t","payload":{"k":"zzvalue"}}}}
      """
    ),
    (
      "query ZzOperation { viewer { id login name secret { id word } } tags }", "{}",
      """
      {"data":{"viewer":{"id":"U","login":"l","name":"zzvalue","secret":{"id":"zzid5",
      "word":"zzvalue"}},"tags":["zzvalue"]}}
      """
    ),
    // Errors at, below and above what is transient.
    (
      """
      query ZzOperation {
        secret { id word }
        secrets { id word }
        viewer { id login secret { id word } name }
        issue { id title payload }
        anything { __typename }
      }
      """, "{}",
      """
      {"data":{"secret":null,"secrets":[null],"viewer":{"id":"U","login":"l","secret":null,
      "name":null},"issue":{"id":"B","title":"t","payload":null},"anything":null},
      "errors":[{"message":"zzerror","path":["secret","word"]},
      {"message":"zzerror","path":["secrets",0]},{"message":"zzerror","path":["viewer","secret","word"]},
      {"message":"zzerror","path":["viewer","name"]},{"message":"zzerror","path":["issue","payload"]},
      {"message":"zzerror","path":["anything"]}]}
      """
    ),
    // A null that bubbled up from what is transient.
    (
      "query ZzOperation { viewer { id login secret { id word } } recent { id payload } }", "{}",
      """
      {"data":{"viewer":null,"recent":[null]},
      "errors":[{"message":"zzerror","path":["viewer","secret","word"]},
      {"message":"zzerror","path":["recent",0,"payload"]}]}
      """
    ),
    (
      "query ZzOperation($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on User { secret { word } } ... on Issue { payload } } }",
      #"{"ids":["U","B","Miss"]}"#,
      """
      {"data":{"nodes":[null,{"__typename":"Issue","id":"B","payload":"zzvalue"},null]},
      "errors":[{"message":"zzerror","path":["nodes",0,"secret","word"]}]}
      """
    ),
    (
      "mutation ZzOperation { rename(id: \"B\", title: \"x\") { issue { id title payload } } }",
      "{}",
      #"{"data":{"rename":{"issue":{"id":"B","title":"x","payload":"zznested"}}}}"#
    ),
    // What is transient is in the plan alone, the answer has none of it.
    (
      "query ZzOperation($q: String) { viewer { id login secret { word } } anything(q: $q) { __typename } }",
      #"{"q":"zzvariable"}"#, #"{"data":{"viewer":null}}"#
    ),
    (
      "query ZzOperation($w: String) { subject { __typename ... on Issue { id payload } ... on PullRequest { id number } } secret(word: $w) { id } }",
      #"{"w":"zzvariable"}"#,
      #"{"data":{"subject":{"__typename":"PullRequest","id":"P","number":1}}}"#
    ),
    (
      """
      query ZzOperation($f: String) {
        subject {
          __typename
          ... on Issue { id body(format: $f) }
          ... on PullRequest { id number }
        }
      }
      """, #"{"f":"zzvariable"}"#,
      #"{"data":{"subject":{"__typename":"PullRequest","id":"P","number":1}}}"#
    ),
  ]

  @Test func `a search of the raw file finds no value, name, argument or id of them`() throws {
    let image = try TestImage(Self.rules)
    for (document, variables, response) in Self.commits {
      try image.commit(response, of: Hub.plan(document), variables)
      try Self.expectNoTrace(in: image, document)
    }
    try image.reopen()
    try Self.expectNoTrace(in: image, "after reopening")
    try image.expectSound()
    try image.expect(keys: ["A", "B", "P", "U", "client:root:mutation:rename"])
  }

  @Test(arguments: commits.indices)
  func `each of the commits alone leaves no trace`(_ index: Int) throws {
    let image = try TestImage(Self.rules)
    let (document, variables, response) = Self.commits[index]
    try image.commit(response, of: Hub.plan(document), variables)
    try image.commit(response, of: Hub.plan(document), variables)
    try image.reopen()
    try image.commit(
      #"{"data":{"issue":{"id":"Z","title":"t"}}}"#, of: Hub.issue("title"))
    try image.reopen()
    try Self.expectNoTrace(in: image, document)
    try image.expectSound()
  }

  @Test(arguments: commits.indices)
  func `the words are found where nothing is transient`(_ index: Int) throws {
    let image = try TestImage()
    let (document, variables, response) = Self.commits[index]
    try image.commit(response, of: Hub.plan(document), variables)
    try image.reopen()
    #expect(!(try Self.traces(in: image)).isEmpty)
  }

  @Test func `what is beside the transient is kept`() throws {
    let image = try TestImage(Self.rules)
    let (document, variables, response) = Self.commits[2]
    let plan = try Hub.plan(document)
    let outcome = try image.commit(response, of: plan, variables)
    #expect(outcome.recordsCreated == 1)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        plan, variables, reads: #"{"issue":{"id":"B","title":"t"}}"#,
        missing: ["anything", "issue.payload", "other"])
      #expect(try !image.read(plan, variables).hasFetchTime)
    }
  }

  @Test func `a response of nothing but the transient writes nothing`() throws {
    let image = try TestImage(Self.rules)
    let before = try image.bytes()
    let outcome = try image.commit(
      #"{"data":{"secret":{"id":"zzid","word":"zzvalue"}}}"#,
      of: Hub.plan("{ secret { id word } }"))
    #expect(outcome.pagesWritten == 0)
    #expect(try image.bytes() == before)
  }

  @Test func `an object that turns out transient under an interface is not written`() throws {
    let registry = """
      interface Node { id: ID! }
      type Query { node(id: ID!): Node nodes(ids: [ID!]!): [Node] list: [Node] board: [[Node]] }
      type Secret implements Node { id: ID! word: String }
      type Open implements Node { id: ID! word: String }
      """
    let image = try TestImage(IdentityRules(transientTypes: ["Secret"]))
    let plan = try plan(
      """
      query ZzOperation($id: ID!, $ids: [ID!]!) {
        node(id: $id) { __typename id ... on Secret { word } }
        nodes(ids: $ids) { __typename id ... on Secret { word } ... on Open { word } }
        list { __typename id ... on Secret { word } }
        board { __typename id ... on Secret { word } }
      }
      """, schema(registry))
    let outcome = try image.commit(
      """
      {"data":{"node":{"__typename":"Secret","id":"zzid1","word":"zzvalue"},
      "nodes":[{"__typename":"Secret","id":"zzid2","word":"zzvalue"},
      {"__typename":"Open","id":"O","word":"w"}],
      "list":[{"__typename":"Open","id":"P"},{"__typename":"Secret","id":"zzid3","word":"zzvalue"}],
      "board":[[{"__typename":"Open","id":"P"}],[{"__typename":"Secret","id":"zzid4"}]]}}
      """, of: plan, #"{"id":"zzid1","ids":["zzid2","O"]}"#)
    #expect(outcome.ids?.map(\.status) == [.ok, .ok])
    try image.reopen()
    try Self.expectNoTrace(in: image, "interface")
    try image.expect(keys: ["O", "P"])
    try image.expect(record: "client:root", #"{"__typename": "Query"}"#)
  }

  private static func traces(in image: TestImage) throws -> [String] {
    let file = Data(try image.bytes())
    return words.filter { file.firstRange(of: Data($0.utf8)) != nil }
  }

  private static func expectNoTrace(in image: TestImage, _ what: String) throws {
    let traces = try traces(in: image)
    #expect(traces == [], "\(what)")
  }
}
