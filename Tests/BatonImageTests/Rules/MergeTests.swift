import BatonImage
import Testing

/// What an answer does to one field (R3): every state it can be in, under every answer.
struct MergeCase: Sendable, CustomStringConvertible {
  enum Before: String, CaseIterable, Sendable {
    case value, null, errored, stale, missing
  }

  enum Answer: String, CaseIterable, Sendable {
    case value, null, coveredNull, absent
  }

  var before: Before
  var answer: Answer
  /// The field as it is exported afterwards, `title` and what stands beside it.
  var exported: String
  /// The field as it is read.
  var data: String
  var missing: [String] = []
  var errors: [String] = []

  var description: String { "\(before) then \(answer)" }
}

extension MergeCase {
  private static let olderError =
    #""__errors": {"title": {"message": "older", "path": "issue.title"}}"#
  private static let newerError =
    #""__errors": {"title": {"message": "newer", "path": "issue.title"}}"#

  static let all: [MergeCase] = [
    MergeCase(
      before: .value, answer: .value, exported: #""title": "new"}"#, data: #""title":"new""#),
    MergeCase(
      before: .value, answer: .null, exported: #""title": null}"#, data: #""title":null"#),
    MergeCase(
      before: .value, answer: .coveredNull,
      exported: #""title": null, \#(newerError), "__stale": {"title": "old"}}"#,
      data: #""title":null"#, errors: ["issue.title: newer"]),
    MergeCase(
      before: .value, answer: .absent, exported: #""title": "old"}"#, data: #""title":"old""#),

    MergeCase(
      before: .null, answer: .value, exported: #""title": "new"}"#, data: #""title":"new""#),
    MergeCase(
      before: .null, answer: .null, exported: #""title": null}"#, data: #""title":null"#),
    MergeCase(
      before: .null, answer: .coveredNull,
      exported: #""title": null, \#(newerError), "__stale": {"title": null}}"#,
      data: #""title":null"#, errors: ["issue.title: newer"]),
    MergeCase(
      before: .null, answer: .absent, exported: #""title": null}"#, data: #""title":null"#),

    MergeCase(
      before: .errored, answer: .value, exported: #""title": "new"}"#, data: #""title":"new""#),
    MergeCase(
      before: .errored, answer: .null, exported: #""title": null}"#, data: #""title":null"#),
    MergeCase(
      before: .errored, answer: .coveredNull, exported: #""title": null, \#(newerError)}"#,
      data: #""title":null"#, errors: ["issue.title: newer"]),
    MergeCase(
      before: .errored, answer: .absent, exported: #""title": null, \#(olderError)}"#,
      data: #""title":null"#, errors: ["issue.title: older"]),

    MergeCase(
      before: .stale, answer: .value, exported: #""title": "new"}"#, data: #""title":"new""#),
    MergeCase(
      before: .stale, answer: .null, exported: #""title": null}"#, data: #""title":null"#),
    MergeCase(
      before: .stale, answer: .coveredNull,
      exported: #""title": null, \#(newerError), "__stale": {"title": "old"}}"#,
      data: #""title":null"#, errors: ["issue.title: newer"]),
    MergeCase(
      before: .stale, answer: .absent,
      exported: #""title": null, \#(olderError), "__stale": {"title": "old"}}"#,
      data: #""title":null"#, errors: ["issue.title: older"]),

    MergeCase(
      before: .missing, answer: .value, exported: #""title": "new"}"#, data: #""title":"new""#),
    MergeCase(
      before: .missing, answer: .null, exported: #""title": null}"#, data: #""title":null"#),
    MergeCase(
      before: .missing, answer: .coveredNull, exported: #""title": null, \#(newerError)}"#,
      data: #""title":null"#, errors: ["issue.title: newer"]),
    MergeCase(
      before: .missing, answer: .absent, exported: "}", data: "", missing: ["issue.title"]),
  ]

  /// The responses that bring the field into its state.
  var preparation: [String] {
    switch before {
    case .value: [Self.response(title: #""old""#)]
    case .null: [Self.response(title: "null")]
    case .errored: [Self.response(title: "null", error: "older")]
    case .stale:
      [Self.response(title: #""old""#), Self.response(title: "null", error: "older")]
    case .missing: [Self.response(title: nil)]
    }
  }

  var response: String {
    switch answer {
    case .value: Self.response(title: #""new""#)
    case .null: Self.response(title: "null")
    case .coveredNull: Self.response(title: "null", error: "newer")
    case .absent: Self.response(title: nil)
    }
  }

  private static func response(title: String?, error: String? = nil) -> String {
    let title = title.map { #","title":\#($0)"# } ?? ""
    let errors = error.map {
      #","errors":[{"message":"\#($0)","path":["issue","title"]}]"#
    }
    return #"{"data":{"issue":{"id":"A"\#(title),"state":"OPEN"}}\#(errors ?? "")}"#
  }
}

@Suite(.timeLimit(.minutes(60))) struct MergeTests {
  @Test(.tags(.S42), arguments: MergeCase.all)
  func `each answer to each state of a field gives the one right state, on the disk too`(
    _ merge: MergeCase
  ) throws {
    let image = try TestImage()
    let plan = try Hub.issue("title state")
    for response in merge.preparation { try image.commit(response, of: plan) }
    try image.reopen()
    try image.commit(merge.response, of: plan)
    try image.beforeAndAfterReopening { image in
      let exported = merge.exported.hasPrefix("}") ? "}" : ", " + merge.exported
      try image.expect(
        record: "A", #"{"__typename": "Issue", "id": "A", "state": "OPEN""# + exported)
      let title = merge.data.isEmpty ? "" : merge.data + ","
      try image.expect(
        plan, reads: #"{"issue":{"id":"A",\#(title)"state":"OPEN"}}"#, missing: merge.missing,
        errors: merge.errors)
    }
  }

  @Test func `every state meets every answer in the cases`() {
    let pairs = Set(MergeCase.all.map(\.description))
    #expect(pairs.count == MergeCase.Before.allCases.count * MergeCase.Answer.allCases.count)
  }

  @Test func `an equal response writes no byte of the file`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      query Q($ids: [ID!]!) {
        nodes(ids: $ids) { id ... on Issue { title weight payload matrix } }
        issue { id title author { __typename login } assignees { id } milestone { title } }
        tags
      }
      """)
    let response = """
      {"data":{"nodes":[{"__typename":"Issue","id":"A","title":"t","weight":1.50,
      "payload":{"b":[1,2]},"matrix":[[1],[null]]}],
      "issue":{"id":"B","title":null,"author":{"__typename":"Bot","login":"bot"},
      "assignees":[{"id":"U"},null],"milestone":{"title":null}},"tags":["x",null]},
      "errors":[{"message":"m","path":["issue","title"]},{"message":"n","path":["tags",1]}]}
      """
    let first = try image.commit(response, of: plan, #"{"ids":["A"]}"#)
    #expect(first.pagesWritten > 0)
    let bytes = try image.bytes()
    let second = try image.commit(response, of: plan, #"{"ids":["A"]}"#)
    #expect(second.pagesWritten == 0)
    #expect(second.commit == first.commit)
    #expect(second.fieldsChanged == 0)
    #expect(second.recordsCreated + second.recordsChanged == 0)
    #expect(try image.bytes() == bytes)
  }

  @Test func `a response without data commits nothing and counts as no fetch`() throws {
    let image = try TestImage()
    let plan = try Hub.issue("title")
    try image.commit(#"{"data":{"issue":{"id":"A","title":"t"}}}"#, of: plan)
    try image.reopen()
    let before = try image.bytes()
    for response in [
      #"{"data":null,"errors":[{"message":"m"}]}"#,
      #"{"errors":[{"message":"m","path":["issue"]}]}"#,
    ] {
      let outcome = try image.commit(response, of: plan)
      #expect(outcome.errors.map(\.message) == ["m"])
      #expect(outcome.pagesWritten == 0)
    }
    #expect(try image.bytes() == before)
    let other = try Hub.issue("number")
    try image.commit(#"{"errors":[{"message":"m"}]}"#, of: other)
    try image.reopen()
    #expect(try !image.read(Hub.plan("query Other { issue { id } }")).hasFetchTime)
  }

  @Test func `a field that is not in the response is untouched`() throws {
    let image = try TestImage()
    let all = try Hub.issue("number title state tags author { __typename login }")
    try image.commit(
      """
      {"data":{"issue":{"id":"A","number":7,"title":"t","state":"OPEN","tags":["x"],
      "author":{"__typename":"Bot","login":"b"}}}}
      """, of: all)
    try image.reopen()
    try image.commit(#"{"data":{"issue":{"id":"A","title":"t2"}}}"#, of: Hub.issue("title"))
    try image.beforeAndAfterReopening { image in
      try image.expect(
        all,
        reads: """
          {"issue":{"id":"A","number":7,"title":"t2","state":"OPEN","tags":["x"],\
          "author":{"__typename":"Bot","login":"b"}}}
          """)
    }
  }

  @Test func `of two answers to one field in a response the later counts`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ recent { id title } issue { id title } }")
    try image.commit(
      """
      {"data":{"recent":[{"id":"A","title":"one"},{"id":"A","title":"two"}],
      "issue":{"id":"A","title":"three"}}}
      """, of: plan)
    try image.expect(record: "A", #"{"__typename": "Issue", "id": "A", "title": "three"}"#)
  }

  @Test func `a value and then a null under an error in one response keep the value`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ recent { id title } }")
    try image.commit(#"{"data":{"recent":[{"id":"A","title":"old"}]}}"#, of: plan)
    try image.commit(
      """
      {"data":{"recent":[{"id":"A","title":"new"},{"id":"A","title":null}]},
      "errors":[{"message":"m","path":["recent",1,"title"]}]}
      """, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: "A",
        """
        {"__typename": "Issue", "id": "A", "title": null, \
        "__errors": {"title": {"message": "m", "path": "recent.1.title"}}, \
        "__stale": {"title": "new"}}
        """)
    }
  }
}
