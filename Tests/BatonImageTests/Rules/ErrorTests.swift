import BatonImage
import BatonPlan
import Testing

/// Errors stand beside the fields their paths lead to (R3).
@Suite(.timeLimit(.minutes(60))) struct ErrorTests {
  @Test(.tags(.S7))
  func `a null that bubbled up from a deeper error keeps the link and the record`()
    throws
  {
    let image = try TestImage()
    let plan = try Hub.plan("{ viewer { id login followers { totalCount } } }")
    try image.commit(
      #"{"data":{"viewer":{"id":"U","login":"kim","followers":{"totalCount":3}}}}"#, of: plan)
    try image.commit(
      """
      {"data":{"viewer":null},"errors":[{"type":"RESOURCE_LIMITS_EXCEEDED",
      "path":["viewer","followers","totalCount"],"message":"too much"}]}
      """, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: #"{"viewer":null}"#, errors: ["viewer: too much"])
      try image.expect(
        record: "client:root",
        """
        {"__typename": "Query", "viewer": null, "__errors": {"viewer": {"message": "too much", \
        "path": "viewer.followers.totalCount"}}, "__stale": {"viewer": {"__ref": "U"}}}
        """)
      try image.expect(
        Hub.plan("query Q($ids: [ID!]!) { nodes(ids: $ids) { ... on User { login } } }"),
        #"{"ids":["U"]}"#, reads: #"{"nodes":[{"login":"kim"}]}"#)
    }
    try image.commit(#"{"data":{"viewer":null}}"#, of: plan)
    try image.expect(record: "client:root", #"{"__typename": "Query", "viewer": null}"#)
  }

  @Test func `an error whose path only begins like the null's does not cover it`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ viewer { id login } issue { id title } }")
    try image.commit(
      #"{"data":{"viewer":{"id":"U","login":"k"},"issue":{"id":"A","title":"t"}}}"#, of: plan)
    try image.commit(
      #"{"data":{"viewer":null,"issue":{"id":"A","title":null}},"errors":[{"message":"m","path":["issue","titles"]},{"message":"n","path":["view"]}]}"#,
      of: plan)
    try image.expect(
      record: "A", #"{"__typename": "Issue", "id": "A", "title": null}"#)
    let root = try image.record("client:root")
    #expect(root?.contains(#""viewer": null"#) == true)
    #expect(root?.contains(#""__stale""#) == false)
  }

  @Test func `a list that bubbled to null keeps its last good links`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ recent { id title } }")
    try image.commit(#"{"data":{"recent":[{"id":"A","title":"t"},null]}}"#, of: plan)
    try image.commit(
      #"{"data":{"recent":null},"errors":[{"message":"m","path":["recent",1,"title"]}]}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: "client:root",
        """
        {"__typename": "Query", "recent": null, \
        "__errors": {"recent": {"message": "m", "path": "recent.1.title"}}, \
        "__stale": {"recent": {"__refs": ["A", null]}}}
        """)
    }
  }

  @Test func `the error of a list's element stands beside the list`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ recent { id title } tags board { id } }")
    try image.commit(
      """
      {"data":{"recent":[{"id":"A","title":"t"},null],"tags":["x",null],"board":[[null],[]]},
      "errors":[{"message":"a","path":["recent",1]},{"message":"b","path":["tags",1]},
      {"message":"c","path":["board",0,0]}]}
      """, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        plan,
        reads: #"{"recent":[{"id":"A","title":"t"},null],"tags":["x",null],"board":[[null],[]]}"#,
        errors: ["recent: a", "tags: b", "board: c"])
    }
  }

  /// Paths that lead to no field of the data.
  static let lost = [
    "[]", #"["nope"]"#, #"["issue","nope"]"#, #"["issue",0]"#, #"["recent",-1,"title"]"#,
    #"["recent",7]"#, #"["recent",0.5]"#, #"["recent","0"]"#, #"[true,null,{}]"#, "null", "7",
    #""issue""#, #"["query Q","issue","... on X"]"#,
  ]

  @Test(arguments: lost)
  func `an error that leads nowhere is reported and destroys nothing`(_ path: String) throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ issue { id title } recent { id title } }")
    let data = #"{"issue":{"id":"A","title":"t"},"recent":[{"id":"B","title":"u"}]}"#
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    let outcome = try image.commit(
      #"{"data":\#(data),"errors":[{"message":"m","path":\#(path)}]}"#, of: plan)
    #expect(outcome.errors.map(\.message) == ["m"])
    try image.beforeAndAfterReopening { image in
      let reading = try image.read(plan)
      #expect(reading.data == data)
      #expect(reading.missing == [])
    }
    try image.expectSound()
  }

  @Test func `an error with a negative index stands beside the list it names`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ recent { id title } }")
    try image.commit(
      """
      {"data":{"recent":[{"id":"A","title":null}]},
      "errors":[{"message":"m","path":["recent",-1,"title"]}]}
      """, of: plan)
    try image.expect(
      plan, reads: #"{"recent":[{"id":"A","title":null}]}"#, errors: ["recent: m"])
    try image.expect(record: "A", #"{"__typename": "Issue", "id": "A", "title": null}"#)
  }

  @Test(arguments: [
    #"{}"#, #"{"message":7}"#, #"{"message":null,"path":null,"locations":[{"line":1}]}"#,
    #"{"message":"m","extensions":null}"#, #"{"message":"m","extensions":[1]}"#,
    #"{"message":"m","type":null,"extensions":{"code":7}}"#,
  ])
  func `an error of any form is an error`(_ error: String) throws {
    let image = try TestImage()
    let plan = try Hub.issue("title")
    let outcome = try image.commit(
      #"{"data":{"issue":{"id":"A","title":"t"}},"errors":[\#(error)]}"#, of: plan)
    #expect(outcome.errors.count == 1)
    try image.expect(record: "A", #"{"__typename": "Issue", "id": "A", "title": "t"}"#)
  }

  @Test func `all of an error is kept beside the field and comes back after a new launch`() throws {
    let image = try TestImage()
    let plan = try Hub.issue("title")
    let extensions = #"{ "saml_failure" : true, "deep": {"k": [1.0, "é\n"]}, "code":"X" }"#
    try image.commit(
      """
      {"data":{"issue":{"id":"A","title":null}},"errors":[{"type":"FORBIDDEN","message":"é\\"m\\"",
      "path":["issue", "title"],"locations":[],"extensions":\(extensions)},
      {"message":"second","path":["issue","title"]}]}
      """, of: plan)
    try image.reopen()
    let snapshot = try image.image.snapshot()
    let errors = try snapshot.read(plan, variables: [:], identity: .global).errors
    #expect(
      errors.map(\.error) == [
        FieldError(
          message: "é\"m\"", pathText: #"["issue","title"]"#, code: "FORBIDDEN",
          extensionsText: extensions),
        FieldError(message: "second", pathText: #"["issue","title"]"#),
      ])
    #expect(errors.map(\.path) == Array(repeating: [.key("issue"), .key("title")], count: 2))
  }

  @Test func `an error's code is its type before its extension's`() throws {
    let image = try TestImage()
    let plan = try Hub.issue("title")
    let outcome = try image.commit(
      """
      {"data":{"issue":{"id":"A","title":"t"}},"errors":[
      {"message":"1","type":"T","extensions":{"code":"C"}},
      {"message":"2","extensions":{"code":"C"}},{"message":"3","extensions":{"code":"C"},"type":"T"},
      {"message":"4"}]}
      """, of: plan)
    #expect(outcome.errors.map(\.code) == ["T", "C", "T", ""])
  }

  @Test func `a value with an error beside it is a value, and its error goes with the next`() throws
  {
    let image = try TestImage()
    let plan = try Hub.issue("title")
    try image.commit(
      """
      {"data":{"issue":{"id":"A","title":"t"}},"errors":[{"message":"m","path":["issue","title"]}]}
      """, of: plan)
    try image.expect(
      plan, reads: #"{"issue":{"id":"A","title":"t"}}"#, errors: ["issue.title: m"])
    try image.commit(#"{"data":{"issue":{"id":"A","title":"t"}}}"#, of: plan)
    try image.expect(plan, reads: #"{"issue":{"id":"A","title":"t"}}"#)
  }

  @Test func `response keys in error paths are those of the document, aliases too`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ one: issue { id text: title title: number } }")
    try image.commit(
      """
      {"data":{"one":{"id":"A","text":null,"title":null}},
      "errors":[{"message":"m","path":["one","title"]}]}
      """, of: plan)
    try image.expect(
      record: "A",
      """
      {"__typename": "Issue", "id": "A", "number": null, "title": null, \
      "__errors": {"number": {"message": "m", "path": "one.title"}}}
      """)
  }

  @Test func `a path with escapes is the path it spells`() throws {
    let image = try TestImage()
    let plan = try Hub.issue("title")
    try image.commit(
      """
      {"data":{"issue":{"id":"A","title":null}},
      "errors":[{"message":"m","path":["\\u0069ssue","title","a\\"b\\\\c\\u00e9,d"]}]}
      """, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: "A",
        """
        {"__typename": "Issue", "id": "A", "title": null, \
        "__errors": {"title": {"message": "m", "path": "issue.title.a\\"b\\\\cé,d"}}}
        """)
    }
  }

  @Test(.tags(.S22)) func `a null without an error takes the link away and leaves the record`()
    throws
  {
    let image = try TestImage()
    let plan = try Hub.plan(
      "{ issue { id author { __typename ... on User { id login } } } viewer { id login } }")
    try image.commit(
      """
      {"data":{"issue":{"id":"A","author":{"__typename":"User","id":"U","login":"k"}},
      "viewer":{"id":"U","login":"k"}}}
      """, of: plan)
    try image.commit(
      #"{"data":{"issue":{"id":"A","author":null}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        plan, reads: #"{"issue":{"id":"A","author":null},"viewer":{"id":"U","login":"k"}}"#)
    }
  }
}
