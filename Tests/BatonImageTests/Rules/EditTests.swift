import BatonImage
import BatonPlan
import Testing

/// Edge and record directives on mutations and subscriptions (R6), by Relay's rules.
@Suite(.timeLimit(.minutes(60))) struct EditTests {
  static let key = "R:__List_issues_connection"
  static let connections = #"{"connections":["R:__List_issues_connection"]}"#

  /// An image whose list has the letters.
  static func image(_ letters: String) throws -> TestImage {
    let image = try TestImage()
    try image.commit(
      ConnectionTests.page(letters), of: ConnectionTests.pages, #"{"first":9}"#)
    return image
  }

  static func expect(
    _ image: TestImage, _ letters: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try ConnectionTests.expect(image, letters, sourceLocation: sourceLocation)
  }

  static func edge(_ directive: String) throws -> Plan {
    try Hub.plan(
      """
      mutation Add($connections: [ID!]!) {
        addIssue(title: "t") { edge @\(directive)(connections: $connections) { cursor node { id title } } }
      }
      """)
  }

  static func node(_ directive: String) throws -> Plan {
    try Hub.plan(
      """
      mutation Make($connections: [ID!]!) {
        addNode(title: "t") {
          issue @\(directive)(connections: $connections, edgeTypeName: "IssueEdge") { id title }
        }
      }
      """)
  }

  @Test(arguments: [("appendEdge", "ABN"), ("prependEdge", "NAB")])
  func `an edge is added at its end, once`(_ directive: String, _ expected: String) throws {
    let image = try Self.image("AB")
    let plan = try Self.edge(directive)
    for _ in 0..<2 {
      try image.commit(
        #"{"data":{"addIssue":{"edge":{"cursor":"cN","node":{"id":"N","title":"n"}}}}}"#,
        of: plan, Self.connections)
      try image.beforeAndAfterReopening { image in
        try Self.expect(image, expected)
        try image.expect(
          record: "client:root:mutation",
          #"{"__typename": "Mutation", "addIssue": {"__ref": "client:root:mutation:addIssue"}}"#)
      }
      try image.expectSound()
    }
  }

  @Test(arguments: [("appendNode", "ABN"), ("prependNode", "NAB")])
  func `a node is added in an edge of its own, once`(
    _ directive: String, _ expected: String
  ) throws {
    let image = try Self.image("AB")
    let plan = try Self.node(directive)
    for _ in 0..<2 {
      try image.commit(
        #"{"data":{"addNode":{"issue":{"id":"N","title":"n"}}}}"#, of: plan, Self.connections)
      try image.beforeAndAfterReopening { image in
        try Self.expect(image, expected)
      }
      try image.expectSound()
    }
    let edge = try #require(try image.keys().first { $0.hasPrefix(Self.key + ":edges:") })
    try image.expect(
      record: edge, #"{"__typename": "IssueEdge", "cursor": null, "node": {"__ref": "N"}}"#)
  }

  @Test func `adding what a list has leaves the list as it was`() throws {
    let image = try Self.image("AB")
    let before = try #require(try image.record(Self.key))
    try image.commit(
      #"{"data":{"addIssue":{"edge":{"cursor":"cB","node":{"id":"B","title":"b"}}}}}"#,
      of: Self.edge("appendEdge"), Self.connections)
    try image.commit(
      #"{"data":{"addNode":{"issue":{"id":"A","title":"a"}}}}"#, of: Self.node("prependNode"),
      Self.connections)
    try image.beforeAndAfterReopening { image in try image.expect(record: Self.key, before) }
    try image.expectSound()
  }

  @Test func `edges added by several mutations are edges of their own`() throws {
    let image = try Self.image("A")
    let append = try Self.edge("appendEdge")
    for letter in ["K", "L", "M"] {
      try image.commit(
        #"{"data":{"addIssue":{"edge":{"cursor":"c","node":{"id":"\#(letter)","title":"t"}}}}}"#,
        of: append, Self.connections)
    }
    try image.commit(
      #"{"data":{"addNode":{"issue":{"id":"N","title":"n"}}}}"#, of: Self.node("prependNode"),
      Self.connections)
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "NAKLM")
    }
    try image.expectSound()
  }

  @Test func `a list of edges and of nodes is added in its order`() throws {
    let image = try Self.image("A")
    let plan = try Hub.plan(
      """
      mutation Add($connections: [ID!]!) {
        addIssue { edges @appendEdge(connections: $connections) { node { id } } }
        addNode { issues @appendNode(connections: $connections, edgeTypeName: "IssueEdge") { id } }
      }
      """)
    try image.commit(
      """
      {"data":{"addIssue":{"edges":[{"node":{"id":"B"}},null,{"node":{"id":"C"}}]},
      "addNode":{"issues":[{"id":"C"},{"id":"D"},null]}}}
      """, of: plan, Self.connections)
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "ABCD")
    }
  }

  @Test func `edits name several connections, and those the image has not are left out`() throws {
    let image = try Self.image("AB")
    try image.commit(
      ConnectionTests.page("XY"), of: ConnectionTests.filtered, #"{"first":2,"state":"OPEN"}"#)
    let other = #"R:__Filtered_issues_connection(state:\"OPEN\")"#
    try image.commit(
      #"{"data":{"addIssue":{"edge":{"cursor":"cN","node":{"id":"N","title":"n"}}}}}"#,
      of: Self.edge("appendEdge"),
      #"{"connections":["nowhere","R:__List_issues_connection","\#(other)","R:__No_connection"]}"#)
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "ABN")
      let open = try image.read(ConnectionTests.filtered, #"{"first":7,"state":"OPEN"}"#)
      #expect(open.data.split(separator: #""id":""#).count == 5)
    }
  }

  @Test(arguments: ["A", "B", "C"])
  func `deleting an edge takes it from the list and leaves the record`(_ id: String) throws {
    let image = try Self.image("ABC")
    let plan = try Hub.plan(
      """
      mutation Drop($connections: [ID!]!) {
        deleteIssue(id: "x") { issueId @deleteEdge(connections: $connections) }
      }
      """)
    try image.commit(
      #"{"data":{"deleteIssue":{"issueId":"\#(id)"}}}"#, of: plan, Self.connections)
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "ABC".replacing(id, with: ""))
      #expect(try image.record(id) != nil)
    }
    try image.expectSound()
  }

  @Test func `deleting edges by a list of ids takes each`() throws {
    let image = try Self.image("ABCD")
    let plan = try Hub.plan(
      """
      mutation Drop($connections: [ID!]!) {
        removeIssues(ids: []) { ids @deleteEdge(connections: $connections) }
      }
      """)
    try image.commit(
      #"{"data":{"removeIssues":{"ids":["D","nobody","B"]}}}"#, of: plan, Self.connections)
    try Self.expect(image, "AC")
  }

  @Test(.tags(.S17, .S52))
  func `a deleted record leaves lists in order and single links open, and returns`()
    throws
  {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      {
        repository(owner: "o", name: "w") { id pinned { id title } }
        recent { id title }
        board { id }
      }
      """)
    try image.commit(
      """
      {"data":{"repository":{"id":"R","pinned":{"id":"B","title":"b"}},"recent":[
      {"id":"A","title":"a"},{"id":"B","title":"b"},{"id":"C","title":"c"}],
      "board":[[{"id":"B"}]]}}
      """, of: plan)
    let delete = try Hub.plan(
      "mutation D { deleteIssue(id: \"B\") { deletedId @deleteRecord } }")
    let outcome = try image.commit(#"{"data":{"deleteIssue":{"deletedId":"B"}}}"#, of: delete)
    #expect(outcome.recordsChanged == 1)
    try image.beforeAndAfterReopening { image in
      try image.expect(record: "B", "null")
      try image.expect(
        plan,
        reads: """
          {"repository":{"id":"R"},"recent":[{"id":"A","title":"a"},null,\
          {"id":"C","title":"c"}],"board":[[null]]}
          """, missing: ["repository.pinned"])
      try image.expect(
        Hub.plan("{ nodes(ids: [\"B\"]) { id } }"), reads: #"{"nodes":[null]}"#)
      #expect(throws: ImageError.notFound("there is no record B")) {
        try image.read(Hub.plan(fragment: "F", "fragment F on Issue { id }"), at: "B")
      }
    }
    try image.expectSound()
    try image.commit(
      #"{"data":{"recent":[{"id":"B","title":"back"}]}}"#,
      of: Hub.plan("{ recent(since: \"x\") { id title } }"))
    try image.beforeAndAfterReopening { image in
      try image.expect(
        plan,
        reads: """
          {"repository":{"id":"R","pinned":{"id":"B","title":"back"}},\
          "recent":[{"id":"A","title":"a"},{"id":"B","title":"back"},{"id":"C","title":"c"}],\
          "board":[[{"id":"B"}]]}
          """)
    }
    try image.expectSound()
  }

  @Test func `deleting what is not there, twice, or no id, changes nothing`() throws {
    let image = try Self.image("AB")
    let plan = try Hub.plan("mutation D { removeIssues(ids: []) { ids @deleteRecord } }")
    try image.commit(#"{"data":{"removeIssues":{"ids":["A"]}}}"#, of: plan)
    let before = try image.export()
    for ids in [#"["A"]"#, #"["nobody",""]"#, "[]", "null", "[null]"] {
      try image.commit(#"{"data":{"removeIssues":{"ids":["A"]}}}"#, of: plan)
      try image.commit(#"{"data":{"removeIssues":{"ids":\#(ids)}}}"#, of: plan)
      try image.commit(#"{"data":{"removeIssues":{"ids":["A"]}}}"#, of: plan)
    }
    #expect(try image.export() == before)
    try image.expectSound()
  }

  @Test func `a deleted record of many fields leaves none of them`() throws {
    let image = try TestImage()
    let fields = (0..<150).map { "f\($0): body(limit: \($0))" }.joined(separator: " ")
    let members = (0..<150).map { #""f\#($0)":"v""# }.joined(separator: ",")
    let plan = try Hub.plan("{ issue { id \(fields) } }")
    try image.commit(#"{"data":{"issue":{"id":"A",\#(members)}}}"#, of: plan)
    let outcome = try image.commit(
      #"{"data":{"deleteIssue":{"deletedId":"A"}}}"#,
      of: Hub.plan("mutation D { deleteIssue(id: \"A\") { deletedId @deleteRecord } }"))
    #expect(outcome.fieldsChanged == 151 + 1 + 1)
    try image.expectSound()
    try image.commit(#"{"data":{"issue":{"id":"A"}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(record: "A", #"{"__typename": "Issue", "id": "A"}"#)
    }
    try image.expectSound()
  }

  @Test func `subscriptions edit as mutations do, and mutation fields are kept without arguments`()
    throws
  {
    let image = try Self.image("AB")
    try image.commit(
      #"{"data":{"issueAdded":{"edge":{"cursor":"cN","node":{"id":"N","title":"n"}}}}}"#,
      of: Hub.plan(
        """
        subscription S($connections: [ID!]!) {
          issueAdded { edge @appendEdge(connections: $connections) { cursor node { id title } } }
        }
        """), Self.connections)
    try image.commit(
      #"{"data":{"issueGone":{"issueId":"A"}}}"#,
      of: Hub.plan("subscription S { issueGone { issueId @deleteRecord } }"))
    try image.commit(
      #"{"data":{"one":{"issue":{"id":"B","title":"1"}},"rename":{"issue":{"id":"N","title":"2"}}}}"#,
      of: Hub.plan(
        """
        mutation M {
          one: rename(id: "B", title: "1") { issue { id title } }
          rename(id: "N", title: "2") { issue { id title } }
        }
        """))
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: "client:root:mutation",
        """
        {"__typename": "Mutation", "rename": {"__ref": "client:root:mutation:rename"}, \
        "rename(as:\\"one\\")": {"__ref": "client:root:mutation:rename(as:\\"one\\")"}}
        """)
      try image.expect(
        record: "client:root:subscription",
        """
        {"__typename": "Subscription", \
        "issueAdded": {"__ref": "client:root:subscription:issueAdded"}, \
        "issueGone": {"__ref": "client:root:subscription:issueGone"}}
        """)
      try image.expect(record: "A", "null")
      try image.expect(record: "B", #"{"__typename": "Issue", "id": "B", "title": "1"}"#)
    }
    try image.expectSound()
  }

  @Test func `under the scope type an id without its type deletes the one record that has it`()
    throws
  {
    let image = try TestImage(IdentityRules(scope: .type))
    try image.commit(
      #"{"data":{"issue":{"id":"5","title":"t"},"viewer":{"id":"6","login":"l"},"recent":[{"id":"6","title":"u"}]}}"#,
      of: Hub.plan("{ issue { id title } viewer { id login } recent { id title } }"))
    let plan = try Hub.plan("mutation D { removeIssues(ids: []) { ids @deleteRecord } }")
    try image.commit(#"{"data":{"removeIssues":{"ids":["5","6"]}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(record: "Issue:5", "null")
      // Two records have the id 6: which is meant, nobody says.
      #expect(try image.record("Issue:6") != "null")
      #expect(try image.record("User:6") != "null")
    }
  }
}
