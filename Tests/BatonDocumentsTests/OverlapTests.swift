import BatonDocuments
import Testing

/// Fields of one response key that can and can't be merged.
@Suite struct OverlapTests {
  @Test(arguments: [
    Verdict(
      "{ a a { b } }",
      "doc:1:5: 'a' is an object here and a leaf elsewhere, which can't be merged; "
        + "the first is at doc:1:3"),
    Verdict(
      "{ a: b a: c }",
      "doc:1:8: 'a' means both 'b' and 'c' here; an alias would tell them apart; "
        + "the first is at doc:1:3"),
    Verdict(
      "{ a(b: 1) a(b: 2) }",
      "doc:1:11: 'a' is asked for with other arguments as well; an alias would tell them apart; "
        + "the first is at doc:1:3"),
    Verdict(
      "{ a(b: 1) { c } ...F } fragment F on T { a { d } }",
      "doc:1:42: 'a' is asked for with other arguments as well; an alias would tell them apart; "
        + "the first is at doc:1:3"),
    Verdict(
      "{ x { a { b: c } } x { ...F } } fragment F on T { a { b: d } }",
      "doc:1:55: 'b' means both 'c' and 'd' here; an alias would tell them apart; "
        + "the first is at doc:1:11"),
    Verdict(
      "{ x { a: b ... on T { a: c } } }",
      "doc:1:23: 'a' means both 'b' and 'c' here; an alias would tell them apart; "
        + "the first is at doc:1:7"),
  ])
  func `fields that differ for one object conflict without a schema`(_ verdict: Verdict) {
    #expect(DocumentDiagnosticsTests.found(verdict.text, nil) == verdict.diagnostics)
  }

  @Test(arguments: [
    "{ a a }", "{ a(b: 1, c: {d: 2, e: 3}) a(c: {e: 3, d: 2}, b: 1) }",
    "{ a { b } a { c } }", "{ x: a(b: 1) y: a(b: 2) }",
    "{ x { ... on A { a: b } ... on B { a: c } } }",
    "{ x { ... on A { a { k: b } } ... on B { a { k: c } } } }",
    "query ($v: Int) { a(b: $v) ...F } fragment F on T { a(b: $v) }",
  ])
  func `fields that are the same, or of other objects, merge`(_ text: String) {
    #expect(DocumentDiagnosticsTests.found(text, nil) == [])
  }

  @Test(arguments: [
    Verdict(
      "{ search(text: \"\") { ... on Book { x: title } ... on Person { x: age } } }",
      "doc:1:63: 'x' is Int here and String! elsewhere, which can't be merged; "
        + "the first is at doc:1:36"),
    Verdict(
      "{ search(text: \"\") { ... on Book { title } ... on Person { title } } }",
      "doc:1:60: 'title' is String here and String! elsewhere, which can't be merged; "
        + "the first is at doc:1:36"),
    Verdict(
      "{ search(text: \"\") { ... on Named { x: name } "
        + "... on Person { x: name(upper: true) } } }",
      "doc:1:63: 'x' is asked for with other arguments as well; an alias would tell them apart; "
        + "the first is at doc:1:37"),
    Verdict(
      "{ shelf { x: id x: __typename } }",
      "doc:1:17: 'x' is String! here and ID! elsewhere, which can't be merged; "
        + "the first is at doc:1:11",
      "doc:1:17: 'x' means both 'id' and '__typename' here; an alias would tell them apart; "
        + "the first is at doc:1:11"),
  ])
  func `shapes must agree for all objects, names and arguments where one can have both`(
    _ verdict: Verdict
  ) throws {
    #expect(
      DocumentDiagnosticsTests.found(verdict.text, try schema(library)) == verdict.diagnostics)
  }

  @Test(arguments: [
    "{ search(text: \"\") { ... on Book { x: name } ... on Person { x: title } } }",
    "{ search(text: \"\") { ... on Book { name(upper: true) } ... on Person { name } } }",
    "{ shelf { id } shelf { books { edges { node { id } } } } }",
  ])
  func `a schema tells objects apart`(_ text: String) throws {
    #expect(DocumentDiagnosticsTests.found(text, try schema(library)) == [])
  }
}
