import BatonImage
import BatonPlan
import Testing

/// Pages merge into connections (R6), by Relay's rules.
@Suite(.timeLimit(.minutes(60))) struct ConnectionTests {
  /// The pages of one repository's issues, forward and backward.
  static let pages = try! Hub.plan(
    """
    query Pages($first: Int, $after: String, $last: Int, $before: String) {
      repository(owner: "o", name: "w") {
        id
        issues(first: $first, after: $after, last: $last, before: $before)
          @connection(key: "List_issues") {
          totalCount
          edges { cursor node { id title } }
          pageInfo { endCursor startCursor hasNextPage hasPreviousPage }
        }
      }
    }
    """)

  /// A page with an edge for each letter; cursors are `c` and the letter.
  static func page(
    _ letters: String, total: Int = 9, next: Bool = true, previous: Bool = false
  ) -> String {
    let connection = connection(letters, total: total, next: next, previous: previous)
    return #"{"data":{"repository":{"id":"R","issues":\#(connection)}}}"#
  }

  /// The page alone.
  static func connection(
    _ letters: String, total: Int = 9, next: Bool = true, previous: Bool = false
  ) -> String {
    let edges = letters.map {
      #"{"cursor":"c\#($0)","node":{"id":"\#($0)","title":"\#($0)"}}"#
    }
    func cursor(_ letter: Character?) -> String { letter.map { #""c\#($0)""# } ?? "null" }
    return """
      {"totalCount":\(total),"edges":[\(edges.joined(separator: ","))],
      "pageInfo":{"endCursor":\(cursor(letters.last)),"startCursor":\(cursor(letters.first)),
      "hasNextPage":\(next),"hasPreviousPage":\(previous)}}
      """
  }

  static let nodes = try! Hub.plan(
    """
    {
      repository(owner: "o", name: "w") {
        issues(first: 100) @connection(key: "List_issues") { edges { node { id } } }
      }
    }
    """)

  /// The letters of the connection's edges, and what its page info says.
  static func letters(_ image: TestImage, _ plan: Plan = nodes) throws -> String {
    let data = try image.read(plan).data
    return data.split(separator: #"{"id":""#).dropFirst().map { String($0.prefix(1)) }.joined()
  }

  /// Expects the letters of the connection's edges.
  static func expect(
    _ image: TestImage, _ letters: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try self.letters(image)
    #expect(found == letters, sourceLocation: sourceLocation)
  }

  /// Expects the letters, and page info that leads from the first to the last.
  static func expect(
    _ image: TestImage, _ letters: String, next: Bool, previous: Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expect(image, letters, sourceLocation: sourceLocation)
    let (first, last) = (String(letters.prefix(1)), String(letters.suffix(1)))
    let found = try pageInfo(image)
    #expect(
      found == """
        {"__typename": "PageInfo", "endCursor": "c\(last)", "hasNextPage": \(next), \
        "hasPreviousPage": \(previous), "startCursor": "c\(first)"}
        """, sourceLocation: sourceLocation)
  }

  static func pageInfo(_ image: TestImage) throws -> String? {
    try image.record("R:__List_issues_connection:pageInfo")
  }

  @Test(.tags(.S56)) func `pages forward are one connection in a new launch`() throws {
    let image = try TestImage()
    try image.commit(Self.page("AB"), of: Self.pages, #"{"first":2}"#)
    try image.commit(
      Self.page("CD", total: 4, next: false, previous: true), of: Self.pages,
      #"{"first":2,"after":"cB"}"#)
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "ABCD", next: false, previous: false)
      let connection = try image.record("R:__List_issues_connection")
      #expect(connection?.contains(#""totalCount": 4"#) == true)
    }
    try image.expectSound()
  }

  @Test(.tags(.S56)) func `pages backward come before what is there`() throws {
    let image = try TestImage()
    try image.commit(
      Self.page("GH", next: false, previous: true), of: Self.pages, #"{"last":2}"#)
    try image.commit(
      Self.page("EF", next: true, previous: false), of: Self.pages, #"{"last":2,"before":"cG"}"#)
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "EFGH", next: false, previous: false)
    }
    try image.expectSound()
  }

  @Test(.tags(.S56)) func `the first page again replaces the connection, without doubles`() throws {
    let image = try TestImage()
    try image.commit(Self.page("AB"), of: Self.pages, #"{"first":2}"#)
    try image.commit(Self.page("CD"), of: Self.pages, #"{"first":2,"after":"cB"}"#)
    try image.reopen()
    try image.commit(Self.page("EA"), of: Self.pages, #"{"first":2}"#)
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "EA")
    }
    try image.commit(Self.page("BC"), of: Self.pages, #"{"first":2,"after":"cA"}"#)
    try Self.expect(image, "EABC")
    try image.expectSound()
  }

  @Test func `a page of somewhere else leaves the edges as they are`() throws {
    let image = try TestImage()
    try image.commit(Self.page("AB"), of: Self.pages, #"{"first":2}"#)
    try image.commit(Self.page("XY"), of: Self.pages, #"{"first":2,"after":"cW"}"#)
    try image.commit(Self.page("PQ"), of: Self.pages, #"{"last":2,"before":"cW"}"#)
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "AB")
    }
  }

  @Test func `the last page again, and a node that moved to a later page, make no double`() throws {
    let image = try TestImage()
    try image.commit(Self.page("AB"), of: Self.pages, #"{"first":2}"#)
    for _ in 0..<2 {
      try image.commit(Self.page("BC"), of: Self.pages, #"{"first":2,"after":"cB"}"#)
    }
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "ABC")
    }
    let before = try image.bytes()
    try image.commit(Self.page("BC"), of: Self.pages, #"{"first":2,"after":"cB"}"#)
    #expect(try image.bytes() == before)
  }

  /// Two pages of one connection in the order they are answered in, and the edges they come to.
  @Test(arguments: [
    (["one", "other"], "ABCD"), (["other", "one"], "AB"), (["one", "other", "one"], "AB"),
    (["other", "one", "other"], "ABCD"),
  ])
  func `two pages in one response are merged in order, and again they write nothing`(
    _ order: [String], _ letters: String
  ) throws {
    let image = try TestImage()
    let fields = """
      @connection(key: "List_issues") {
        totalCount edges { cursor node { id title } }
        pageInfo { endCursor startCursor hasNextPage hasPreviousPage }
      }
      """
    let plan = try Hub.plan(
      """
      {
        repository(owner: "o", name: "w") {
          id
          one: issues(first: 2) \(fields)
          other: issues(first: 2, after: "cB") \(fields)
        }
      }
      """)
    let pages = [
      "one": Self.connection("AB", total: 3),
      "other": Self.connection("CD", total: 4, next: false, previous: true),
    ]
    let members = order.map { #""\#($0)":\#(pages[$0] ?? "")"# }
    let response = #"{"data":{"repository":{"id":"R",\#(members.joined(separator: ","))}}}"#
    let first = try image.commit(response, of: plan)
    #expect(first.pagesWritten > 0)
    try image.reopen()
    for _ in 0..<2 {
      let again = try image.commit(response, of: plan)
      #expect(again.pagesWritten == 0)
      #expect(again.fieldsChanged == 0)
      try Self.expect(image, letters)
    }
    let next = letters == "AB"
    #expect(try Self.pageInfo(image)?.contains(#""hasNextPage": \#(next)"#) == true)
    // The next page is merged into what these two came to.
    try image.commit(
      Self.page("EF"), of: Self.pages, #"{"first":2,"after":"c\#(letters.suffix(1))"}"#)
    try Self.expect(image, letters + "EF")
    try image.expectSound()
  }

  @Test func `an empty page ends the connection and keeps its edges`() throws {
    let image = try TestImage()
    try image.commit(Self.page("AB"), of: Self.pages, #"{"first":2}"#)
    try image.commit(
      Self.page("", next: false, previous: true), of: Self.pages, #"{"first":2,"after":"cB"}"#)
    try Self.expect(image, "AB")
    let info = try Self.pageInfo(image)
    #expect(info?.contains(#""hasNextPage": false"#) == true)
  }

  @Test func `an edge without a node is there once when the last page comes again`() throws {
    let image = try TestImage()
    try image.commit(Self.page("AB"), of: Self.pages, #"{"first":2}"#)
    let last = """
      {"data":{"repository":{"id":"R","issues":{"totalCount":9,"edges":[
      {"cursor":"c0","node":null},{"cursor":"cC","node":{"id":"C","title":"C"}}],
      "pageInfo":{"endCursor":"cC","hasNextPage":true}}}}}
      """
    try image.commit(last, of: Self.pages, #"{"first":2,"after":"cB"}"#)
    let connection = try image.record("R:__List_issues_connection")
    try image.reopen()
    let again = try image.commit(last, of: Self.pages, #"{"first":2,"after":"cB"}"#)
    #expect(again.pagesWritten == 0)
    try image.expect(record: "R:__List_issues_connection", connection)
    try Self.expect(image, "ABC")
  }

  @Test func `a null edge is left out and an edge without a node stays`() throws {
    let image = try TestImage()
    try image.commit(
      """
      {"data":{"repository":{"id":"R","issues":{"totalCount":2,"edges":[null,
      {"cursor":"c0","node":null},{"cursor":"cA","node":{"id":"A","title":"A"}}],
      "pageInfo":{"endCursor":"cA","startCursor":"c0","hasNextPage":false,"hasPreviousPage":false}}}}}
      """, of: Self.pages, #"{"first":3}"#)
    try image.expect(
      Self.nodes,
      reads: #"{"repository":{"issues":{"edges":[{"node":null},{"node":{"id":"A"}}]}}}"#)
  }

  @Test func `a connection answered null is null, and comes back`() throws {
    let image = try TestImage()
    try image.commit(Self.page("AB"), of: Self.pages, #"{"first":2}"#)
    try image.commit(
      #"{"data":{"repository":{"id":"R","issues":null}}}"#, of: Self.pages, #"{"first":2}"#)
    try image.expect(Self.nodes, reads: #"{"repository":{"issues":null}}"#)
    try image.commit(Self.page("CD"), of: Self.pages, #"{"first":2}"#)
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "CD")
    }
  }

  @Test func `a connection null under an error keeps its edges`() throws {
    let image = try TestImage()
    try image.commit(Self.page("AB"), of: Self.pages, #"{"first":2}"#)
    try image.commit(
      """
      {"data":{"repository":{"id":"R","issues":null}},
      "errors":[{"message":"m","path":["repository","issues"]}]}
      """, of: Self.pages, #"{"first":2}"#)
    try image.expect(
      Self.nodes, reads: #"{"repository":{"issues":null}}"#, errors: ["repository.issues: m"])
    try image.commit(Self.page("CD"), of: Self.pages, #"{"first":2,"after":"cB"}"#)
    try image.beforeAndAfterReopening { image in
      try Self.expect(image, "ABCD")
    }
  }

  // MARK: Filters

  static let filtered = try! Hub.plan(
    """
    query Filtered($first: Int, $after: String, $state: State, $order: String) {
      repository(owner: "o", name: "w") {
        id
        issues(first: $first, after: $after, state: $state, orderBy: $order)
          @connection(key: "Filtered_issues", filters: ["state"]) {
          edges { cursor node { id title } }
          pageInfo { endCursor hasNextPage }
        }
      }
    }
    """)

  @Test func `the filters tell connections apart, other arguments do not`() throws {
    let image = try TestImage()
    try image.commit(Self.page("AB"), of: Self.filtered, #"{"first":2,"state":"OPEN"}"#)
    try image.commit(Self.page("CD"), of: Self.filtered, #"{"first":2,"state":"CLOSED"}"#)
    try image.commit(
      Self.page("EF"), of: Self.filtered,
      #"{"first":2,"after":"cB","state":"OPEN","order":"AGE"}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: #"R:__Filtered_issues_connection(state:"OPEN"):pageInfo"#,
        #"{"__typename": "PageInfo", "endCursor": "cF", "hasNextPage": true}"#)
      #expect(
        try image.keys().filter { $0.hasSuffix(#"_connection(state:"CLOSED")"#) }.count == 1)
      let open = try image.read(Self.filtered, #"{"first":7,"state":"OPEN"}"#)
      #expect(open.data.split(separator: #""node""#).count == 5)
      let closed = try image.read(Self.filtered, #"{"first":7,"state":"CLOSED"}"#)
      #expect(closed.data.split(separator: #""node""#).count == 3)
    }
    try image.expectSound()
  }

  @Test func `without filters every argument but the paging ones tells connections apart`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      query Q($first: Int, $state: State) {
        repository(owner: "o", name: "w") {
          id
          issues(first: $first, state: $state) @connection(key: "All_issues") {
            edges { cursor node { id title } } pageInfo { endCursor hasNextPage }
          }
        }
      }
      """)
    try image.commit(Self.page("AB"), of: plan, #"{"first":2,"state":"OPEN"}"#)
    try image.commit(Self.page("CD"), of: plan, #"{"first":9}"#)
    try image.beforeAndAfterReopening { image in
      let keys = try image.keys().filter { $0.contains("__All") && !$0.contains("pageInfo") }
      #expect(
        keys == ["R:__All_issues_connection", #"R:__All_issues_connection(state:"OPEN")"#])
    }
  }

  @Test(.tags(.S56)) func `a refresh by ids changes the rows and no edge`() throws {
    let image = try TestImage()
    try image.commit(Self.page("AB"), of: Self.pages, #"{"first":2}"#)
    let edges = try image.record("R:__List_issues_connection")
    let info = try Self.pageInfo(image)
    try image.commit(
      """
      {"data":{"nodes":[{"__typename":"Issue","id":"B","title":"new"},null]},
      "errors":[{"type":"NOT_FOUND","message":"m","path":["nodes",1]}]}
      """, of: Hub.refresh, #"{"ids":["B","A"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(record: "R:__List_issues_connection", edges)
      #expect(try Self.pageInfo(image) == info)
      try Self.expect(image, "AB")
      try image.expect(record: "B", #"{"__typename": "Issue", "id": "B", "title": "new"}"#)
    }
  }

  @Test func `a connection at the query root is there after a new launch`() throws {
    let image = try TestImage()
    let registry = """
      type Query { notes(first: Int, after: String): Notes }
      type Notes { edges: [NoteEdge] pageInfo: PageInfo! }
      type NoteEdge { cursor: String node: Note }
      type Note { id: ID! }
      type PageInfo { endCursor: String hasNextPage: Boolean }
      """
    let plan = try plan(
      """
      query Q($after: String) {
        notes(first: 1, after: $after) @connection(key: "Root_notes") {
          edges { node { id } cursor } pageInfo { endCursor hasNextPage }
        }
      }
      """, schema(registry))
    for (id, after) in [("A", "null"), ("B", #""cA""#)] {
      try image.commit(
        """
        {"data":{"notes":{"edges":[{"node":{"id":"\(id)"},"cursor":"c\(id)"}],
        "pageInfo":{"endCursor":"c\(id)","hasNextPage":true}}}}
        """, of: plan, #"{"after":\#(after)}"#)
    }
    try image.beforeAndAfterReopening { image in
      try image.expect(
        plan,
        reads: """
          {"notes":{"edges":[{"node":{"id":"A"},"cursor":"cA"},{"node":{"id":"B"},"cursor":"cB"}],\
          "pageInfo":{"endCursor":"cB","hasNextPage":true}}}
          """)
    }
  }
}
