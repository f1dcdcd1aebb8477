import BatonDocuments
import Testing

/// Each thing that can be wrong with a schema, and where it is reported.
@Suite struct SchemaDiagnosticsTests {
  static func found(_ server: String, _ client: String? = nil) -> [String] {
    diagnostics { () throws(DiagnosticsError) in
      if let client {
        _ = try schema(server, client: client)
      } else {
        _ = try schema(server)
      }
    }
  }

  @Test(arguments: [
    Verdict("type", "schema:1:5: unexpected the end of the document, expected a name"),
    Verdict("type A {}", "schema:1:9: unexpected '}', expected a name"),
    Verdict("type A { b }", "schema:1:12: unexpected '}', expected ':'"),
    Verdict("type A { b: [C }", "schema:1:16: unexpected '}', expected ']'"),
    Verdict("union U = ", "schema:1:11: unexpected the end of the document, expected a name"),
    Verdict("enum E { true }", "schema:1:10: an enum value is not called 'true'"),
    Verdict("kind A", "schema:1:1: unexpected 'kind', expected a definition"),
    Verdict(
      "extend directive @a on FIELD",
      "schema:1:8: unexpected 'directive', expected a definition"),
    Verdict(
      "\"text\" extend type A { b: Int }",
      "schema:1:8: unexpected 'extend', expected a definition"),
    Verdict(
      "extend type A",
      "schema:1:14: unexpected the end of the document, expected what the extension adds"),
    Verdict(
      "extend schema",
      "schema:1:14: unexpected the end of the document, expected '{'"),
    Verdict(
      "schema { root: A }",
      "schema:1:10: unexpected 'root', expected 'query', 'mutation' or 'subscription'"),
    Verdict(
      "directive @a on NOWHERE",
      "schema:1:17: no directive location is called 'NOWHERE'"),
    Verdict("directive @a", "schema:1:13: unexpected the end of the document, expected 'on'"),
    Verdict(
      "type A { b(c: Int = $d): Int }",
      "schema:1:21: the variable $d stands where a constant must"),
    Verdict(
      "type A @b(c: [$d]) { e: Int }",
      "schema:1:15: the variable $d stands where a constant must"),
    Verdict(
      "query Q { a }",
      "schema:1:1: 'query' belongs in an executable document, not in a schema"),
    Verdict(
      "fragment F on A { a }",
      "schema:1:1: 'fragment' belongs in an executable document, not in a schema"),
    Verdict("{ a }", "schema:1:1: unexpected '{', expected a definition"),
  ])
  func `what is not a schema's grammar is reported where it stops`(_ verdict: Verdict) {
    #expect(Self.found(verdict.text) == verdict.diagnostics)
  }

  @Test(arguments: [
    Verdict(
      "type A { b: Int }\ntype A { c: Int }",
      "schema:2:6: the type 'A' is defined twice; the first is at schema:1:6"),
    Verdict(
      "type A { b: Int b: String }",
      "schema:1:17: the field 'A.b' is defined twice; the first is at schema:1:10"),
    Verdict(
      "type A { b(c: Int, c: Int): Int }",
      "schema:1:20: 'c' of A.b is defined twice; the first is at schema:1:12"),
    Verdict(
      "input A { b: Int b: Int }",
      "schema:1:18: 'b' of A is defined twice; the first is at schema:1:11"),
    Verdict(
      "enum A { B B }",
      "schema:1:12: the enum A has 'B' twice; the first is at schema:1:10"),
    Verdict("type A { b: Int } union U = A | A", "schema:1:33: the union U has 'A' twice"),
    Verdict(
      "directive @a on FIELD directive @a on QUERY",
      "schema:1:33: the directive '@a' is defined twice; the first is at schema:1:11"),
    Verdict(
      "interface I { b: Int } type A implements I & I { b: Int }",
      "schema:1:46: 'A' implements 'I' twice"),
    Verdict(
      "schema { query: A } schema { query: A } type A { b: Int }",
      "schema:1:21: the schema is defined twice; the first is at schema:1:1",
      "schema:1:30: the query type is given twice; the first is at schema:1:10"),
    Verdict(
      "schema { query: A mutation: A } type A { b: Int }",
      "schema:1:19: 'A' is the query type already; the first is at schema:1:10"),
    Verdict("enum Int { A }", "schema:1:6: 'Int' is a scalar of GraphQL's own"),
  ])
  func `what is defined twice is reported with the first`(_ verdict: Verdict) {
    #expect(Self.found(verdict.text) == verdict.diagnostics)
  }

  @Test(arguments: [
    Verdict("type A { b: Strin }", "schema:1:13: there is no type 'Strin'; did you mean 'String'?"),
    Verdict("type A { b(c: X): Int }", "schema:1:15: there is no type 'X'"),
    Verdict("input A { b: X }", "schema:1:14: there is no type 'X'"),
    Verdict("type A implements X { b: Int }", "schema:1:19: there is no type 'X'"),
    Verdict("union U = X", "schema:1:11: there is no type 'X'"),
    Verdict("schema { query: X }", "schema:1:17: there is no type 'X'"),
    Verdict(
      "extend type Boook { c: Int } type Book { b: Int }",
      "schema:1:13: there is no type 'Boook' to extend; did you mean 'Book'?"),
    Verdict(
      "extend enum A { B } type A { b: Int }",
      "schema:1:13: 'A' is an object type and extended as an enum"),
    Verdict(
      "input I { a: Int } type A { b: I }",
      "schema:1:32: 'I' is an input object and can't be a field's type"),
    Verdict(
      "type A { b(c: A): Int }",
      "schema:1:15: 'A' is an object type and can't be given as input"),
    Verdict(
      "type A { a: Int } input I { b: [A] }",
      "schema:1:33: 'A' is an object type and can't be given as input"),
    Verdict("union U = S scalar S", "schema:1:11: 'S' is a scalar; a union has object types only"),
    Verdict(
      "type A implements B { c: Int } type B { c: Int }",
      "schema:1:19: 'B' is an object type, not an interface"),
    Verdict("interface I implements I { a: Int }", "schema:1:24: 'I' implements itself"),
    Verdict(
      "schema { query: I } interface I { a: Int }",
      "schema:1:17: the query type is an object type; 'I' is an interface"),
    Verdict("type A", "schema:1:6: 'A' has no fields"),
    Verdict("interface A", "schema:1:11: 'A' has no fields"),
    Verdict("input A", "schema:1:7: 'A' has no fields"),
    Verdict("union A", "schema:1:7: 'A' has no members"),
    Verdict("enum A", "schema:1:6: 'A' has no values"),
    Verdict(
      "type __A { b: Int }",
      "schema:1:6: the type '__A' begins with '__', which is kept for GraphQL's own"),
    Verdict(
      "type A { __b: Int }",
      "schema:1:10: the field '__b' begins with '__', which is kept for GraphQL's own"),
    Verdict(
      "type A { b(__c: Int): Int }",
      "schema:1:12: the argument or input field '__c' begins with '__', "
        + "which is kept for GraphQL's own"),
    Verdict(
      "directive @__a on FIELD",
      "schema:1:11: the directive '__a' begins with '__', which is kept for GraphQL's own"),
  ])
  func `a type that can't stand where it does is reported there`(_ verdict: Verdict) {
    #expect(Self.found(verdict.text) == verdict.diagnostics)
  }

  @Test(arguments: [
    Verdict(
      "interface I { a: Int } type T implements I { b: Int }",
      "schema:1:29: 'T' lacks the field 'a' of the interface 'I'"),
    Verdict(
      "interface I { a: Int! } type T implements I { a: Int }",
      "schema:1:47: 'T.a' is Int, but 'I.a' is Int!"),
    Verdict(
      "interface I { a: [Int] } type T implements I { a: Int }",
      "schema:1:48: 'T.a' is Int, but 'I.a' is [Int]"),
    Verdict(
      "interface I { a(b: Int): Int } type T implements I { a: Int }",
      "schema:1:54: 'T.a' lacks the argument 'b' of 'I.a'"),
    Verdict(
      "interface I { a(b: Int): Int } type T implements I { a(b: Int!): Int }",
      "schema:1:56: the argument 'b' is Int!, but that of 'I.a' is Int"),
    Verdict(
      "interface I { a: Int } type T implements I { a(b: Int!): Int }",
      "schema:1:48: the argument 'b' is required, but 'I.a' has none of the name"),
    Verdict(
      "interface J { a: Int } interface I implements J { a: Int } "
        + "type T implements I { a: Int }",
      "schema:1:65: 'T' implements 'I' and so must implement 'J'"),
  ])
  func `a type that is not what its interface promises is reported`(_ verdict: Verdict) {
    #expect(Self.found(verdict.text) == verdict.diagnostics)
  }

  @Test func `a field may be narrower than its interface asks`() throws {
    #expect(
      Self.found(
        """
        interface Node { self: Node items: [Node] any: U plain(a: Int): Int }
        union U = A | B
        type A implements Node { self: A! items: [B!]! any: A plain(a: Int, b: Int! = 1): Int! }
        type B implements Node { self: Node items: [Node] any: U plain(a: Int): Int }
        """) == [])
  }

  @Test(arguments: [
    Verdict(
      "type A { b(c: Int = \"x\"): Int }",
      "schema:1:21: expected a value of type Int, found a string"),
    Verdict("type A { b(c: Int! = null): Int }", "schema:1:22: Int! does not take null"),
    Verdict(
      "type A { b(c: [E] = [X, Z]): Int } enum E { X }",
      "schema:1:25: the enum E has no value 'Z'"),
    Verdict("input A { b: A = {c: 1} }", "schema:1:19: the input object A has no field 'c'"),
    Verdict(
      "input A { b: Int! = 5000000000 }",
      "schema:1:21: 5000000000 does not fit Int's 32 bits"),
    Verdict(
      "directive @d(a: Boolean = 1) on FIELD",
      "schema:1:27: expected a value of type Boolean, found 1"),
    Verdict("input A { b: A! }", "schema:1:11: 'A.b' makes 'A' need itself"),
    Verdict(
      "input A { b: B! } input B { c: C! } input C { a: A! ok: A l: [A!]! }",
      "schema:1:47: 'C.a' makes 'A' need itself"),
    Verdict(
      "input A @oneOf { b: Int! c: Int = 1 }",
      "schema:1:18: 'A.b' must be nullable: the input object is @oneOf",
      "schema:1:26: 'A.c' can't have a default: the input object is @oneOf"),
  ])
  func `defaults and input objects are checked`(_ verdict: Verdict) {
    #expect(Self.found(verdict.text) == verdict.diagnostics)
  }

  @Test func `syntax errors of all sources are reported together`() {
    #expect(
      Self.found("type A {", "type B }") == [
        "schema:1:9: unexpected the end of the document, expected a name",
        "client:1:8: unexpected '}', expected a definition",
      ])
  }

  @Test func `an extension that repeats a server's field with another type is refused`() {
    #expect(
      Self.found("type A { b: Int }", "extend type A {\n  b: Int\n}\ntype A { c: Int }") == [
        "client:2:3: the field 'A.b' is defined twice; the first is at schema:1:10",
        "client:4:6: the type 'A' is defined twice; the first is at schema:1:6",
      ])
  }

  @Test func `a field that a source repeats word for word is taken once`() {
    #expect(Self.found("type A { b(c: Int): [Int!] b(c: Int): [Int!] }") == [])
  }

  @Test func `a schema may print what every schema has`() {
    #expect(
      Self.found(
        """
        scalar ID scalar Int
        directive @skip(if: Boolean!) on FIELD
        directive @deprecated(reason: String) on FIELD_DEFINITION
        type __Type { name: String }
        type Query { id: ID @deprecated }
        """) == [])
  }
}
