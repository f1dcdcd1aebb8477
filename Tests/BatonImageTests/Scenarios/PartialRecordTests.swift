import BatonImage
import BatonPlan
import Testing

/// S31, S41, S45: records of which the image has a part, because documents grew, or an answer was
/// smaller than the last one.
@Suite(.timeLimit(.minutes(60))) struct PartialRecordTests {
  static let byIds = try! Hub.plan(
    """
    query Q($ids: [ID!]!) {
      nodes(ids: $ids) { ... on Issue { number title state body tags repository { id } } }
    }
    """)

  // MARK: S31

  static func row(_ name: String, _ fields: String) throws -> Plan {
    try Hub.plan(fragment: name, "fragment \(name) on Issue { \(fields) }")
  }

  /// What a fragment lacks of a record, as pairs.
  static func lacking(
    _ image: TestImage, _ plan: Plan, of key: String
  ) throws -> [Availability.MissingField] {
    let snapshot = try image.image.snapshot()
    let number = try #require(try snapshot.liveRecord(key))
    return try snapshot.read(
      fragment: plan, of: number, variables: [:], identity: image.image.identity
    ).missingFields
  }

  @Test(.tags(.S31)) func `a fragment that grew is read in part, and one refresh completes it`()
    throws
  {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"recent":[{"id":"I_synA","number":1,"title":"a"},{"id":"I_synB","number":2,"title":"b"}]}}"#,
      of: Hub.plan("{ recent { id number title } }"))
    try image.reopen()
    let grown = try Self.row("Row2", "id number title state isPinned")
    let other = try image.record("I_synB")
    try image.beforeAndAfterReopening { image in
      try image.expect(
        grown, at: "I_synA", reads: #"{"id":"I_synA","number":1,"title":"a"}"#,
        missing: ["isPinned", "state"])
      #expect(
        try Set(Self.lacking(image, grown, of: "I_synA")) == [
          .init(record: "I_synA", field: "state"), .init(record: "I_synA", field: "isPinned"),
        ])
    }
    try image.commit(
      #"{"data":{"nodes":[{"id":"I_synA","state":"OPEN","isPinned":false}]}}"#,
      of: Hub.plan(
        "query Q($ids: [ID!]!) { nodes(ids: $ids) { id ... on Issue { state isPinned } } }"),
      #"{"ids":["I_synA"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        grown, at: "I_synA",
        reads: #"{"id":"I_synA","number":1,"title":"a","state":"OPEN","isPinned":false}"#)
      #expect(try Self.lacking(image, grown, of: "I_synA") == [])
      try image.expect(record: "I_synB", other)
      // A fragment that shrank reads what it asks for.
      try image.expect(Self.row("Row0", "title"), at: "I_synA", reads: #"{"title":"a"}"#)
    }
    try image.expectSound()
  }

  @Test(.tags(.S31))
  func `a field that got another argument or name is missing, and no other value`()
    throws
  {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"issue":{"id":"A","body":"plain","title":"t"}}}"#, of: Hub.issue("body title"))
    try image.beforeAndAfterReopening { image in
      try image.expect(
        Self.row("Row", "title body(format: \"html\")"), at: "A", reads: #"{"title":"t"}"#,
        missing: ["body"])
      try image.expect(
        Self.row("Row", "title name: body"), at: "A", reads: #"{"title":"t","name":"plain"}"#)
    }
  }

  @Test(.tags(.S31))
  func `a record of a type that was renamed is read by its fields, and renamed by an answer`()
    throws
  {
    let image = try TestImage()
    try image.commit(#"{"data":{"issue":{"id":"A","title":"t"}}}"#, of: Hub.issue("title"))
    try image.reopen()
    let renamed = try schema(Hub.text.replacing(/\bIssue\b/, with: "Ticket"))
    let row = try plan(fragment: "Row", "fragment Row on Ticket { id title number }", renamed)
    let list = try plan("{ issue { id title } }", renamed)
    // The schema knows no type of the old name, so it doesn't say that the fragment isn't on it.
    try image.expect(row, at: "A", reads: #"{"id":"A","title":"t"}"#, missing: ["number"])
    try image.expect(list, reads: #"{"issue":{"id":"A","title":"t"}}"#)
    try image.commit(#"{"data":{"issue":{"id":"A","title":"t"}}}"#, of: list)
    try image.beforeAndAfterReopening { image in
      try image.expect(list, reads: #"{"issue":{"id":"A","title":"t"}}"#)
      try image.expect(record: "A", #"{"__typename": "Ticket", "id": "A", "title": "t"}"#)
    }
    try image.expectSound()
  }

  // MARK: S41

  @Test(.tags(.S41)) func `one row of fifty that lacks a field hides nothing of the others`() throws
  {
    let image = try TestImage()
    let ids = (0..<50).map { "I_\($0)" }
    let list = try Hub.plan("{ recent { id title state } }")
    let elements = ids.map {
      $0 == "I_17"
        ? #"{"id":"I_17","title":"t"}"# : #"{"id":"\#($0)","title":"t","state":"OPEN"}"#
    }
    let data = #"{"recent":[\#(elements.joined(separator: ","))]}"#
    try image.commit(#"{"data":\#(data)}"#, of: list)
    let variables = #"{"ids":[\#(ids.map { #""\#($0)""# }.joined(separator: ","))]}"#
    let refresh = try Hub.plan(
      "query Q($ids: [ID!]!) { nodes(ids: $ids) { id ... on Issue { title state } } }")
    try image.beforeAndAfterReopening { image in
      try image.expect(list, reads: data, missing: ["recent.17.state"])
      try image.expect(
        refresh, variables, reads: data.replacing("recent", with: "nodes"),
        missing: ["nodes.17.state"])
      let lacking = try image.image.snapshot().availability(of: list)
      #expect(lacking.missing == [.init(record: "I_17", field: "state")])
      #expect(lacking.records == ["I_17"])
    }
  }

  // MARK: S45

  static let whole = """
    {"data":{"issue":{"id":"I_synA","number":1,"title":"t1","state":"OPEN","body":"long","tags":["x"],\
    "repository":{"id":"R"}}}}
    """

  static func first() throws -> TestImage {
    let image = try TestImage()
    try image.commit(whole, of: Hub.issue("number title state body tags repository { id }"))
    try image.reopen()
    return image
  }

  static let title = try! Hub.plan(
    "query Q($ids: [ID!]!) { nodes(ids: $ids) { id ... on Issue { title } } }")
  static let ids = #"{"ids":["I_synA"]}"#

  static func whole(_ title: String) -> String {
    """
    {"nodes":[{"number":1,"title":"\(title)","state":"OPEN","body":"long","tags":["x"],\
    "repository":{"id":"R"}}]}
    """
  }

  @Test(.tags(.S45)) func `a launch that never read a record changes of it what it was answered`()
    throws
  {
    let image = try Self.first()
    try image.commit(
      #"{"data":{"nodes":[{"id":"I_synA","title":"t2"}]}}"#, of: Self.title, Self.ids)
    try image.beforeAndAfterReopening { image in
      try image.expect(Self.byIds, Self.ids, reads: Self.whole("t2"))
    }
    try image.expectSound()
  }

  @Test(.tags(.S45)) func `what was deleted comes back with what is answered then, and no more`()
    throws
  {
    let image = try Self.first()
    #expect(try image.image.forget(id: "I_synA") != nil)
    try image.expect(record: "I_synA", "null")
    try image.reopen()
    try image.commit(
      #"{"data":{"nodes":[{"__typename":"Issue","id":"I_synA","title":"t2"}]}}"#, of: Hub.refresh,
      Self.ids)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        Self.byIds, Self.ids, reads: #"{"nodes":[{"title":"t2"}]}"#,
        missing: ["body", "number", "repository", "state", "tags"].map { "nodes.0.\($0)" })
    }
    try image.expectSound()
  }

  @Test(.tags(.S45))
  func `a reader of the state before sees all of it, and the next one all of this`()
    throws
  {
    let image = try Self.first()
    let variables = try Variables(json: Self.ids)
    func text(_ snapshot: borrowing Snapshot) throws -> String {
      String(decoding: try snapshot.read(Self.byIds, variables: variables).data, as: UTF8.self)
    }
    do {
      let before = try image.image.snapshot()
      try image.commit(
        #"{"data":{"nodes":[{"id":"I_synA","title":"t2"}]}}"#, of: Self.title, Self.ids)
      #expect(try text(before) == Self.whole("t1"))
      #expect(try text(image.image.snapshot()) == Self.whole("t2"))
      try image.commit(
        #"{"data":{"deleteIssue":{"deletedId":"I_synA"}}}"#,
        of: Hub.plan("mutation D { deleteIssue(id: \"A\") { deletedId @deleteRecord } }"))
      #expect(try text(before) == Self.whole("t1"))
      #expect(try text(image.image.snapshot()) == #"{"nodes":[null]}"#)
    }
    try image.reopen()
    try image.expect(record: "I_synA", "null")
    try image.expectSound()
  }
}
