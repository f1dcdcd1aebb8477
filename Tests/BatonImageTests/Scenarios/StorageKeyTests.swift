import BatonImage
import BatonPlan
import Testing

/// S47, S49: which spellings of arguments are one field, which are two, and how long a key may be.
@Suite(.timeLimit(.minutes(60))) struct StorageKeyTests {
  static let registry = try! schema(
    """
    type Query {
      f(a: Int, b: Int, o: In, x: Float, d: Int = 7, e: Kind, s: String, l: [Int], i: ID, t: Boolean,
        any: Any, m: [In]): Int
    }
    input In { x: Int y: Int }
    enum Kind { OPEN CLOSED }
    scalar Any
    """)

  static func plan(_ text: String) throws -> Plan {
    try BatonImageTests.plan(text.hasPrefix("query") ? text : "{ \(text) }", registry)
  }

  struct Spelling: Sendable, CustomStringConvertible {
    var document: String
    var variables: String

    init(_ document: String, _ variables: String = "{}") {
      self.document = document
      self.variables = variables
    }

    var description: String { "\(document) \(variables)" }
  }

  /// Spellings of one field each, with the key it is exported under.
  static let equal: [(key: String, spellings: [Spelling])] = [
    (
      "f",
      [
        Spelling("f"), Spelling("f(a: null)"), Spelling("f(d: 7)"),
        Spelling("query Q($a: Int) { f(a: $a) }"),
        Spelling("query Q($a: Int) { f(a: $a) }", #"{"a":null}"#),
        Spelling("query Q($d: Int = 7) { f(d: $d) }"),
        Spelling("query Q($d: Int) { f(d: $d) }", #"{"d":7}"#),
        Spelling("query Q($x: Int) { f(a: $x, d: 7, s: null) }"),
      ]
    ),
    (
      "f(a:1,b:2)",
      [
        Spelling("f(a: 1, b: 2)"), Spelling("f(b: 2, a: 1)"),
        Spelling("query Q($a: Int, $b: Int = 2) { f(b: $b, a: $a) }", #"{"a":1}"#),
      ]
    ),
    (
      #"f(o:{"x":1,"y":2})"#,
      [
        Spelling("f(o: {x: 1, y: 2})"), Spelling("f(o: {y: 2, x: 1})"),
        Spelling("query Q($o: In) { f(o: $o) }", #"{"o":{"y":2,"x":1}}"#),
        Spelling("query Q($y: Int) { f(o: {y: $y, x: 1}) }", #"{"y":2}"#),
      ]
    ),
    (
      "f(x:1)",
      [
        Spelling("f(x: 1)"), Spelling("f(x: 1.0)"), Spelling("f(x: 1e0)"), Spelling("f(x: 10E-1)"),
        Spelling("query Q($x: Float) { f(x: $x) }", #"{"x":1}"#),
        Spelling("query Q($x: Float) { f(x: $x) }", #"{"x":1.0}"#),
      ]
    ),
    (
      #"f(i:"5")"#,
      [
        Spelling("f(i: 5)"), Spelling(#"f(i: "5")"#),
        Spelling("query Q($i: ID) { f(i: $i) }", #"{"i":5}"#),
        Spelling("query Q($i: ID) { f(i: $i) }", #"{"i":"5"}"#),
      ]
    ),
    (
      #"f(e:"OPEN")"#,
      [
        Spelling("f(e: OPEN)"), Spelling("query Q($e: Kind) { f(e: $e) }", #"{"e":"OPEN"}"#),
      ]
    ),
    (
      "f(l:[1,2])",
      [
        Spelling("f(l: [1, 2])"), Spelling("query Q($a: Int) { f(l: [$a, 2]) }", #"{"a":1}"#),
      ]
    ),
    (
      "f(l:[1])",
      [
        Spelling("f(l: 1)"), Spelling("f(l: [1])"),
      ]
    ),
    (
      #"f(s:"a\u0000\"\\\né")"#,
      [
        Spelling(#"f(s: "a\u0000\"\\\n\u00e9")"#),
        Spelling("query Q($s: String) { f(s: $s) }", #"{"s":"a\u0000\"\\\né"}"#),
      ]
    ),
  ]

  @Test(.tags(.S49), arguments: equal.indices)
  func `spellings of the same arguments are one field, under a key that never changes`(
    _ index: Int
  ) throws {
    let (key, spellings) = Self.equal[index]
    let image = try TestImage()
    for (turn, spelling) in spellings.enumerated() {
      try image.commit(
        #"{"data":{"f":\#(turn)}}"#, of: Self.plan(spelling.document), spelling.variables)
      try image.expect(
        record: "client:root",
        #"{"__typename": "Query", \#(CanonicalJSON.text(of: .string(key))): \#(turn)}"#)
    }
    try image.beforeAndAfterReopening { image in
      for spelling in spellings {
        try image.expect(
          Self.plan(spelling.document), spelling.variables,
          reads: #"{"f":\#(spellings.count - 1)}"#)
      }
    }
    try image.expectSound()
  }

  /// Spellings that are a field each, all in one image.
  static let different = [
    "f", "f(a: 1)", "f(b: 1)", "f(a: 1, b: 1)", "f(d: 8)", "f(s: \"1\")", "f(s: \"null\")",
    "f(s: \"\")", "f(s: \"true\")", "f(t: true)", "f(t: false)", "f(l: [1, 2])", "f(l: [2, 1])",
    "f(l: [null])", "f(l: [])", "f(l: [1])", "f(o: {})", "f(o: {x: null})", "f(o: {x: 0})",
    "f(o: {x: null, y: null})", "f(x: 0.0)", "f(x: -0.0)", "f(x: 0.30000000000000004)",
    "f(x: 0.3)", "f(any: 1)", "f(any: 9007199254740993)", "f(any: 9007199254740992)", "f(any: -1)",
    "f(any: \"1\")", "f(any: true)", "f(any: \"true\")", "f(any: 1.5)",
    "f(any: [1])", "f(any: {a: 1})", "f(any: \"null\")", "f(any: \"{\\\"a\\\":1}\")", "f(e: OPEN)",
    "f(e: CLOSED)", "f(s: \"OPEN\")", "f(i: 5)", "f(i: \"05\")", "f(s: \"a,b:1\")",
    "f(s: \"a\\\",b:\\\"1\")", "f(m: [{x: 1}, {y: 1}])", "f(m: [{x: 1, y: 1}])",
    "f(s: \"e\u{301}\")",
    "f(s: \"\u{e9}\")", "f(s: \" \")",
  ]

  @Test(.tags(.S49)) func `different arguments are different fields`() throws {
    let image = try TestImage()
    for (value, text) in Self.different.enumerated() {
      try image.commit(#"{"data":{"f":\#(value)}}"#, of: Self.plan(text))
    }
    try image.beforeAndAfterReopening { image in
      for (value, text) in Self.different.enumerated() {
        let reading = try image.read(Self.plan(text))
        #expect(reading.data == #"{"f":\#(value)}"#, "\(text)")
      }
    }
    try image.expectSound()
  }

  @Test(.tags(.S47), arguments: [400, 511, 512, 2_048, 100_000])
  func `an argument of any length is part of a key, to its last letter`(_ count: Int) throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      "query S($text: String) { search(text: $text) { __typename ... on Issue { id } } }")
    let letters = ["é", "日", "😀", "a", "\\n"]
    let base = (0..<count / 2).map { letters[$0 % letters.count] }.joined()
    for last in ["a", "b"] {
      try image.commit(
        #"{"data":{"search":[{"__typename":"Issue","id":"\#(last)"}]}}"#, of: plan,
        #"{"text":"\#(base + last)"}"#)
    }
    try image.beforeAndAfterReopening { image in
      for last in ["a", "b"] {
        try image.expect(
          plan, #"{"text":"\#(base + last)"}"#,
          reads: #"{"search":[{"__typename":"Issue","id":"\#(last)"}]}"#)
      }
      try image.expect(plan, #"{"text":"\#(base)"}"#, reads: "{}", missing: ["search"])
    }
    try image.expectSound()
  }

  @Test(.tags(.S47)) func `batches of ids leave nothing that grows with their number`() throws {
    let image = try TestImage()
    let ids = (0..<50).map { "I_kwDOsynthetic_\(100 + $0)" }
    func commit(_ round: Int) throws {
      let batch = Array((ids + ids)[(round % 50)..<(round % 50 + 50)])
      let nodes = batch.map { #"{"__typename":"Issue","id":"\#($0)","title":"\#(round / 100)"}"# }
      try image.commit(
        #"{"data":{"nodes":[\#(nodes.joined(separator: ","))]}}"#, of: Hub.refresh,
        #"{"ids":[\#(batch.map { #""\#($0)""# }.joined(separator: ","))]}"#)
    }
    func counts() throws -> [Int] {
      let snapshot = try image.image.snapshot()
      return try [ImageTable.records, .cells, .ids, .names, .keys, .fetches].map { table in
        var count = 0
        try snapshot.forEach(table, from: 0) { _, _ in
          count += 1
          return true
        }
        return count
      }
    }
    try commit(0)
    // The operation's name comes with its first times.
    try image.image.flush()
    let first = try counts()
    for round in 1..<250 { try commit(round) }
    #expect(try counts() == first)
    try image.reopen()
    #expect(try counts() == first)
    try image.expect(record: "client:root", #"{"__typename": "Query"}"#)
    try image.expectSound()
  }
}
