import BatonImage
import BatonPlan
import Testing

/// S56: pages, refetches and launches, beyond what Relay's rules already say.
@Suite(.tags(.S56), .timeLimit(.minutes(60))) struct ConnectionScenarioTests {
  private typealias Pages = ConnectionTests

  @Test func `pages, a new launch, a refresh by ids and a refetch leave no edge twice`() throws {
    let image = try TestImage()
    try image.commit(Pages.page("AB"), of: Pages.pages, #"{"first":2}"#)
    try image.commit(
      Pages.page("CD", next: false, previous: true), of: Pages.pages, #"{"first":2,"after":"cB"}"#)
    try image.reopen()
    try Pages.expect(image, "ABCD")
    let nodes = ["C", "A"].map { #"{"__typename":"Issue","id":"\#($0)","title":"new"}"# }
    try image.commit(
      #"{"data":{"nodes":[\#(nodes.joined(separator: ","))]}}"#, of: Hub.refresh,
      #"{"ids":["C","A"]}"#)
    try Pages.expect(image, "ABCD")
    // The first page again, in three launches: the rule is Relay's, the tail goes with it.
    for _ in 0..<3 {
      try image.commit(Pages.page("EA"), of: Pages.pages, #"{"first":2}"#)
      try image.beforeAndAfterReopening { image in
        try Pages.expect(image, "EA")
        let info = try #require(try Pages.pageInfo(image))
        #expect(info.contains(#""endCursor": "cA""#) && info.contains(#""hasNextPage": true"#))
      }
    }
    // What fell out of the list is a record all the same.
    for id in ["B", "C", "D"] { #expect(try image.record(id) != nil) }
    try image.expectSound()
  }

  @Test func `no edges asked for is no empty list, and no answer to a longer page`() throws {
    let image = try TestImage()
    let count = try Hub.plan(
      """
      query Q($first: Int) {
        repository(owner: "o", name: "w") { id issues(first: $first) { totalCount nodes { id } } }
      }
      """)
    try image.commit(
      #"{"data":{"repository":{"id":"R","issues":{"totalCount":9,"nodes":[]}}}}"#, of: count,
      #"{"first":0}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        count, #"{"first":10}"#, reads: #"{"repository":{"id":"R"}}"#,
        missing: ["repository.issues"])
      try image.expect(
        Pages.nodes, reads: #"{"repository":{}}"#, missing: ["repository.issues"])
    }
    try image.commit(
      Pages.page("", total: 9, next: true), of: Pages.pages, #"{"first":0}"#)
    try image.beforeAndAfterReopening { image in
      let info = try #require(try Pages.pageInfo(image))
      #expect(info.contains(#""hasNextPage": true"#), "\(info)")
    }
    try image.commit(Pages.page("AB"), of: Pages.pages, #"{"first":2}"#)
    try Pages.expect(image, "AB")
    try image.expectSound()
  }

  @Test func `pages backward meet a refetch and a page from the other end`() throws {
    let image = try TestImage()
    try image.commit(
      Pages.page("GH", next: false, previous: true), of: Pages.pages, #"{"last":2}"#)
    try image.reopen()
    try image.commit(
      Pages.page("EF", next: true, previous: true), of: Pages.pages, #"{"last":2,"before":"cG"}"#)
    try image.beforeAndAfterReopening { image in
      try Pages.expect(image, "EFGH", next: false, previous: true)
    }
    try image.commit(
      Pages.page("HI", next: false, previous: true), of: Pages.pages, #"{"last":2}"#)
    try image.beforeAndAfterReopening { image in
      try Pages.expect(image, "HI", next: false, previous: true)
    }
    try image.expectSound()
  }

  @Test func `an edge put in by a mutation stays until the list is fetched anew`() throws {
    let image = try TestImage()
    try image.commit(Pages.page("AB"), of: Pages.pages, #"{"first":2}"#)
    let connections = #"{"connections":["R:__List_issues_connection"]}"#
    try image.commit(
      #"{"data":{"addIssue":{"edge":{"cursor":"cN","node":{"id":"N","title":"n"}}}}}"#,
      of: EditTests.edge("prependEdge"), connections)
    try image.reopen()
    try image.commit(Pages.page("CD"), of: Pages.pages, #"{"first":2,"after":"cB"}"#)
    try image.beforeAndAfterReopening { image in try Pages.expect(image, "NABCD") }
    try image.commit(
      #"{"data":{"deleteIssue":{"deletedId":"B"}}}"#,
      of: Hub.plan("mutation D { deleteIssue(id: \"B\") { deletedId @deleteRecord } }"))
    try image.beforeAndAfterReopening { image in
      let data = try image.read(Pages.nodes).data
      #expect(
        data.split(separator: #"{"id":""#).dropFirst().map { $0.prefix(1) }.joined() == "NACD")
    }
    try image.commit(Pages.page("AB"), of: Pages.pages, #"{"first":2}"#)
    try image.beforeAndAfterReopening { image in try Pages.expect(image, "AB") }
    try image.expectSound()
  }
}
