import BatonImage
import BatonPlan
import Testing

/// `nodes(ids:)` refreshes the records it answers and nothing else (R4).
@Suite(.timeLimit(.minutes(60))) struct RefreshTests {
  static func issue(_ id: String, _ title: String) -> String {
    #"{"__typename":"Issue","id":"\#(id)","title":"\#(title)"}"#
  }

  static func response(_ nodes: [String], errors: [(index: Int, type: String)] = []) -> String {
    let list = errors.map {
      #"{"type":"\#($0.type)","path":["nodes",\#($0.index)],"message":"\#($0.type) \#($0.index)"}"#
    }
    let errors = list.isEmpty ? "" : #","errors":[\#(list.joined(separator: ","))]"#
    return #"{"data":{"nodes":[\#(nodes.joined(separator: ","))]}\#(errors)}"#
  }

  static func ids(_ ids: [String]) -> String {
    #"{"ids":[\#(ids.map { #""\#($0)""# }.joined(separator: ","))]}"#
  }

  @Test(.tags(.S1)) func `one answer with nulls, errors and another type is reported id by id`()
    throws
  {
    let image = try TestImage()
    let ids = Self.ids(["I_synA", "PR_synB", "I_synGone", "not-an-id"])
    try image.commit(
      Self.response([Self.issue("I_synA", "old"), Self.issue("I_synGone", "kept")]),
      of: Hub.refresh, Self.ids(["I_synA", "I_synGone"]))
    let outcome = try image.commit(
      """
      {"data":{"nodes":[{"__typename":"Issue","id":"I_synA","number":1,"title":"new","state":"OPEN",
      "repository":{"id":"R_syn1","nameWithOwner":"octo-org/widgets"}},{"__typename":"PullRequest",
      "id":"PR_synB","number":2,"title":"p","isDraft":false,
      "repository":{"id":"R_syn1","nameWithOwner":"octo-org/widgets"}},null,null]},
      "errors":[{"type":"NOT_FOUND","path":["nodes",2],"message":"gone"},
      {"type":"NOT_FOUND","path":["nodes",3],"message":"garbage"}]}
      """, of: Hub.refresh, ids)
    #expect(
      outcome.ids == [
        IdOutcome(asked: "I_synA", id: "I_synA", status: .ok),
        IdOutcome(asked: "PR_synB", id: "PR_synB", status: .ok),
        IdOutcome(asked: "I_synGone", id: nil, status: .notFound),
        IdOutcome(asked: "not-an-id", id: nil, status: .notFound),
      ])
    #expect(outcome.errors.map(\.code) == ["NOT_FOUND", "NOT_FOUND"])
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["I_synA", "I_synGone", "PR_synB", "R_syn1"])
      try image.expect(
        Hub.refresh, ids,
        reads: """
          {"nodes":[{"__typename":"Issue","id":"I_synA","number":1,"title":"new","state":"OPEN",\
          "repository":{"id":"R_syn1","nameWithOwner":"octo-org/widgets"}},\
          {"__typename":"PullRequest","id":"PR_synB","number":2,"title":"p","isDraft":false,\
          "repository":{"id":"R_syn1","nameWithOwner":"octo-org/widgets"}},\
          {"__typename":"Issue","id":"I_synGone","title":"kept"},null]}
          """,
        missing: ["nodes.2.number", "nodes.2.repository", "nodes.2.state"],
        errors: ["nodes.3: garbage"])
    }
    try image.expectSound()
  }

  @Test(
    arguments: [
      ("NOT_FOUND", IdOutcome.Status.notFound), ("FORBIDDEN", .forbidden), ("SERVICE", .error),
      (nil, .null),
    ] as [(String?, IdOutcome.Status)])
  func `a null is reported by the kind of its error, counted, and deletes nothing`(
    _ type: String?, _ status: IdOutcome.Status
  ) throws {
    let image = try TestImage()
    try image.commit(
      Self.response([Self.issue("A", "kept")]), of: Hub.refresh, Self.ids(["A"]))
    let response = Self.response(["null", "null"], errors: type.map { [(0, $0), (1, $0)] } ?? [])
    for count in 1...3 {
      let outcome = try image.commit(response, of: Hub.refresh, Self.ids(["A", "B"]))
      #expect(outcome.ids?.map(\.status) == [status, status])
      #expect(try image.misses(of: "A") == count)
      #expect(try image.misses(of: "B") == count)
      try image.reopen()
    }
    let titles = try Hub.plan(
      "query Q($ids: [ID!]!) { nodes(ids: $ids) { ... on Issue { title } } }")
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["A"])
      try image.expect(
        titles, Self.ids(["A", "B"]), reads: #"{"nodes":[{"title":"kept"},null]}"#,
        errors: type.map { ["nodes.1: \($0) 1"] } ?? [])
    }
    try image.expectSound()
  }

  @Test(.tags(.S27)) func `the code of an error counts where it has no type`() throws {
    let image = try TestImage()
    let outcome = try image.commit(
      """
      {"data":{"nodes":[null]},"errors":[{"message":"m","path":["nodes",0],
      "extensions":{"code":"FORBIDDEN","saml_failure":true}}]}
      """, of: Hub.refresh, Self.ids(["A"]))
    #expect(outcome.ids?.map(\.status) == [.forbidden])
    #expect(outcome.errors.map(\.extensionsText) == [#"{"code":"FORBIDDEN","saml_failure":true}"#])
  }

  @Test(.tags(.S2)) func `three misses in a row are counted and an answer ends them`() throws {
    let image = try TestImage()
    try image.commit(Self.response([Self.issue("A", "one")]), of: Hub.refresh, Self.ids(["A"]))
    let miss = Self.response(["null"], errors: [(0, "NOT_FOUND")])
    for _ in 0..<3 { try image.commit(miss, of: Hub.refresh, Self.ids(["A"])) }
    let first = try #require(try image.image.snapshot().miss(of: Array("A".utf8)))
    #expect(first.count == 3)
    #expect(first.first <= first.last)
    try image.expect(record: "A", #"{"__typename": "Issue", "id": "A", "title": "one"}"#)
    try image.reopen()
    try image.commit(Self.response([Self.issue("A", "two")]), of: Hub.refresh, Self.ids(["A"]))
    try image.beforeAndAfterReopening { image in
      #expect(try image.misses(of: "A") == nil)
      try image.expect(record: "A", #"{"__typename": "Issue", "id": "A", "title": "two"}"#)
    }
    try image.expectSound()
  }

  @Test func `an id that is missed and answered in one response is not left counted`() throws {
    let image = try TestImage()
    let response = Self.response(
      ["null", Self.issue("A", "t")], errors: [(0, "NOT_FOUND")])
    let outcome = try image.commit(response, of: Hub.refresh, Self.ids(["A", "A"]))
    #expect(outcome.ids?.map(\.status) == [.notFound, .ok])
    #expect(try image.misses(of: "A") == nil)
    // Nor is it counted and taken back: that would write pages each time.
    let again = try image.commit(response, of: Hub.refresh, Self.ids(["A", "A"]))
    #expect(again.ids == outcome.ids)
    #expect(again.pagesWritten == 0)
    // What was counted before ends.
    try image.commit(
      Self.response(["null"], errors: [(0, "NOT_FOUND")]), of: Hub.refresh, Self.ids(["A"]))
    #expect(try image.misses(of: "A") == 1)
    try image.commit(response, of: Hub.refresh, Self.ids(["A", "A"]))
    #expect(try image.misses(of: "A") == nil)
  }

  @Test func `an id's new name that is missed beside an answer to the old one is not left counted`()
    throws
  {
    let image = try TestImage()
    let aliased = Self.response([Self.issue("N", "t")])
    try image.commit(aliased, of: Hub.refresh, Self.ids(["A"]))
    let response = Self.response(["null", Self.issue("A", "t")], errors: [(0, "NOT_FOUND")])
    try image.commit(response, of: Hub.refresh, Self.ids(["N", "A"]))
    #expect(try image.misses(of: "N") == nil)
    let again = try image.commit(response, of: Hub.refresh, Self.ids(["N", "A"]))
    #expect(again.pagesWritten == 0)
  }

  @Test func `an id asked twice and missed twice in one response is one miss`() throws {
    let image = try TestImage()
    try image.commit(
      Self.response(["null", "null"], errors: [(0, "NOT_FOUND"), (1, "NOT_FOUND")]),
      of: Hub.refresh, Self.ids(["A", "A"]))
    #expect(try image.misses(of: "A") == 1)
  }

  @Test func `a missed id has no record, reads as null with its error, and comes when it comes`()
    throws
  {
    let image = try TestImage()
    try image.commit(
      Self.response(["null"], errors: [(0, "NOT_FOUND")]), of: Hub.refresh, Self.ids(["B"]))
    let titles = try Hub.plan(
      "query Q($ids: [ID!]!) { nodes(ids: $ids) { ... on Issue { title } } }")
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: [])
      try image.expect(
        titles, Self.ids(["B"]), reads: #"{"nodes":[null]}"#, errors: ["nodes.0: NOT_FOUND 0"])
    }
    try image.commit(#"{"data":{"issue":{"id":"B","title":"t"}}}"#, of: Hub.issue("title"))
    try image.expect(titles, Self.ids(["B"]), reads: #"{"nodes":[{"title":"t"}]}"#)
  }

  // MARK: Order, duplicates, numbers of answers

  @Test(.tags(.S5)) func `duplicates are answered in the order asked and the last answer counts`()
    throws
  {
    let image = try TestImage()
    let asked = ["A", "B", "A", "C", "B"]
    let outcome = try image.commit(
      Self.response([
        Self.issue("A", "a1"), Self.issue("B", "b1"), Self.issue("A", "a2"), "null",
        Self.issue("B", "b2"),
      ]), of: Hub.refresh, Self.ids(asked))
    #expect(outcome.ids?.map(\.asked) == asked)
    #expect(outcome.ids?.map(\.id) == ["A", "B", "A", nil, "B"])
    #expect(outcome.ids?.map(\.status) == [.ok, .ok, .ok, .null, .ok])
    #expect(outcome.recordsCreated == 2)
    try image.expect(record: "A", #"{"__typename": "Issue", "id": "A", "title": "a2"}"#)
    let titles = try Hub.plan(
      "query Q($ids: [ID!]!) { nodes(ids: $ids) { ... on Issue { title } } }")
    try image.expect(
      titles, Self.ids(["B", "A", "B"]),
      reads: #"{"nodes":[{"title":"b2"},{"title":"a2"},{"title":"b2"}]}"#)
  }

  @Test func `answers in another order than asked are taken by their ids and make no alias`() throws
  {
    let image = try TestImage()
    let outcome = try image.commit(
      Self.response([Self.issue("B", "b"), Self.issue("A", "a")]), of: Hub.refresh,
      Self.ids(["A", "B"]))
    #expect(outcome.ids?.map(\.id) == ["B", "A"])
    #expect(outcome.aliases == [])
    try image.expect(record: "A", #"{"__typename": "Issue", "id": "A", "title": "a"}"#)
    try image.expect(record: "B", #"{"__typename": "Issue", "id": "B", "title": "b"}"#)
  }

  @Test func `fewer answers than ids leave the rest null, more are taken by their ids`() throws {
    let image = try TestImage()
    let few = try image.commit(
      Self.response([Self.issue("A", "a")]), of: Hub.refresh, Self.ids(["A", "B"]))
    #expect(few.ids?.map(\.status) == [.ok, .null])
    let many = try image.commit(
      Self.response([Self.issue("A", "a2"), Self.issue("C", "c")]), of: Hub.refresh,
      Self.ids(["A"]))
    #expect(many.ids == [IdOutcome(asked: "A", id: "A", status: .ok)])
    try image.expect(keys: ["A", "C"])
  }

  @Test func `two list lookups in one operation are reported one after the other`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      query Q($more: [ID!]!) {
        first: nodes(ids: ["A", 5]) { id ... on Issue { title } }
        then: nodes(ids: $more) { id ... on Issue { title } }
      }
      """)
    let outcome = try image.commit(
      """
      {"data":{"first":[{"__typename":"Issue","id":"A","title":"a"},{"id":"5"}],
      "then":[null]},"errors":[{"type":"FORBIDDEN","message":"m","path":["then",0]}]}
      """, of: plan, #"{"more":["B"]}"#)
    #expect(outcome.ids?.map(\.asked) == ["A", "5", "B"])
    #expect(outcome.ids?.map(\.status) == [.ok, .ok, .forbidden])
  }

  @Test func `a null in place of all answers is every id's`() throws {
    let image = try TestImage()
    let outcome = try image.commit(
      #"{"data":{"nodes":null},"errors":[{"type":"NOT_FOUND","message":"m","path":["nodes"]}]}"#,
      of: Hub.refresh, Self.ids(["A", "B"]))
    #expect(outcome.ids?.map(\.status) == [.notFound, .notFound])
    #expect(try image.misses(of: "B") == 1)
  }

  @Test(.tags(.S4)) func `a refused batch commits nothing and says why`() throws {
    let image = try TestImage()
    try image.commit(Self.response([Self.issue("A", "a")]), of: Hub.refresh, Self.ids(["A"]))
    let before = try image.bytes()
    let outcome = try image.commit(
      #"{"data":null,"errors":[{"type":"ARGUMENT_LIMIT","path":["nodes"],"message":"m"}]}"#,
      of: Hub.refresh, Self.ids(["A", "B"]))
    #expect(outcome.errors.map(\.code) == ["ARGUMENT_LIMIT"])
    #expect(outcome.errors.map(\.pathText) == [#"["nodes"]"#])
    #expect(try image.bytes() == before)
  }

  @Test(.tags(.S6)) func `errors beside data do not throw the data away`() throws {
    let image = try TestImage()
    let names = (0..<50).map { "N\($0)" }
    let nodes = names.map { $0 == "N17" ? "null" : Self.issue($0, $0) }
    let outcome = try image.commit(
      Self.response(nodes, errors: [(17, "NOT_FOUND")]), of: Hub.refresh, Self.ids(names))
    #expect(outcome.ids?.filter { $0.status == .ok }.count == 49)
    #expect(outcome.errors.count == 1)
    try image.reopen()
    #expect(try image.keys().count == 49 + 3)
  }

  // MARK: What a refresh leaves alone

  @Test(.tags(.S47)) func `the answer to nodes is no field and its ids leave no text behind`()
    throws
  {
    let image = try TestImage()
    var generator = SystemRandomNumberGenerator()
    let names = (0..<60).map { "I_kwDO_synthetic_id_\($0)" }
    for _ in 0..<40 {
      let batch = Array(names.shuffled(using: &generator).prefix(50))
      try image.commit(
        Self.response(batch.map { Self.issue($0, $0) }), of: Hub.refresh, Self.ids(batch))
    }
    try image.expect(record: "client:root", #"{"__typename": "Query"}"#)
    #expect(try image.keys().count <= names.count + 3)
    var texts: [String] = []
    try image.image.snapshot().forEach(.names, from: 1) { _, value in
      texts.append(value.extracting(droppingFirst: 5).text())
      return true
    }
    #expect(texts.filter { $0.contains("nodes") } == [])
    try image.expectSound()
  }

  @Test func `node with an id is a field like any other`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      "query Q($id: ID!) { node(id: $id) { __typename id ... on Issue { title } } }")
    try image.commit(
      #"{"data":{"node":{"__typename":"Issue","id":"A","title":"t"}}}"#, of: plan, #"{"id":"A"}"#)
    try image.commit(#"{"data":{"node":null}}"#, of: plan, #"{"id":"B"}"#)
    try image.commit(
      #"{"data":{"node":null},"errors":[{"message":"m","path":["node"]}]}"#, of: plan,
      #"{"id":"C"}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: "client:root",
        """
        {"__typename": "Query", "node(id:\\"A\\")": {"__ref": "A"}, "node(id:\\"B\\")": null, \
        "node(id:\\"C\\")": null, "__errors": {"node(id:\\"C\\")": {"message": "m", "path": "node"}}}
        """)
      try image.expect(plan, #"{"id":"B"}"#, reads: #"{"node":null}"#)
      try image.expect(plan, #"{"id":"C"}"#, reads: #"{"node":null}"#, errors: ["node: m"])
      try image.expect(plan, #"{"id":"D"}"#, reads: "{}", missing: ["node"])
    }
  }

  @Test(.tags(.S58)) func `lookups are answered from records that other operations brought`() throws
  {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"recent":[{"id":"A","title":"a"},{"id":"B","title":"b"}]}}"#,
      of: Hub.plan("{ recent { id title } }"))
    let batch = try Hub.plan(
      "query Q($ids: [ID!]!) { nodes(ids: $ids) { id ... on Issue { title } } }")
    let single = try Hub.plan(
      "query Q($id: ID!) { node(id: $id) { ... on Issue { title number } } }")
    try image.beforeAndAfterReopening { image in
      try image.expect(
        batch, Self.ids(["B", "C", "A"]),
        reads: #"{"nodes":[{"id":"B","title":"b"},null,{"id":"A","title":"a"}]}"#,
        missing: ["nodes.1"])
      try image.expect(
        single, #"{"id":"A"}"#, reads: #"{"node":{"title":"a"}}"#, missing: ["node.number"])
    }
  }

  @Test func `an error below an answered node stays with its field`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      "query Q($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Issue { title author { __typename login } } } }"
    )
    try image.commit(
      """
      {"data":{"nodes":[{"__typename":"Issue","id":"A","title":null,
      "author":{"__typename":"Bot","login":"b"}}]},
      "errors":[{"message":"no","path":["nodes",0,"title"]},
      {"message":"odd","path":["nodes",0,"author","login","x"]},
      {"message":"far","path":["nodes",9]}]}
      """, of: plan, Self.ids(["A"]))
    try image.beforeAndAfterReopening { image in
      try image.expect(
        plan, Self.ids(["A"]),
        reads: """
          {"nodes":[{"__typename":"Issue","id":"A","title":null,\
          "author":{"__typename":"Bot","login":"b"}}]}
          """, errors: ["nodes.0.title: no", "nodes.0.author.login: odd"])
    }
  }

  @Test(.tags(.S24)) func `no equal time of change makes a record skipped`() throws {
    let image = try TestImage()
    let plan = try Hub.issue("updatedAt number")
    try image.commit(
      #"{"data":{"issue":{"id":"A","updatedAt":"2026-01-01","number":1}}}"#, of: plan)
    let outcome = try image.commit(
      #"{"data":{"issue":{"id":"A","updatedAt":"2026-01-01","number":2}}}"#, of: plan)
    #expect(outcome.fieldsChanged == 1)
    try image.expect(plan, reads: #"{"issue":{"id":"A","updatedAt":"2026-01-01","number":2}}"#)
  }

  @Test func `misses of one lookup say nothing of another type's ids`() throws {
    let registry = """
      type Query { assets(uuids: [ID!]!): [Asset] things(ids: [ID!]!): [Thing] }
      type Asset { uuid: ID! name: String }
      type Thing { id: ID! name: String }
      """
    let identity = IdentityRules(
      scope: .type, types: ["Asset": ["uuid"]],
      lookups: [
        Lookup("Query.assets", type: "Asset", argument: "uuids"),
        Lookup("Query.things", type: "Thing", argument: "ids"),
      ])
    let image = try TestImage(identity)
    let assets = try plan("{ assets(uuids: [\"5\"]) { uuid name } }", schema(registry))
    let things = try plan("{ things(ids: [\"5\"]) { id name } }", schema(registry))
    let outcome = try image.commit(
      #"{"data":{"assets":[null]},"errors":[{"type":"NOT_FOUND","message":"m","path":["assets",0]}]}"#,
      of: assets)
    #expect(outcome.ids == [IdOutcome(asked: "5", id: nil, status: .notFound)])
    try image.beforeAndAfterReopening { image in
      try image.expect(assets, reads: #"{"assets":[null]}"#, errors: ["assets.0: m"])
      try image.expect(things, reads: #"{"things":[null]}"#, missing: ["things.0"])
    }
    try image.commit(#"{"data":{"things":[{"id":"5","name":"n"}]}}"#, of: things)
    try image.expect(assets, reads: #"{"assets":[null]}"#, errors: ["assets.0: m"])
    try image.expect(things, reads: #"{"things":[{"id":"5","name":"n"}]}"#)
    try image.commit(#"{"data":{"assets":[{"uuid":"5","name":"a"}]}}"#, of: assets)
    try image.expect(assets, reads: #"{"assets":[{"uuid":"5","name":"a"}]}"#)
    try image.expect(keys: ["Asset:5", "Thing:5"])
    try image.expectSound()
  }
}
