import BatonImage
import BatonPlan
import Testing

/// Values come back as the tokens they came as.
@Suite(.timeLimit(.minutes(60))) struct ScalarTests {
  static let numbers = [
    "0", "1", "-1", "127", "128", "-128", "-129", "32767", "32768", "-32769", "2147483647",
    "2147483648", "-2147483649", "3000000001", "9007199254740991", "9007199254740993",
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
    "123456789012345678901234567890", "-0", "0.0", "-0.0", "1.0", "1.50", "6.99", "0.1",
    "0.30000000000000004", "1e0", "1E0", "1e+2", "1e-7", "1.0e2", "1e400", "-1e400", "1e-400",
    "5e-324", "1.7976931348623157e308", "100000000000000000000.0", "3.141592653589793238462643",
  ]
  static let others = [
    "true", "false", "null", #""""#, #""true""#, #""1""#, #""a\u0000b""#, #""\ud83d\ude00""#,
    #""é日本💥""#, #""\"\\\/\b\f\n\r\t""#, #""2026-01-02T03:04:05Z""#, #"" leading and trailing ""#,
  ]

  /// A string token as it is written: the escapes that JSON needs, and no others.
  static func rewritten(_ token: String) -> String {
    [
      #""\ud83d\ude00""#: #""😀""#, #""\"\\\/\b\f\n\r\t""#: #""\"\\/\u0008\u000c\n\r\t""#,
    ][token] ?? token
  }

  @Test(.tags(.S23, .S51), arguments: numbers + others)
  func `a token is read back as it came, without a schema and as a custom scalar`(
    _ token: String
  ) throws {
    let image = try TestImage()
    let custom = try Hub.issue("payload payloads")
    let unknown = try plan("{ other { value list } }", nil)
    try image.commit(
      #"{"data":{"issue":{"id":"A","payload": \#(token) ,"payloads":[\#(token),[\#(token)]]}}}"#,
      of: custom)
    try image.commit(
      #"{"data":{"other":{"value":\#(token),"list":[\#(token),[ \#(token) ]]}}}"#, of: unknown)
    try image.beforeAndAfterReopening { image in
      let out = Self.rewritten(token)
      // A list inside of a custom scalar is its own text.
      let inner = try image.read(custom)
      #expect(
        inner.data == #"{"issue":{"id":"A","payload":\#(out),"payloads":[\#(out),[\#(token)]]}}"#)
      try image.expect(unknown, reads: #"{"other":{"value":\#(out),"list":[\#(out),[\#(out)]]}}"#)
    }
    try image.expectSound()
  }

  @Test(.tags(.S51), arguments: numbers)
  func `a number is read back as it came where the schema says Int or Float`(
    _ token: String
  ) throws {
    let image = try TestImage()
    let plan = try Hub.issue("weight databaseId matrix")
    let data =
      #"{"issue":{"id":"A","weight":\#(token),"databaseId":\#(token),"matrix":[[\#(token)]]}}"#
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: data)
    }
    try image.expectSound()
  }

  @Test func `true is never one, and one never true`() throws {
    let image = try TestImage()
    let plan = try plan("{ a b c d }", nil)
    let data = #"{"a":true,"b":1,"c":false,"d":0}"#
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: data)
    }
  }

  @Test func `a custom scalar's object keeps its text, spaces and order and all`() throws {
    let image = try TestImage()
    let plan = try Hub.issue("payload")
    let value = #"{ "k" : [1.0, {"z":null, "a":"A\n"}], "k":2 }"#
    try image.commit(#"{"data":{"issue":{"id":"A","payload":\#(value)}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: #"{"issue":{"id":"A","payload":\#(value)}}"#)
      try image.expect(
        record: "A",
        #"{"__typename": "Issue", "id": "A", "payload": \#(CanonicalJSON.text(of: .string(value)))}"#
      )
    }
    try image.expectSound()
  }

  @Test func `lists of every depth keep their nulls and their emptiness`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      "{ tags board { id } plans { title } issue { id matrix related { id } payloads } }")
    let data = """
      {"tags":["a",null,""],"board":[[],null,[{"id":"A"},null]],"plans":[null,[null,{"title":"t"}]],\
      "issue":{"id":"B","matrix":[[1,null],[],null],"related":[[{"id":"B"}],[]],\
      "payloads":[[],{},null]}}
      """
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: data)
    }
    try image.expectSound()
  }

  @Test func `a list may become shorter, longer, empty and null`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ tags plans { title } }")
    for data in [
      #"{"tags":["a"],"plans":[[{"title":"0"}]]}"#,
      #"{"tags":["a","b","c"],"plans":[[{"title":"0"},{"title":"1"}],[{"title":"2"}]]}"#,
      #"{"tags":[],"plans":[]}"#, #"{"tags":null,"plans":null}"#,
      #"{"tags":[null],"plans":[null]}"#,
    ] {
      try image.commit(#"{"data":\#(data)}"#, of: plan)
      try image.beforeAndAfterReopening { image in
        try image.expect(plan, reads: data)
      }
    }
    try image.expectSound()
  }

  @Test(arguments: [1, 63, 64])
  func `lists nest as deep as the format says, and no deeper`(_ depth: Int) throws {
    let image = try TestImage()
    let plan = try plan("{ a b { id } }", nil)
    let open = String(repeating: "[", count: depth)
    let close = String(repeating: "]", count: depth)
    let response = #"{"data":{"a":\#(open)1\#(close),"b":\#(open){"id":"A"}\#(close)}}"#
    guard depth < 64 else {
      #expect(throws: ImageError.self) { try image.commit(response, of: plan) }
      return
    }
    try image.commit(response, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: #"{"a":\#(open)1\#(close),"b":\#(open){"id":"A"}\#(close)}"#)
    }
  }

  @Test(.tags(.S51)) func `a string of a megabyte is one field`() throws {
    let image = try TestImage()
    let plan = try Hub.issue("title")
    let text = String(repeating: "0123456789abcdé\\n", count: 65_536)
    try image.commit(#"{"data":{"issue":{"id":"A","title":"\#(text)"}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      let reading = try image.read(plan)
      #expect(reading.data == #"{"issue":{"id":"A","title":"\#(text)"}}"#)
    }
    try image.expectSound()
  }

  /// Escapes, and what they spell; half a pair has no UTF-8.
  static let escapes = [
    (#"\u00e9"#, "é"), (#"\u65E5"#, "日"), (#"\ud83d\ude00"#, "😀"), (#"\uD83D\uDE00"#, "😀"),
    (#"\ud83d"#, "\u{FFFD}"), (#"\ude00"#, "\u{FFFD}"), (#"\ud83dx"#, "\u{FFFD}x"),
    (#"\ud83d\u0041"#, "\u{FFFD}A"), (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"),
    (#"\ude00\ud83d"#, "\u{FFFD}\u{FFFD}"), (#"\u0000"#, "\u{0}"), (#"\/"#, "/"),
    (#"\\u0041"#, #"\u0041"#),
  ]

  @Test(arguments: escapes)
  func `escapes are spelled out in strings, lists, ids, keys and type names`(
    _ escaped: String, _ text: String
  ) throws {
    let image = try TestImage()
    let plan = try plan("{ actor { id __typename title tags } }", nil)
    try image.commit(
      """
      {"data":{"actor":{"\\u0069d":"A\(escaped)","__typename":"T\(escaped)",
      "title":"\(escaped)","tags":["\(escaped)"]}}}
      """, of: plan)
    try image.beforeAndAfterReopening { image in
      let spelled = CanonicalJSON.text(of: .string(text)).dropFirst().dropLast()
      try image.expect(
        plan,
        reads: """
          {"actor":{"id":"A\(spelled)","__typename":"T\(spelled)","title":"\(spelled)",\
          "tags":["\(spelled)"]}}
          """)
      #expect(try image.record("A" + text) != nil)
    }
  }
}
