import BatonImage
import BatonPlan
import Testing

/// What makes two answers one record (R1).
@Suite(.timeLimit(.minutes(60))) struct IdentityTests {
  /// Ids that are hard on whoever parses, cuts or escapes them.
  static let ids: [String] = [
    "5", "a", "é", "日本", "a:b", "a.b", "a,b", "(a)", "\"a\"", "\\a\\", "a/b=c#d e", " ", "\t",
    "\u{0}",
    "a\u{0}b", "a\nb", "null", "Issue:", "Issue:5", "client:root", "client:root:mutation",
    "client:root:issue", "\u{1F4A5}", "\u{FEFF}", "e\u{301}", "{}", "[]", "%s", "..",
    "MDU6SXNzdWUwMQ==",
  ]

  /// A string as a JSON token.
  static func json(_ text: String) -> String { CanonicalJSON.text(of: .string(text)) }

  @Test(.tags(.S14, .S48), arguments: ids)
  func `an id of any bytes names one record and comes back as it was`(_ id: String) throws {
    let image = try TestImage()
    let list = try Hub.plan("{ recent { id title } }")
    let token = Self.json(id)
    try image.commit(#"{"data":{"recent":[{"id":\#(token),"title":"one"}]}}"#, of: list)
    try image.commit(#"{"data":{"recent":[{"id":\#(token),"title":"two"}]}}"#, of: list)
    let single = try Hub.plan(
      "query Q($id: ID!) { node(id: $id) { __typename id ... on Issue { title } } }")
    try image.beforeAndAfterReopening { image in
      try image.expect(
        list, reads: #"{"recent":[{"id":\#(token),"title":"two"}]}"#)
      try image.expect(
        single, #"{"id":\#(token)}"#,
        reads: #"{"node":{"__typename":"Issue","id":\#(token),"title":"two"}}"#)
      #expect(try image.keys().count == 4)
    }
    try image.expectSound()
  }

  @Test func `all hard ids together name as many records as there are ids`() throws {
    let image = try TestImage()
    let list = try Hub.plan("{ recent { id title } }")
    let elements = Self.ids.enumerated().map {
      #"{"id":\#(Self.json($0.element)),"title":"\#($0.offset)"}"#
    }
    let response = #"{"recent":[\#(elements.joined(separator: ","))]}"#
    try image.commit(#"{"data":\#(response)}"#, of: list)
    try image.beforeAndAfterReopening { image in
      try image.expect(list, reads: response)
      #expect(try image.keys().count == Self.ids.count + 3)
    }
    try image.expectSound()
  }

  @Test(arguments: [1, 2, 255, 256, 511, 512, 4_096, 65_536, 100_000])
  func `ids of any length name records, also those that differ in the last byte alone`(
    _ count: Int
  ) throws {
    let image = try TestImage()
    let list = try Hub.plan("{ recent { id title } }")
    let base = String(repeating: "x", count: count - 1)
    try image.commit(
      #"{"data":{"recent":[{"id":"\#(base)a","title":"1"},{"id":"\#(base)b","title":"2"}]}}"#,
      of: list)
    try image.commit(#"{"data":{"recent":[{"id":"\#(base)b","title":"3"}]}}"#, of: list)
    let refresh = try Hub.plan(
      "query Q($ids: [ID!]!) { nodes(ids: $ids) { ... on Issue { title } } }")
    try image.beforeAndAfterReopening { image in
      try image.expect(
        refresh, #"{"ids":["\#(base)a","\#(base)b"]}"#,
        reads: #"{"nodes":[{"title":"1"},{"title":"3"}]}"#)
    }
    try image.expectSound()
  }

  @Test(
    .tags(.S25, .S48),
    arguments: [#""id":"","#, #""id":null,"#, ""])
  func `an empty, null or absent id is no key and the record is its path's`(_ id: String) throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ issue { id title } recent { id title } }")
    try image.commit(
      #"{"data":{"issue":{\#(id)"title":"a"},"recent":[{\#(id)"title":"b"},{\#(id)"title":"c"}]}}"#,
      of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        keys: ["client:root:issue", "client:root:recent:0", "client:root:recent:1"])
    }
    try image.expectSound()
  }

  @Test(.tags(.S48)) func `a number and a string id of the same text are one key`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ issue { id title } recent { id number } }")
    try image.commit(
      #"{"data":{"issue":{"id":5,"title":"t"},"recent":[{"id":"5","number":1}]}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["5"])
      try image.expect(
        record: "5", #"{"__typename": "Issue", "id": "5", "number": 1, "title": "t"}"#)
    }
    let lookup = try Hub.plan("query Q($id: ID!) { node(id: $id) { ... on Issue { title } } }")
    for variables in [#"{"id":5}"#, #"{"id":"5"}"#] {
      try image.expect(lookup, variables, reads: #"{"node":{"title":"t"}}"#)
    }
  }

  @Test(.tags(.S48)) func `equal ids of two types are one record under the global scope`() throws {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"issue":{"id":"5","title":"t"},"viewer":{"id":"5","login":"l"}}}"#,
      of: Hub.plan("{ issue { id title } viewer { id login } }"))
    try image.expect(keys: ["5"])
  }

  @Test(.tags(.S48)) func `equal ids of two types are two records under the scope type`() throws {
    let image = try TestImage(IdentityRules(scope: .type))
    let plan = try Hub.plan(
      "{ issue { id title } viewer { id login } actor { __typename ... on User { id name } } }")
    try image.commit(
      """
      {"data":{"issue":{"id":"5","title":"t"},"viewer":{"id":"5","login":"l"},
      "actor":{"__typename":"User","id":"5","name":"n"}}}
      """, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["Issue:5", "User:5"])
      try image.expect(
        record: "User:5", #"{"__typename": "User", "id": "5", "login": "l", "name": "n"}"#)
    }
    try image.expectSound()
  }

  @Test func `an object whose type nobody says has its path under the scope type`() throws {
    let image = try TestImage(IdentityRules(scope: .type))
    let plan = try Hub.plan("{ node(id: \"5\") { id } }")
    try image.commit(#"{"data":{"node":{"id":"5"}}}"#, of: plan)
    try image.expect(keys: [#"client:root:node(id:"5")"#])
  }

  // MARK: Key fields

  static let pairs = IdentityRules(
    types: ["Repository": ["owner", "name"], "Issue": ["number"], "Label": []])

  static let registry = """
    type Query { repository: Repository repositories: [Repository] issue: Issue label: Label }
    type Repository { owner: String name: String stars: Int }
    type Issue { number: Int title: String id: ID }
    type Label { id: ID name: String }
    """

  @Test(
    .tags(.S48),
    arguments: [
      (["ab", "c"], "ab:c"), (["a", "bc"], "a:bc"), (["a:b", "c"], #"a\:b:c"#),
      (["a", "b:c"], #"a:b\:c"#), (["a\\", "b"], #"a\\:b"#), (["a", "\\b"], #"a:\\b"#),
      (["a\\:", "b"], #"a\\\::b"#), ([":", ":"], #"\::\:"#), (["é", "日"], "é:日"),
      (["a\u{0}", "b\n"], "a\u{0}:b\n"),
    ] as [([String], String)])
  func `several key fields are escaped and joined, so that no two pairs share a key`(
    _ values: [String], _ key: String
  ) throws {
    let image = try TestImage(Self.pairs)
    let plan = try plan("{ repository { owner name stars } }", schema(Self.registry))
    let fields = #""owner":\#(Self.json(values[0])),"name":\#(Self.json(values[1]))"#
    try image.commit(#"{"data":{"repository":{\#(fields),"stars":1}}}"#, of: plan)
    try image.commit(#"{"data":{"repository":{\#(fields),"stars":2}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: #"{"repository":{\#(fields),"stars":2}}"#)
      let snapshot = try image.image.snapshot()
      #expect(try snapshot.number(ofId: Array(key.utf8)) == 4)
    }
    #expect(IdentityRules.values(ofJoined: key.utf8) == values)
    try image.expectSound()
  }

  @Test func `pairs that join alike without escapes stay apart`() throws {
    let image = try TestImage(Self.pairs)
    let plan = try plan("{ repositories { owner name stars } }", schema(Self.registry))
    let pairs = [
      ("ab", "c"), ("a", "bc"), ("a:b", "c"), ("a", "b:c"), ("a\\", "b:c"), ("a\\:b", "c"),
    ]
    let elements = pairs.enumerated().map {
      #"{"owner":\#(Self.json($1.0)),"name":\#(Self.json($1.1)),"stars":\#($0)}"#
    }
    let data = #"{"repositories":[\#(elements.joined(separator: ","))]}"#
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: data)
      #expect(try image.keys().count == pairs.count + 3)
    }
  }

  @Test(arguments: [
    #""owner":"o","name":"""#, #""owner":null,"name":"n""#, #""owner":"o""#,
  ])
  func `a record that lacks one of its key fields has its path`(_ fields: String) throws {
    let image = try TestImage(Self.pairs)
    let plan = try plan("{ repository { owner name stars } }", schema(Self.registry))
    try image.commit(#"{"data":{"repository":{\#(fields),"stars":1}}}"#, of: plan)
    try image.expect(keys: ["client:root:repository"])
  }

  @Test func `a selection without a key field gives the record its path`() throws {
    let image = try TestImage(Self.pairs)
    let plan = try plan("{ repository { owner stars } }", schema(Self.registry))
    try image.commit(#"{"data":{"repository":{"owner":"o","stars":1}}}"#, of: plan)
    try image.expect(keys: ["client:root:repository"])
  }

  @Test func `a type's own key field counts and the default's does not`() throws {
    let image = try TestImage(Self.pairs)
    let plan = try plan("{ issue { id number title } label { id name } }", schema(Self.registry))
    try image.commit(
      #"{"data":{"issue":{"id":"x","number":7,"title":"t"},"label":{"id":"y","name":"n"}}}"#,
      of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["7", "client:root:label"])
    }
  }

  // MARK: Aliases of key fields

  @Test func `the id counts under whatever response key it was asked`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ issue { key: id title: number id: title } }")
    try image.commit(#"{"data":{"issue":{"key":"A","title":7,"id":"not an id"}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: "A",
        #"{"__typename": "Issue", "id": "A", "number": 7, "title": "not an id"}"#)
      try image.expect(plan, reads: #"{"issue":{"key":"A","title":7,"id":"not an id"}}"#)
    }
  }

  @Test func `swapped aliases of id and type name are read by their fields`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      "{ actor { id: __typename __typename: login ... on User { login: id } } }")
    try image.commit(
      #"{"data":{"actor":{"id":"User","__typename":"kim","login":"U1"}}}"#, of: plan)
    try image.expect(record: "U1", #"{"__typename": "User", "id": "U1", "login": "kim"}"#)
    try image.expect(
      plan, reads: #"{"actor":{"id":"User","__typename":"kim","login":"U1"}}"#)
  }
}
