import BatonDocuments
import BatonPlan
import Testing

/// What tokens mean and which are none, seen through the argument `a` of a field.
@Suite struct LexicalTests {
  static func value(_ text: String) throws -> ValueTemplate? {
    try plan("{ f(a: \(text)) }").field("f")?.arguments.first?.value
  }

  @Test(arguments: [
    ("0", Value.int(0)), ("-0", .int(0)), ("42", .int(42)), ("-7", .int(-7)),
    ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
    ("9223372036854775808", .float(9.223372036854775808e18)),
    ("0.5", .float(0.5)), ("-1.25", .float(-1.25)), ("1e3", .float(1000)),
    ("1E-2", .float(0.01)), ("6.0221e+23", .float(6.0221e23)), ("0e0", .float(0)),
  ])
  func `a number is read as the narrowest value that holds it`(
    _ text: String, _ value: Value
  ) throws {
    #expect(try Self.value(text) == .constant(value))
  }

  @Test(arguments: [
    Verdict("{f(a:01)}", "doc:1:7: a number does not start with a zero"),
    Verdict("{f(a:-)}", "doc:1:7: a digit is missing"),
    Verdict("{f(a:1.)}", "doc:1:8: a digit is missing"),
    Verdict("{f(a:1.e5)}", "doc:1:8: a digit is missing"),
    Verdict("{f(a:1e)}", "doc:1:8: a digit is missing"),
    Verdict("{f(a:0xF)}", "doc:1:7: a number does not run into what follows it"),
    Verdict("{f(a:1_000)}", "doc:1:7: a number does not run into what follows it"),
    Verdict("{f(a:1.2.3)}", "doc:1:9: a number does not run into what follows it"),
    Verdict("{f(a:1.5f)}", "doc:1:9: a number does not run into what follows it"),
    Verdict("{f(a:.5)}", "doc:1:6: unexpected '.'; a spread is written '...'"),
    Verdict("{f(a:+5)}", "doc:1:6: unexpected character '+'"),
    Verdict("{f(a:1e400)}", "doc:1:6: 1e400 is beyond a Float's range"),
    Verdict("{f ..}", "doc:1:4: unexpected '.'; a spread is written '...'"),
    Verdict("{f(a:'x')}", "doc:1:6: unexpected character '''"),
    Verdict("{f \u{1F600}}", "doc:1:4: unexpected character U+1F600"),
    Verdict("{f \u{0}}", "doc:1:4: unexpected character U+0000"),
  ])
  func `what is no token is refused where it stands`(_ verdict: Verdict) {
    let found = diagnostics { () throws(DiagnosticsError) in _ = try plan(verdict.text) }
    #expect(found == verdict.diagnostics)
  }

  @Test(arguments: [
    (#""""#, ""), (#""plain""#, "plain"), (#""a # , b""#, "a # , b"),
    (#""\" \\ \/ \b \f \n \r \t""#, "\" \\ / \u{8} \u{C} \n \r \t"),
    (#""\u00e9\u00E9""#, "\u{E9}\u{E9}"), (#""\u{1F600}\u{e9}\u{00000041}""#, "\u{1F600}\u{E9}A"),
    (#""\uD83D\uDE00!""#, "\u{1F600}!"), ("\"caf\u{E9} \u{1F600}\"", "caf\u{E9} \u{1F600}"),
    (#""a\u0000b""#, "a\u{0}b"), (#""\u{10FFFF}""#, "\u{10FFFF}"),
  ])
  func `escapes in a string stand for their characters`(_ text: String, _ value: String) throws {
    #expect(try Self.value(text) == .constant(.string(value)))
  }

  @Test(arguments: [
    Verdict(#"{f(a:"x"#, "doc:1:6: the string is not closed"),
    Verdict("{f(a:\"x\n\")}", "doc:1:6: the string is not closed on its line"),
    Verdict("{f(a:\"x\r\")}", "doc:1:6: the string is not closed on its line"),
    Verdict(#"{f(a:"\x")}"#, "doc:1:7: no such escape in a string"),
    Verdict(#"{f(a:"\"#, "doc:1:7: no such escape in a string"),
    Verdict(#"{f(a:"\u12")}"#, "doc:1:7: the escape names no Unicode character"),
    Verdict(#"{f(a:"\uD83D")}"#, "doc:1:7: the escape names no Unicode character"),
    Verdict(#"{f(a:"\uD83Dx\uDE00")}"#, "doc:1:7: the escape names no Unicode character"),
    Verdict(#"{f(a:"\uDE00\uD83D")}"#, "doc:1:7: the escape names no Unicode character"),
    Verdict(#"{f(a:"\uD83D\uD83D")}"#, "doc:1:7: the escape names no Unicode character"),
    Verdict(#"{f(a:"\u{}")}"#, "doc:1:7: the escape names no Unicode character"),
    Verdict(#"{f(a:"\u{110000}")}"#, "doc:1:7: the escape names no Unicode character"),
    Verdict(#"{f(a:"\u{D83D}")}"#, "doc:1:7: the escape names no Unicode character"),
    Verdict(#"{f(a:"\u{FFFFFFFFFFFFFFFFF}")}"#, "doc:1:7: the escape names no Unicode character"),
    Verdict(#"{f(a:"\u{41")}"#, "doc:1:7: the escape names no Unicode character"),
    Verdict(#"{f(a:"""x"")}"#, "doc:1:6: the block string is not closed"),
  ])
  func `a string that is not one is refused where it goes wrong`(_ verdict: Verdict) {
    let found = diagnostics { () throws(DiagnosticsError) in _ = try document(verdict.text) }
    #expect(found == verdict.diagnostics)
  }

  @Test func `commas, comments and byte order marks are ignored anywhere`() throws {
    let plan = try plan("\u{FEFF},,{ # comment {\n,a\u{FEFF},,b #\r c,}#")
    #expect(plan.selections[0].items.count == 3)
  }

  @Test(
    arguments: [
      ([0x7B, 0x61, 0xFF, 0x7D], 1, 3), ([0x7B, 0x23, 0x0A, 0xC3], 2, 1),
      ([0x7B, 0x23, 0x0D, 0x0A, 0x20, 0xED, 0xA0, 0x80], 2, 2), ([0xC0, 0x80], 1, 1),
    ] as [([UInt8], Int, Int)])
  func `bytes that are not UTF-8 are refused where they stand`(
    _ bytes: [UInt8], _ line: Int, _ column: Int
  ) throws {
    let error = #expect(throws: DiagnosticsError.self) {
      try Document(Source(name: "doc", bytes: bytes))
    }
    let found = try #require(error?.diagnostics.first)
    #expect(found.line == line && found.column == column)
    #expect(found.message.hasPrefix("the source is not UTF-8"))
  }
}
