import BatonImage
import BatonPlan
import Testing

/// Answers whose parts come in any order, and warnings of any form.
@Suite(.timeLimit(.minutes(60))) struct AnswerShapeTests {
  static let data = """
    "data":{"nodes":[{"__typename":"Issue","id":"I_synA","title":"t1","state":null},null]}
    """
  static let errors = """
    "errors":[{"type":"FORBIDDEN","message":"m","path":["nodes",0,"state"],"extensions":{"k":[1.0]}},
    {"type":"NOT_FOUND","message":"n","path":["nodes",1]},{"message":"nowhere"},
    {"message":"odd","path":["nodes",7,"title"]}]
    """
  static let extensions = String(
    AliasTests.warnings([(AliasTests.old, AliasTests.new)]).dropFirst())

  static let orders: [[String]] = [
    [data, errors, extensions], [data, extensions, errors], [errors, data, extensions],
    [errors, extensions, data], [extensions, data, errors], [extensions, errors, data],
  ]

  @Test(.tags(.S12), arguments: orders.indices)
  func `data, errors and warnings do what they do in whatever order they come`(
    _ index: Int
  ) throws {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"issue":{"id":"\#(AliasTests.old)","title":"t0","state":"OPEN"}}}"#,
      of: Hub.issue("title state"))
    let outcome = try image.commit(
      "{\(Self.orders[index].joined(separator: ","))}", of: Hub.refresh,
      #"{"ids":["\#(AliasTests.old)","B"]}"#)
    #expect(outcome.errors.map(\.message) == ["m", "n", "nowhere", "odd"])
    #expect(outcome.ids?.map(\.status) == [.ok, .notFound])
    #expect(outcome.aliases == [.init(from: AliasTests.old, to: AliasTests.new)])
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: AliasTests.old,
        """
        {"__typename": "Issue", "id": "I_synA", "state": null, "title": "t1", \
        "__errors": {"state": {"message": "m", "path": "nodes.0.state"}}, \
        "__stale": {"state": "OPEN"}}
        """)
      let errors = try image.image.snapshot().read(Hub.issue("state")).errors.map(\.error)
      #expect(errors.map(\.extensionsText) == [#"{"k":[1.0]}"#])
    }
    try image.expectSound()
  }

  @Test(.tags(.S12)) func `a warning beside no data makes no alias`() throws {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"issue":{"id":"\#(AliasTests.old)","title":"t0"}}}"#, of: Hub.issue("title"))
    let before = try image.bytes()
    for data in [#""data":null"#, #""message":"m""#] {
      let outcome = try image.commit(
        #"{\#(data),"errors":[{"message":"m"}],\#(Self.extensions)}"#, of: Hub.refresh,
        #"{"ids":["\#(AliasTests.old)"]}"#)
      #expect(outcome.aliases == [])
      #expect(!outcome.hasData)
    }
    #expect(try image.bytes() == before)
    #expect(try image.record(AliasTests.new) == nil)
  }

  /// Warnings that name no two ids.
  static let oddWarnings = [
    "null", "7", "{}", "[]", "[null]", "[7]", "[[]]", #"[{}]"#, #"[{"data":null}]"#,
    #"[{"data":[]}]"#, #"[{"data":{"legacy_global_id":"A"}}]"#,
    #"[{"data":{"next_global_id":"B"}}]"#,
    #"[{"data":{"legacy_global_id":null,"next_global_id":"B"}}]"#,
    #"[{"data":{"legacy_global_id":"","next_global_id":"B"}}]"#,
    #"[{"data":{"legacy_global_id":"A","next_global_id":""}}]"#,
    #"[{"data":{"legacy_global_id":"A","next_global_id":"A"}}]"#,
    #"[{"data":{"legacy_global_id":["A"],"next_global_id":"B"}}]"#,
    #"[{"data":{"legacy_global_id":{"id":"A"},"next_global_id":{"id":"B"}}}]"#,
  ]

  @Test(.tags(.S12), arguments: oddWarnings)
  func `a warning of another form changes nothing and costs nothing`(_ warnings: String) throws {
    let image = try TestImage()
    let single = try Hub.issue("title")
    try image.commit(#"{"data":{"issue":{"id":"A","title":"a"}}}"#, of: single)
    let outcome = try image.commit(
      #"{"data":{"issue":{"id":"B","title":"b"}},"extensions":{"warnings":\#(warnings),"x":1}}"#,
      of: single)
    #expect(outcome.aliases == [])
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["A", "B"])
      try image.expect(record: "A", #"{"__typename": "Issue", "id": "A", "title": "a"}"#)
    }
    try image.expectSound()
  }
}
