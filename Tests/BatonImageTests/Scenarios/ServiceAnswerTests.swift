import BatonImage
import BatonPlan
import Foundation
import Testing

/// Answers of services as they were seen: what each does to the image, and in how many commits.
@Suite(.timeLimit(.minutes(60))) struct ServiceAnswerTests {
  static func issue(_ id: String, _ fields: String) -> String {
    #"{"__typename":"Issue","id":"\#(id)",\#(fields)}"#
  }

  /// What the commits since `commit` changed.
  static func changes(_ image: TestImage, since commit: UInt64) throws -> [Change] {
    try image.image.snapshot().changes(since: commit)
  }

  @Test(.tags(.S1)) func `a part of the ids found is one commit that names no id that was not`()
    throws
  {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"nodes":[\#(Self.issue("A", #""title":"old""#)),\#(Self.issue("G", #""title":"kept""#))]}}"#,
      of: Hub.refresh, #"{"ids":["A","G"]}"#)
    let before = try image.image.snapshot().commit
    try image.commit(
      """
      {"data":{"nodes":[\(Self.issue("A", #""title":"new""#)),
      {"__typename":"PullRequest","id":"B","title":"p"},null,null]},
      "errors":[{"type":"NOT_FOUND","path":["nodes",2],"message":"m"},
      {"type":"NOT_FOUND","path":["nodes",3],"message":"m"}]}
      """, of: Hub.refresh, #"{"ids":["A","B","G","not-an-id"]}"#)
    try image.beforeAndAfterReopening { image in
      let changes = try Self.changes(image, since: before)
      #expect(changes.map(\.commit) == [before + 1])
      #expect(changes.flatMap(\.records).map(\.key) == ["A", "B"])
      #expect(changes.flatMap(\.records).map(\.what) == [.changed, .created])
      try image.expect(record: "G", #"{"__typename": "Issue", "id": "G", "title": "kept"}"#)
      #expect(try image.record("not-an-id") == nil)
    }
  }

  @Test(.tags(.S5)) func `two answers to one id are one change, with the last one's value`() throws
  {
    let image = try TestImage()
    let nodes = ["a1", "b", "a2"].map { Self.issue(String($0.prefix(1)), #""title":"\#($0)""#) }
    try image.commit(
      #"{"data":{"nodes":[\#(nodes.joined(separator: ","))]}}"#, of: Hub.refresh,
      #"{"ids":["a","b","a"]}"#)
    try image.beforeAndAfterReopening { image in
      let changes = try Self.changes(image, since: 0)
      #expect(changes.count == 1)
      #expect(changes.flatMap(\.records).map(\.key) == ["a", "b"])
      try image.expect(record: "a", #"{"__typename": "Issue", "id": "a", "title": "a2"}"#)
    }
  }

  static let profile = try! Hub.plan(
    """
    { viewer { id login followers { totalCount } } issue { id tags matrix assignees { id } related { id } } }
    """)

  @Test(.tags(.S7)) func `a limit that nulls the lists of an answer keeps each list's last state`()
    throws
  {
    let image = try TestImage()
    try image.commit(
      """
      {"data":{"viewer":{"id":"U","login":"kim","followers":{"totalCount":3}},
      "issue":{"id":"A","tags":["x"],"matrix":[[1]],"assignees":[{"id":"U"}],"related":[[{"id":"A"}]]}}}
      """, of: Self.profile)
    try image.reopen()
    let names = ["tags", "matrix", "assignees", "related"]
    let errors = names.map {
      """
      {"type":"RESOURCE_LIMITS_EXCEEDED","path":["issue","\($0)",0,"id","x"],"message":"m",
      "extensions":{"cost":7.0}}
      """
    }
    try image.commit(
      """
      {"data":{"viewer":{"id":"U","login":"lee","followers":null},
      "issue":{"id":"A","tags":null,"matrix":null,"assignees":null,"related":null}},
      "errors":[\(errors.joined(separator: ","))]}
      """, of: Self.profile)
    try image.beforeAndAfterReopening { image in
      // What no error covers is null: nothing of it is kept beside it.
      try image.expect(
        record: "U", #"{"__typename": "User", "followers": null, "id": "U", "login": "lee"}"#)
      let line = try #require(try image.record("A"))
      #expect(
        line.hasSuffix(
          """
          "__stale": {"assignees": {"__refs": ["U"]}, "matrix": [[1]], \
          "related": {"__refs": [["A"]]}, "tags": ["x"]}}
          """), "\(line)")
      let found = try image.image.snapshot().read(Self.profile).errors
      #expect(found.map(\.error.code) == Array(repeating: "RESOURCE_LIMITS_EXCEEDED", count: 4))
      #expect(Set(found.map(\.error.extensionsText)) == [#"{"cost":7.0}"#])
    }
    try image.commit(
      #"{"data":{"issue":{"id":"A","tags":null,"matrix":null,"assignees":null,"related":null}}}"#,
      of: Self.profile)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: "A",
        #"{"__typename": "Issue", "assignees": null, "id": "A", "matrix": null, "related": null, "tags": null}"#
      )
    }
    try image.expectSound()
  }

  @Test(.tags(.S14)) func `a type is what the answer says, whatever an id looks like`() throws {
    let image = try TestImage()
    let long = String(repeating: "x", count: 280) + "/=:# é" + String(repeating: "=", count: 13)
    let ids = ["MDExOlB1bGxSZXF1ZXN0MDI=", "PR_synB", "Issue:5", long]
    let nodes = ids.map { Self.issue($0, #""title":"t""#) }
    let variables = #"{"ids":[\#(ids.map { #""\#($0)""# }.joined(separator: ","))]}"#
    try image.commit(
      #"{"data":{"nodes":[\#(nodes.joined(separator: ","))]}}"#, of: Hub.refresh, variables)
    try image.beforeAndAfterReopening { image in
      for id in ids {
        try image.expect(record: id, #"{"__typename": "Issue", "id": "\#(id)", "title": "t"}"#)
      }
    }
    // Nobody says a type: none is made up.
    let bare = try plan("query Q($ids: [ID!]!) { nodes(ids: $ids) { id title } }", nil)
    try image.commit(
      #"{"data":{"nodes":[{"id":"MDU6SXNzdWUwMQ==","title":"u"}]}}"#, of: bare,
      #"{"ids":["MDU6SXNzdWUwMQ=="]}"#)
    let line = try #require(try image.record("MDU6SXNzdWUwMQ=="))
    #expect(!line.contains("Issue"), "\(line)")
  }

  @Test(.tags(.S17)) func `an issue that no later list mentions stays until the app deletes it`()
    throws
  {
    let image = try TestImage()
    let all = try Hub.plan("{ recent { id title } }")
    let since = try Hub.plan("query S($since: DateTime) { recent(since: $since) { id title } }")
    try image.commit(
      #"{"data":{"recent":[{"id":"A","title":"a"},{"id":"B","title":"SECRET-TITLE"}]}}"#, of: all)
    for day in 1...3 {
      try image.commit(
        #"{"data":{"recent":[{"id":"A","title":"a\#(day)"}]}}"#, of: since, #"{"since":"\#(day)"}"#)
    }
    try image.commit(
      #"{"data":{"nodes":[null]},"errors":[{"type":"NOT_FOUND","path":["nodes",0],"message":"m"}]}"#,
      of: Hub.refresh, #"{"ids":["B"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        all, reads: #"{"recent":[{"id":"A","title":"a3"},{"id":"B","title":"SECRET-TITLE"}]}"#)
    }
    #expect(try image.image.forget(id: "B") != nil)
    try image.beforeAndAfterReopening { image in
      try image.expect(all, reads: #"{"recent":[{"id":"A","title":"a3"},null]}"#)
      #expect(try !image.export().contains("SECRET-TITLE"))
    }
    try image.expectSound()
  }

  @Test(.tags(.S24)) func `a change under an equal time of change is told as one`() throws {
    let image = try TestImage()
    let plan = try Hub.issue("updatedAt number")
    for number in 1...2 {
      let before = try image.image.snapshot().commit
      try image.commit(
        #"{"data":{"issue":{"id":"A","updatedAt":"2026-01-01T00:00:00Z","number":\#(number)}}}"#,
        of: plan)
      let records = try Self.changes(image, since: before).flatMap(\.records)
      #expect(records.first { $0.key == "A" }?.fields.contains("number") == true)
    }
    try image.beforeAndAfterReopening { image in
      let last = try #require(try Self.changes(image, since: 1).last)
      #expect(last.records.map(\.key) == ["A"])
      #expect(last.records.map(\.fields) == [["number"]])
    }
  }

  static let cards = try! Hub.plan(
    "{ viewer { id } recent { id title repository { id nameWithOwner } } }")

  @Test(.tags(.S27), arguments: ["FORBIDDEN", "NOT_FOUND"])
  func `an error on one element of a list tells its kind and harms no other element`(
    _ kind: String
  ) throws {
    let image = try TestImage()
    try image.commit(
      """
      {"data":{"recent":[{"id":"A","title":"a","repository":{"id":"R","nameWithOwner":"o/w"}},
      {"id":"B","title":"b","repository":{"id":"R","nameWithOwner":"o/w"}}]}}
      """, of: Self.cards)
    try image.reopen()
    try image.commit(
      """
      {"data":{"recent":[null,{"id":"B","title":"b2","repository":null}]},
      "errors":[{"type":"\(kind)","path":["recent",0],"message":"m","extensions":{"saml_failure":true}},
      {"type":"\(kind)","path":["recent",1,"repository"],"message":"n"}]}
      """, of: Self.cards)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        Self.cards, reads: #"{"recent":[null,{"id":"B","title":"b2","repository":null}]}"#,
        missing: ["viewer"], errors: ["recent: m", "recent.1.repository: n"])
      let errors = try image.image.snapshot().read(Self.cards).errors.map(\.error)
      #expect(errors.map(\.code) == [kind, kind])
      #expect(errors.map(\.extensionsText) == [#"{"saml_failure":true}"#, ""])
      try image.expect(
        record: "A",
        #"{"__typename": "Issue", "id": "A", "repository": {"__ref": "R"}, "title": "a"}"#)
      let line = try #require(try image.record("B"))
      #expect(line.contains(#""__stale": {"repository": {"__ref": "R"}}"#), "\(line)")
    }
    try image.expectSound()
  }
}
