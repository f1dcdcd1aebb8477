import BatonImage
import BatonPlan
import Foundation
import TestSupport
import Testing

/// What is no response of the plan is refused with its place, and the image is as it was.
@Suite(.tags(.damage), .timeLimit(.minutes(60))) struct BadResponseTests {
  static let plan = try! Hub.plan(
    """
    query Q($ids: [ID!]!) {
      issue { id title weight payload matrix author { __typename login } }
      recent { id title }
      board { id }
      nodes(ids: $ids) { __typename id ... on Issue { number } }
    }
    """)
  static let variables = #"{"ids":["B"]}"#
  static let response = """
    {"data":{"issue":{"id":"A","title":"t\\u00e9\\n","weight":-1.5e3,"payload":{"k":[true,null]},\
    "matrix":[[1],[]],"author":{"__typename":"Bot","login":"b"}},"recent":[{"id":"B","title":null}],\
    "nodes":[{"__typename":"Issue","id":"B","number":7}]},\
    "errors":[{"message":"m","path":["recent",0,"title"],"extensions":{"code":"X"}}],\
    "extensions":{"warnings":[]}}
    """

  /// An image with a commit, and what it is like.
  static func image() throws -> (TestImage, [UInt8]) {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"issue":{"id":"A","title":"before"}}}"#, of: Hub.issue("title"))
    return (image, try image.bytes())
  }

  /// Expects a response to be refused at a byte or path, and nothing to have happened.
  static func expectRefused(
    _ response: [UInt8], _ image: TestImage, _ before: [UInt8], of plan: Plan = plan,
    _ variables: String = variables, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ResponseProblem? {
    let error = #expect(throws: ImageError.self, sourceLocation: sourceLocation) {
      try image.commit(response, of: plan, variables)
    }
    guard case .response(let problem)? = error else {
      Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
      return nil
    }
    #expect(
      problem.offset != nil || !problem.path.isEmpty, "\(problem)", sourceLocation: sourceLocation)
    if let offset = problem.offset { #expect(offset <= response.count, "\(problem)") }
    #expect(try image.bytes() == before, "\(problem)", sourceLocation: sourceLocation)
    return problem
  }

  @Test(.tags(.S10)) func `a response cut at any byte is refused and the next one commits`() throws
  {
    let (image, before) = try Self.image()
    let bytes = Array(Self.response.utf8)
    for count in bytes.indices {
      _ = try Self.expectRefused(Array(bytes[..<count]), image, before)
    }
    try image.commit(bytes, of: Self.plan, Self.variables)
    try image.expectSound()
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["A", "A:author:Bot", "B"])
    }
  }

  @Test func `a byte that is not UTF-8, or ends a string, is refused wherever it stands`() throws {
    let (image, before) = try Self.image()
    let bytes = Array(Self.response.utf8)
    for offset in bytes.indices {
      for byte in [0xFF, 0x80, 0x00, 0x1F] as [UInt8] {
        var harmed = bytes
        harmed[offset] = byte
        _ = try Self.expectRefused(harmed, image, before)
      }
    }
    var harmed = bytes
    harmed.insert(0xC0, at: 40)
    let problem = try Self.expectRefused(harmed, image, before)
    #expect(problem?.offset == 40)
  }

  @Test func `no changed byte gets by that JSON doesn't allow`() throws {
    let (image, before) = try Self.image()
    let bytes = Array(Self.response.utf8)
    var refused = 0
    var generator = SeededGenerator()
    for offset in bytes.indices {
      let random = UInt8.random(in: 0...255, using: &generator)
      for byte in Array("{}[],:\"\\0eE+-. nx".utf8) + [0x0C, 0x1A, random] {
        var harmed = bytes
        harmed[offset] = byte
        guard (try? JSONSerialization.jsonObject(with: Data(harmed))) == nil else { continue }
        _ = try Self.expectRefused(harmed, image, before)
        refused += 1
      }
    }
    #expect(refused > bytes.count)
  }

  /// Texts that are no JSON, or JSON that is no response.
  static let shapes: [String] = [
    "", " ", "null", "7", "\"x\"", "[]", "[{}]", "{}", #"{"message":"m"}"#, "<html>502</html>",
    #"{"data":{}} x"#, #"{"data":{}}{"data":{}}"#, #"{"data":7}"#, #"{"data":[]}"#,
    #"{"data":"x"}"#, #"{"data":true}"#, #"{"data":{},"errors":{}}"#, #"{"data":{},"errors":[7]}"#,
    #"{"data":{},"errors":"x"}"#, #"{"data":{},}"#, #"{"data":{"issue":{}},}"#, #"{data:{}}"#,
    #"{'data':{}}"#, #"{"data" {}}"#, #"{"data":}"#, #"{"data":{},"id":[}}"#,
    #"{"data":{},"id":{]}"#,
    #"{"data":{},"path":[tru]}"#, #"{"data":{},"extensions":{"a":01}}"#, #"{"data":{},"x":[1 2]}"#,
    #"{"data":{"issue":{]}}"#, #"{"data":{"a":tru},"data":{}}"#, #"{"data":{},"other":"\x"}"#,
    #"{"data":{},"other":nul}"#, #"{"data":{},"other":+1}"#, #"{"data":{},"other":.5}"#,
    #"{"data":{},"other":1.}"#, #"{"data":{},"other":1e}"#, #"{"data":{},"other":0x10}"#,
    #"{"data":{},"other":-}"#, #"{"data":{},"other":NaN}"#, #"{"data":{},"other":Infinity}"#,
    #"{"data":{},"other":"\u12"}"#, #"{"data":{},"other":"\ud83dx\u"}"#, "\u{FEFF}{\"data\":{}}",
    "{\"data\":{}} // done", "{\"data\":{}}\u{0}", #"{"data":{},"errors":null,"pending":7}"#,
  ]

  @Test(arguments: shapes)
  func `what is no response is refused at its byte`(_ text: String) throws {
    let (image, before) = try Self.image()
    _ = try Self.expectRefused(Array(text.utf8), image, before)
    try image.commit(Self.response, of: Self.plan, Self.variables)
  }

  /// Answers that are not of the document's shape, and the path of the first place that isn't.
  static let mismatches: [(String, String)] = [
    (#"{"issue":7}"#, "issue"), (#"{"issue":"x"}"#, "issue"), (#"{"issue":[]}"#, "issue"),
    (#"{"issue":true}"#, "issue"), (#"{"recent":{}}"#, "recent"), (#"{"recent":[7]}"#, "recent.0"),
    (#"{"recent":[{},null,"x"]}"#, "recent.2"), (#"{"recent":[[{}]]}"#, "recent.0"),
    (#"{"board":[null,[{},[{}]]]}"#, "board.1.1"), (#"{"board":[[],{}]}"#, "board.1"),
    (#"{"board":[[null,7]]}"#, "board.0.1"),
    (#"{"issue":{"title":{}}}"#, "issue.title"), (#"{"issue":{"author":7}}"#, "issue.author"),
    (#"{"issue":{"author":{"__typename":"Bot","login":{}}}}"#, "issue.author.login"),
    (#"{"nodes":{}}"#, "nodes"), (#"{"nodes":7}"#, "nodes"), (#"{"nodes":[7]}"#, "nodes.0"),
    (#"{"nodes":[null,{"__typename":"Issue","number":[{}]}]}"#, "nodes.1.number"),
    (#"{"issue":{"matrix":[[{}]]}}"#, "issue.matrix"),
  ]

  @Test(arguments: mismatches)
  func `an answer that does not match the document is refused with its path`(
    _ data: String, _ path: String
  ) throws {
    let (image, before) = try Self.image()
    let problem = try Self.expectRefused(Array(#"{"data":\#(data)}"#.utf8), image, before)
    #expect(problem?.path == path)
    try image.commit(Self.response, of: Self.plan, Self.variables)
  }

  @Test(arguments: [600, 10_000, 200_000])
  func `values nested too deep are refused without a deep stack`(_ depth: Int) throws {
    let (image, before) = try Self.image()
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      let nested =
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
      for text in [
        nested, #"{"data":\#(nested)}"#, #"{"data":{},"x":\#(nested)}"#,
        #"{"data":{"other":\#(nested)}}"#, #"{"data":{"issue":{"payload":\#(nested)}}}"#,
        #"{"data":{"issue":\#(nested)}}"#, #"{"data":{"issue":{"matrix":\#(nested)}}}"#,
        #"{"data":{},"errors":[{"extensions":\#(nested)}]}"#,
        #"{"data":{},"errors":[{"path":\#(nested)}]}"#, #"{"data":{},"extensions":\#(nested)}"#,
        #"{"data":{"recent":\#(nested)}}"#,
      ] {
        _ = try Self.expectRefused(Array(text.utf8), image, before)
      }
      let unclosed = String(repeating: open, count: depth)
      _ = try Self.expectRefused(Array((#"{"data":"# + unclosed).utf8), image, before)
    }
    try image.commit(Self.response, of: Self.plan, Self.variables)
  }

  @Test func `a bad response after good work leaves no number that was never written`() throws {
    let (image, before) = try Self.image()
    let many = (0..<300).map { #"{"id":"N\#($0)","title":"t"}"# }.joined(separator: ",")
    for _ in 0..<3 {
      _ = try Self.expectRefused(
        Array(#"{"data":{"recent":[\#(many),7]}}"#.utf8), image, before)
    }
    try image.commit(#"{"data":{"recent":[\#(many)]}}"#, of: Self.plan, Self.variables)
    try image.beforeAndAfterReopening { image in
      let keys = try image.keys()
      #expect(keys.count == 301 + 3)
    }
    try image.expectSound()
  }

  @Test(arguments: [
    (#"{}"#, "variable $ids has no value and no default"),
    (#"{"ids":null}"#, "variable $ids must not be null"),
    (#"{"ids":["A"],"other":1}"#, "variable $other is not declared by the operation"),
  ])
  func `variables that don't fit the operation are the caller's mistake`(
    _ variables: String, _ message: String
  ) throws {
    let (image, before) = try Self.image()
    #expect(throws: ImageError.usage(message)) {
      try image.commit(Self.response, of: Self.plan, variables)
    }
    #expect(throws: ImageError.usage(message)) { try image.read(Self.plan, variables) }
    #expect(try image.bytes() == before)
  }

  @Test func `a fragment is no operation and an operation no fragment`() throws {
    let (image, before) = try Self.image()
    let fragment = try Hub.plan(fragment: "F", "fragment F on Issue { title }")
    #expect(throws: ImageError.self) { try image.commit(Self.response, of: fragment) }
    #expect(throws: ImageError.self) { try image.read(fragment) }
    #expect(throws: ImageError.self) { try image.read(Self.plan, Self.variables, at: "A") }
    #expect(try image.bytes() == before)
  }

  @Test(
    .tags(.S11),
    arguments: [
      #"{"data":null,"errors":[{"type":"RATE_LIMITED","message":"m"}]}"#,
      #"{"errors":[{"type":"RATE_LIMIT","code":"graphql_rate_limit","message":"m"}]}"#,
    ])
  func `a limit's answer without data commits nothing and says its type`(_ text: String) throws {
    let (image, before) = try Self.image()
    let outcome = try image.commit(text, of: Self.plan, Self.variables)
    #expect(outcome.errors.first?.code.hasPrefix("RATE_LIMIT") == true)
    #expect(!outcome.hasData)
    #expect(try image.bytes() == before)
  }
}
