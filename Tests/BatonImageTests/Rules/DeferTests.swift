import BatonImage
import BatonPlan
import Testing

/// Parts of a response that `@defer` left out, in both published shapes (R6).
@Suite(.timeLimit(.minutes(60))) struct DeferTests {
  static let single = try! Hub.plan(
    """
    {
      issue {
        id
        title
        ... @defer(label: "more") { state author { __typename login } }
        ... @defer(label: "deep") { settings { theme inner { theme } } }
      }
    }
    """)

  static let first = #"{"data":{"issue":{"id":"A","title":"t"}},"hasNext":true}"#

  /// The same parts in the shape of 2020 and in that of 2023.
  static let shapes: [[String]] = [
    [
      first,
      """
      {"label":"more","path":["issue"],"data":{"state":"OPEN","author":{"__typename":"Bot",
      "login":"b"}},"hasNext":true}
      """,
      #"{"label":"deep","path":["issue"],"data":{"settings":{"theme":"s","inner":{"theme":"i"}}},"hasNext":false}"#,
    ],
    [
      first,
      """
      {"incremental":[{"label":"more","path":["issue"],"data":{"state":"OPEN",
      "author":{"__typename":"Bot","login":"b"}}},
      {"label":"deep","path":["issue"],"data":{"settings":{"theme":"s","inner":{"theme":"i"}}}}],
      "hasNext":false}
      """,
    ],
    [
      """
      {"data":{"issue":{"id":"A","title":"t"}},"pending":[{"id":"0","path":["issue"],"label":"more"},
      {"id":"1","path":["issue"],"label":"deep"}],"hasNext":true}
      """,
      """
      {"incremental":[{"id":"0","data":{"state":"OPEN","author":{"__typename":"Bot","login":"b"}}}],
      "completed":[{"id":"0"}],"hasNext":true}
      """,
      """
      {"incremental":[{"id":"1","data":{"settings":{"theme":"s"}}},
      {"id":"1","subPath":["settings"],"data":{"inner":{"theme":"i"}}}],
      "completed":[{"id":"1"}],"hasNext":false}
      """,
    ],
  ]

  @Test(arguments: shapes)
  func `the parts of a response are one commit, whatever their shape`(_ parts: [String]) throws {
    let image = try TestImage()
    let outcome = try image.commit(parts: parts, of: Self.single)
    #expect(outcome.commit == 1)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        Self.single,
        reads: """
          {"issue":{"id":"A","title":"t","state":"OPEN","author":{"__typename":"Bot","login":"b"},\
          "settings":{"theme":"s","inner":{"theme":"i"}}}}
          """)
      try image.expect(keys: ["A", "A:author:Bot", "A:settings", "A:settings:inner"])
    }
    try image.expectSound()
  }

  @Test func `before its parts come a response is incomplete, and its commit stands`() throws {
    let image = try TestImage()
    try image.commit(Self.first, of: Self.single)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        Self.single, reads: #"{"issue":{"id":"A","title":"t"}}"#,
        missing: ["issue.author", "issue.settings", "issue.state"])
    }
  }

  @Test func `a part's place may lie in lists, nested ones, lookups and connections`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      query Q($ids: [ID!]!) {
        recent { id ... @defer { title } }
        board { id ... @defer { state } }
        plans { title ... @defer { due } }
        nodes(ids: $ids) { __typename ... on Issue { id ... @defer { number } } ... on User { login ... @defer { name } } }
        repository(owner: "o", name: "w") {
          id
          issues(first: 2) @connection(key: "List_issues") {
            edges { cursor node { id ... @defer { weight } } }
            pageInfo { endCursor hasNextPage }
          }
        }
      }
      """)
    let first = """
      {"data":{"recent":[{"id":"A"},null,{"id":"B"}],"board":[[null],[null,{"id":"A"}]],
      "plans":[[{"title":"p"}]],
      "nodes":[{"__typename":"Issue","id":"B"},{"__typename":"User","login":"u"}],"repository":{"id":"R","issues":
      {"edges":[{"cursor":"c","node":{"id":"A"}}],"pageInfo":{"endCursor":"c","hasNextPage":false}}}},
      "hasNext":true}
      """
    let rest = """
      {"incremental":[{"path":["recent",2],"data":{"title":"tb"}},
      {"path":["board",1,1],"data":{"state":"sa"}},{"path":["plans",0,0],"data":{"due":"d"}},
      {"path":["nodes",0],"data":{"number":7}},{"path":["nodes",1],"data":{"name":"n"}},
      {"path":["repository","issues","edges",0,"node"],"data":{"weight":0.5}}],"hasNext":false}
      """
    try image.commit(parts: [first, rest], of: plan, #"{"ids":["B","U"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: "A", #"{"__typename": "Issue", "id": "A", "state": "sa", "weight": 0.5}"#)
      try image.expect(
        record: "B", #"{"__typename": "Issue", "id": "B", "number": 7, "title": "tb"}"#)
      try image.expect(
        record: "client:root:plans:0:0",
        #"{"__typename": "Milestone", "due": "d", "title": "p"}"#)
      try image.expect(
        record: #"client:root:nodes(ids:["B","U"]):1:User"#,
        #"{"__typename": "User", "login": "u", "name": "n"}"#)
    }
    try image.expectSound()
  }

  @Test func `errors in parts go with their parts`() throws {
    let image = try TestImage()
    let outcome = try image.commit(
      parts: [
        Self.first,
        """
        {"incremental":[{"label":"more","path":["issue"],"data":{"state":null,"author":null},
        "errors":[{"message":"no state","path":["issue","state"]}]},
        {"label":"deep","path":["issue"],"data":null,
        "errors":[{"message":"no settings","path":["issue","settings"]}]}],"hasNext":false}
        """,
      ], of: Self.single)
    #expect(outcome.errors.map(\.message) == ["no state", "no settings"])
    try image.expect(
      Self.single, reads: #"{"issue":{"id":"A","title":"t","state":null,"author":null}}"#,
      missing: ["issue.settings"], errors: ["issue.state: no state"])
  }

  @Test func `a part that failed leaves its fields as they were`() throws {
    let image = try TestImage()
    try image.commit(parts: Self.shapes[1], of: Self.single)
    let outcome = try image.commit(
      parts: [
        #"{"data":{"issue":{"id":"A","title":"t2"}},"pending":[{"id":"0","path":["issue"]}],"hasNext":true}"#,
        #"{"completed":[{"id":"0","errors":[{"message":"late"}]}],"hasNext":false}"#,
      ], of: Self.single)
    #expect(outcome.errors.map(\.message) == ["late"])
    try image.expect(
      Self.single,
      reads: """
        {"issue":{"id":"A","title":"t2","state":"OPEN","author":{"__typename":"Bot","login":"b"},\
        "settings":{"theme":"s","inner":{"theme":"i"}}}}
        """)
  }

  @Test(arguments: [
    #"{"path":["issue","author"],"data":{"login":"x"}}"#, #"{"path":["recent",0],"data":{}}"#,
    #"{"path":["issue",0],"data":{}}"#, #"{"path":[0],"data":{}}"#,
    #"{"path":["title"],"data":{}}"#,
    #"{"incremental":[{"id":"7","data":{}}]}"#,
    #"{"incremental":[{"path":["issue"],"data":{"state":}}]}"#,
    #"{"incremental":[{"path":["issue"],"items":[1]}]}"#, #"{"path":["issue"],"data":7}"#,
    #"{"path":"issue","data":{}}"#, #"{"incremental":{}}"#, #"{"incremental":[7]}"#, "7", "{}", "",
    #"{"path":["issue"],"data":{"state":{}}}"#,
  ])
  func `a part that has no place or no form takes the whole response with it`(
    _ part: String
  ) throws {
    let image = try TestImage()
    try image.commit(Self.first, of: Self.single)
    let before = try image.bytes()
    let changed = #"{"data":{"issue":{"id":"A","title":"changed"}},"hasNext":true}"#
    let error = #expect(throws: ImageError.self) {
      try image.commit(parts: [changed, part], of: Self.single)
    }
    guard case .response(let problem)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problem.offset != nil || !problem.path.isEmpty, "\(problem)")
    #expect(try image.bytes() == before)
    try image.commit(parts: [changed], of: Self.single)
  }

  @Test func `deferred fragments on a type are taken for objects of it`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      {
        actor {
          __typename
          ... on User @defer(label: "u") { id name }
          ... on Bot @defer(label: "b") { version }
        }
      }
      """)
    try image.commit(
      parts: [
        #"{"data":{"actor":{"__typename":"Bot"}},"hasNext":true}"#,
        #"{"path":["actor"],"label":"b","data":{"version":2},"hasNext":false}"#,
      ], of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: #"{"actor":{"__typename":"Bot","version":2}}"#)
    }
  }
}
