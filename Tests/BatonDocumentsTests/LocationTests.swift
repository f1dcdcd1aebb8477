import BatonDocuments
import Testing

@Suite struct LocationTests {
  @Test(arguments: ["\n", "\r\n", "\r"])
  func `each of the line terminators counts once`(_ end: String) {
    let text = ["{", "  a", "", "# \u{1F600}", "  b ?", "}"].joined(separator: end)
    let found = diagnostics { () throws(DiagnosticsError) in _ = try document(text) }
    #expect(found == ["doc:5:5: unexpected character '?'"])
  }

  @Test func `LF CR is two terminators and a mixture is counted as it comes`() {
    let found = diagnostics { () throws(DiagnosticsError) in _ = try document("{\n\r\r\n\n ?") }
    #expect(found == ["doc:5:2: unexpected character '?'"])
  }

  @Test func `a column counts Unicode scalars and a byte order mark counts none`() {
    let accents = diagnostics { () throws(DiagnosticsError) in
      _ = try document("{f(a:\"\u{E9}\u{1F600}e\u{301}\" ?")
    }
    #expect(accents == ["doc:1:13: unexpected character '?'"])
    let mark = diagnostics { () throws(DiagnosticsError) in _ = try document("\u{FEFF}{ ?") }
    #expect(mark == ["doc:1:3: unexpected character '?'"])
  }

  @Test(arguments: [
    ("", "doc:1:1"), ("{ a", "doc:1:4"), ("{ a\n", "doc:2:1"), ("{\r\n", "doc:2:1"),
  ])
  func `a document that ends too soon is reported at its end`(_ text: String, _ place: String) {
    let found = diagnostics { () throws(DiagnosticsError) in _ = try document(text) }
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix(place + ": unexpected the end of the document") == true)
  }

  @Test func `diagnostics come sorted by source and position, each once`() throws {
    let found = diagnostics { () throws(DiagnosticsError) in
      _ = try schema(
        "type Query { b: B a: A b2: B }", client: "extend type Query { c: C }\ntype D { e: E }")
    }
    #expect(
      found == [
        "schema:1:17: there is no type 'B'", "schema:1:22: there is no type 'A'",
        "schema:1:28: there is no type 'B'", "client:1:24: there is no type 'C'",
        "client:2:13: there is no type 'E'",
      ])
  }

  @Test func `an error describes itself with one diagnostic a line`() throws {
    let error = #expect(throws: DiagnosticsError.self) {
      try schema("type Query { b: Bb\na: Aa }")
    }
    #expect(
      error?.description
        == "schema:1:17: there is no type 'Bb'\nschema:2:4: there is no type 'Aa'")
  }
}
