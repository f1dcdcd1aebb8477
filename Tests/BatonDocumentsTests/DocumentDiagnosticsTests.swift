import BatonDocuments
import Testing

/// Each thing that can be wrong with a document, and where it is reported.
@Suite struct DocumentDiagnosticsTests {
  static func found(_ text: String, _ schema: Schema?) -> [String] {
    diagnostics { () throws(DiagnosticsError) in _ = try plan(text, schema) }
  }

  @Test(arguments: [
    Verdict(
      "",
      "doc:1:1: unexpected the end of the document, "
        + "expected an operation or a fragment"),
    Verdict("{}", "doc:1:2: unexpected '}', expected a name"),
    Verdict("query", "doc:1:6: unexpected the end of the document, expected '{'"),
    Verdict("query Q() { a }", "doc:1:9: unexpected ')', expected '$'"),
    Verdict("{ a() }", "doc:1:5: unexpected ')', expected a name"),
    Verdict("{ a(b) }", "doc:1:6: unexpected ')', expected ':'"),
    Verdict("{ a(b:) }", "doc:1:7: unexpected ')', expected a value"),
    Verdict("{ a: }", "doc:1:6: unexpected '}', expected a name"),
    Verdict("{ ... }", "doc:1:7: unexpected '}', expected '{'"),
    Verdict("{ ...on }", "doc:1:9: unexpected '}', expected a name"),
    Verdict("fragment on on T { a }", "doc:1:10: unexpected 'on', expected the fragment's name"),
    Verdict("fragment F { a }", "doc:1:12: unexpected '{', expected 'on'"),
    Verdict("\"text\" { a }", "doc:1:8: unexpected '{', expected an operation or a fragment"),
    Verdict("{ a } }", "doc:1:7: unexpected '}', expected an operation or a fragment"),
    Verdict("query ($a: Int = $b) { c }", "doc:1:18: the variable $b stands where a constant must"),
    Verdict(
      "query ($a: Int @b(c: $d)) { e }",
      "doc:1:22: the variable $d stands where a constant must"),
    Verdict("query ($a: [Int) { b }", "doc:1:16: unexpected ')', expected ']'"),
    Verdict(
      "type A { b: Int }",
      "doc:1:1: 'type' belongs in a schema, not in an executable document"),
    Verdict(
      "extend type A { b: Int }",
      "doc:1:1: 'extend' belongs in a schema, not in an executable document"),
    Verdict(
      "{ a } { b }",
      "doc:1:1: an anonymous operation stands alone in its document",
      "doc:1:7: an anonymous operation stands alone in its document"),
    Verdict(
      "query Q { a } mutation Q { b }",
      "doc:1:24: the operation 'Q' is defined twice; the first is at doc:1:7"),
    Verdict(
      "{ ...F } fragment F on T { a } fragment F on T { a }",
      "doc:1:41: the fragment 'F' is defined twice; the first is at doc:1:19"),
  ])
  func `what is no document is reported where it stops`(_ verdict: Verdict) {
    #expect(Self.found(verdict.text, nil) == verdict.diagnostics)
  }

  @Test(arguments: [
    Verdict(
      "{ a(b: 1, b: 2) }",
      "doc:1:11: the argument 'b' is given twice; the first is at doc:1:5"),
    Verdict("{ a(b: {c: 1, c: 2}) }", "doc:1:15: the field 'c' is given twice"),
    Verdict(
      "query Q($a: Int, $a: Int) { b }",
      "doc:1:18: the variable $a is declared twice; the first is at doc:1:9"),
    Verdict(
      "query Q($ab: Int) { b(c: [{d: $abc}]) }",
      "doc:1:31: the query 'Q' does not declare $abc; did you mean 'ab'?"),
    Verdict(
      "{ a @include(if: $b) ...F } fragment F on T { c(d: $e) }",
      "doc:1:18: the query does not declare $b", "doc:1:52: the query does not declare $e"),
    Verdict(
      "{ ...Frag } fragment Fraag on T { a }",
      "doc:1:6: there is no fragment 'Frag'; did you mean 'Fraag'?"),
    Verdict("{ ...F } fragment F on T { a ...F }", "doc:1:30: the fragment 'F' spreads itself"),
    Verdict(
      "{ ...A } fragment A on T { a { ...B } } fragment B on T { b { ...A } }",
      "doc:1:63: the fragment 'A' spreads itself by way of others"),
    Verdict(
      "{ __typename { a } }",
      "doc:1:14: '__typename' is of type String! and has no fields to select"),
    Verdict("{ __typename(a: 1) }", "doc:1:14: '__typename' has no argument 'a'"),
    Verdict("{ a @include }", "doc:1:5: '@include' needs the argument 'if' of type Boolean!"),
    Verdict("{ a @skip(if: 1) }", "doc:1:15: expected a value of type Boolean!, found 1"),
    Verdict("{ a @skip(if: null) }", "doc:1:15: Boolean! does not take null"),
    Verdict("{ a @skip(if: true, unless: false) }", "doc:1:21: '@skip' has no argument 'unless'"),
    Verdict(
      "{ a @skip(if: true) @skip(if: true) }",
      "doc:1:21: '@skip' stands here twice; the first is at doc:1:5"),
    Verdict(
      "query Q($a: Boolean) { b @skip(if: $a) }",
      "doc:1:36: $a is of type Boolean, but Boolean! is asked for"),
    Verdict(
      "query Q($a: Int!) { b @include(if: $a) }",
      "doc:1:36: $a is of type Int!, but Boolean! is asked for"),
    Verdict("query Q @skip(if: true) { a }", "doc:1:9: '@skip' can't stand here"),
    Verdict("{ a @defer }", "doc:1:5: '@defer' can't stand here"),
    Verdict(
      "query Q($l: String) { ... @defer(label: $l) { a } }",
      "doc:1:41: 'label' takes a string that is not empty"),
    Verdict("{ ... @defer(if: 1) { a } }", "doc:1:18: expected a value of type Boolean, found 1"),
    Verdict("{ ... @defer(when: true) { a } }", "doc:1:14: '@defer' has no argument 'when'"),
    Verdict(
      "{ ...F @connection(key: \"k\") } fragment F on T { a }",
      "doc:1:8: '@connection' can't stand here"),
    Verdict(
      "{ a @connection(key: \"k\") }",
      "doc:1:5: '@connection' belongs on a field with a selection"),
    Verdict(
      "{ a @connection { b } }",
      "doc:1:5: '@connection' needs the argument 'key' of type String!"),
    Verdict(
      "{ a @connection(key: \"\") { b } }",
      "doc:1:22: 'key' takes a string that is not empty"),
    Verdict(
      "{ a @connection(key: \"k\", filters: \"b\") { b } }",
      "doc:1:36: 'filters' takes a list of strings"),
    Verdict(
      "{ a @connection(key: \"k\", filters: [1]) { b } }",
      "doc:1:37: 'filters' takes a string that is not empty"),
    Verdict(
      "mutation { a @appendEdge { b } }",
      "doc:1:14: '@appendEdge' needs the argument 'connections' of type [ID!]!"),
    Verdict(
      "mutation { a @appendNode(connections: []) { b } }",
      "doc:1:14: '@appendNode' needs the argument 'edgeTypeName' of type String!"),
    Verdict(
      "mutation { a @deleteRecord(connections: []) }",
      "doc:1:28: '@deleteRecord' has no argument 'connections'"),
    Verdict(
      "mutation { a @deleteEdge(connections: []) @deleteRecord }",
      "doc:1:43: '@deleteRecord' stands beside '@deleteEdge'; a field has one"),
    Verdict(
      "mutation ($c: [ID]) { a @deleteEdge(connections: $c) }",
      "doc:1:50: $c is of type [ID], but [ID!]! is asked for"),
    Verdict(
      "subscription S { a b }",
      "doc:1:1: a subscription has one root field; this has 2: a, b"),
    Verdict(
      "subscription S { a ...F } fragment F on S { ... { b: a } }",
      "doc:1:1: a subscription has one root field; this has 2: a, b"),
    Verdict(
      "subscription S { __typename }",
      "doc:1:18: a subscription's root field can't be '__typename'"),
    Verdict(
      "subscription S($a: Boolean!) { b @skip(if: $a) }",
      "doc:1:32: '@include' and '@skip' can't stand at a subscription's root"),
    Verdict(
      "query Q($a: Int = \"x\") { b }",
      "doc:1:19: expected a value of type Int, found a string"),
    Verdict(
      "query Q($a: [Boolean!] = [true, null]) { b }", "doc:1:33: Boolean! does not take null"),
  ])
  func `what needs no schema to be wrong is reported without one`(_ verdict: Verdict) {
    #expect(Self.found(verdict.text, nil) == verdict.diagnostics)
  }

  @Test(arguments: [
    Verdict(
      "{ shelve { id } }",
      "doc:1:3: 'Query' has no field 'shelve'; did you mean 'shelf'?"),
    Verdict(
      "{ search(text: \"\") { id } }",
      "doc:1:22: 'Result' has no field 'id'; a union's fields are asked for in fragments on "
        + "its members"),
    Verdict(
      "{ shelf { id __schema { __typename } } }",
      "doc:1:14: 'Shelf' has no field '__schema'"),
    Verdict("{ node(id: 1) { id title } }", "doc:1:20: 'Node' has no field 'title'"),
    Verdict("{ shelf }", "doc:1:3: 'shelf' is of type Shelf and needs a selection of its fields"),
    Verdict("{ shelf { id { x } } }", "doc:1:14: 'id' is of type ID! and has no fields to select"),
    Verdict("{ node { id } }", "doc:1:3: 'node' needs the argument 'id' of type ID!"),
    Verdict(
      "{ node(id: 1, ix: 2) { id } }",
      "doc:1:15: 'node' has no argument 'ix'"),
    Verdict("{ node(id: null) { id } }", "doc:1:12: ID! does not take null"),
    Verdict("{ node(id: 1.5) { id } }", "doc:1:12: expected a value of type ID!, found 1.5"),
    Verdict(
      "{ nodes(ids: [1, [2]]) { id } }",
      "doc:1:18: expected a value of type ID!, found a list"),
    Verdict(
      "{ search(text: BOOK) { __typename } }",
      "doc:1:16: expected a value of type String!, found the enum value BOOK"),
    Verdict(
      "{ search(text: \"\", first: 3000000000) { __typename } }",
      "doc:1:27: 3000000000 does not fit Int's 32 bits"),
    Verdict(
      "{ search(text: \"\", first: true) { __typename } }",
      "doc:1:27: expected a value of type Int, found true"),
    Verdict(
      "{ matrix(kind: \"BOOK\") }", "doc:1:16: expected a value of type Kind, found a string"),
    Verdict(
      "{ matrix(kind: BOOKS) }",
      "doc:1:16: the enum Kind has no value 'BOOKS'; did you mean 'BOOK'?"),
    Verdict(
      "{ matrix(at: 99999999999999999999) }",
      "doc:1:14: 99999999999999999999 does not fit 64 bits"),
    Verdict(
      "{ search(text: \"\", filter: {}) { __typename } }",
      "doc:1:28: Filter asks for the field 'price'"),
    Verdict(
      "{ search(text: \"\", filter: {price: 1, deep: {price: 2, kid: 1}}) { __typename } }",
      "doc:1:56: the input object Filter has no field 'kid'; did you mean 'kind'?"),
    Verdict(
      "{ search(text: \"\", filter: 1) { __typename } }",
      "doc:1:28: expected a value of type Filter, found 1"),
    Verdict("{ pick(one: {}) { id } }", "doc:1:13: Pick takes exactly one field, and not null"),
    Verdict(
      "{ pick(one: {id: 1, name: \"\"}) { id } }",
      "doc:1:13: Pick takes exactly one field, and not null"),
    Verdict(
      "{ pick(one: {id: null}) { id } }",
      "doc:1:13: Pick takes exactly one field, and not null"),
    Verdict(
      "query Q($i: ID) { pick(one: {id: $i}) { id } }",
      "doc:1:34: $i must be non-null to be a field of a @oneOf input object"),
    Verdict(
      "query Q($b: Boook) { shelf { id } }",
      "doc:1:13: there is no type 'Boook'; did you mean 'Book'?"),
    Verdict(
      "query Q($b: [Book]) { shelf { id } }",
      "doc:1:14: 'Book' is an object type and can't be a variable's type"),
    Verdict(
      "query Q($i: ID) { node(id: $i) { id } }",
      "doc:1:28: $i is of type ID, but ID! is asked for"),
    Verdict(
      "query Q($i: String!) { node(id: $i) { id } }",
      "doc:1:33: $i is of type String!, but ID! is asked for"),
    Verdict(
      "query Q($i: ID!) { nodes(ids: $i) { id } }",
      "doc:1:31: $i is of type ID!, but [ID!]! is asked for"),
    Verdict(
      "query Q($i: [ID]!) { nodes(ids: $i) { id } }",
      "doc:1:33: $i is of type [ID]!, but [ID!]! is asked for"),
    Verdict(
      "query Q($k: Kind = X) { matrix(kind: $k) }",
      "doc:1:20: the enum Kind has no value 'X'"),
    Verdict(
      "{ shelf { ... on Boook { id } } }",
      "doc:1:18: there is no type 'Boook'; did you mean 'Book'?"),
    Verdict(
      "{ shelf { ... on Kind { id } } }",
      "doc:1:18: 'Kind' is an enum; a fragment is on an object type, an interface or a union"),
    Verdict(
      "{ shelf { ...F } } fragment F on Kin { id }",
      "doc:1:34: there is no type 'Kin'; did you mean 'Kind'?"),
    Verdict(
      "{ shelf { ... on Book { id } } }",
      "doc:1:11: this fragment is on 'Book', which no 'Shelf' can be"),
    Verdict(
      "{ search(text: \"\") { ...F } } fragment F on Robot { serial }",
      "doc:1:22: the fragment 'F' is on 'Robot', which no 'Result' can be"),
    Verdict(
      "mutation { addBook(title: \"\") @appendNode(connections: [], "
        + "edgeTypeName: \"Edg\") { cursor } }",
      "doc:1:74: there is no type 'Edg'; did you mean 'Edge'?"),
    Verdict(
      "mutation { addBook(title: \"\") @prependNode(connections: [], "
        + "edgeTypeName: \"Node\") { cursor } }",
      "doc:1:75: 'Node' is an interface; an edge is of an object type"),
    Verdict("{ __type { name } }", "doc:1:3: '__type' needs the argument 'name' of type String!"),
  ])
  func `what the schema does not allow is reported where it stands`(_ verdict: Verdict) throws {
    #expect(Self.found(verdict.text, try schema(library)) == verdict.diagnostics)
  }

  @Test func `a directive is checked by its definition and left alone without one`() throws {
    let schema = try schema(
      """
      type Query { a: Int }
      directive @cost(weight: Int!, tags: [String]) repeatable on FIELD
      """)
    #expect(
      Self.found("{ a @cost(weight: 1) @cost(weight: 2) @mine(x: {y: [Z]}) @mine }", schema) == [])
    #expect(
      Self.found("query Q @cost(weight: 1) { a @cost(wait: 1, tags: 2) }", schema) == [
        "doc:1:9: '@cost' can't stand here",
        "doc:1:30: '@cost' needs the argument 'weight' of type Int!",
        "doc:1:36: '@cost' has no argument 'wait'",
        "doc:1:51: expected a value of type String, found 2",
      ])
  }

  @Test func `a schema without the operation's root type is said so`() throws {
    #expect(
      Self.found("mutation { a }", try schema("type Query { a: Int }"))
        == ["doc:1:1: the schema has no mutation type"])
  }

  @Test func `all findings of an operation and its fragments come at once`() throws {
    let text = """
      query Q($a: X) {
        one
        shelf { id ...F }
      }
      fragment F on Shelf { two books(first: "") { edges } }
      """
    #expect(
      Self.found(text, try schema(library)) == [
        "doc:1:13: there is no type 'X'", "doc:2:3: 'Query' has no field 'one'",
        "doc:5:23: 'Shelf' has no field 'two'",
        "doc:5:40: expected a value of type Int, found a string",
        "doc:5:46: 'edges' is of type [Edge] and needs a selection of its fields",
      ])
  }

  @Test func `an operation that can't be chosen is reported with those there are`() throws {
    let many = try document("query A { a } query B { b } fragment F on T { c }")
    #expect(
      diagnostics { () throws(DiagnosticsError) in _ = try many.plan() }
        == ["doc:1:1: the document has 2 operations; one must be named: A, B"])
    #expect(
      diagnostics { () throws(DiagnosticsError) in _ = try many.plan(operation: "C") }
        == ["doc:1:1: the document has no operation 'C'; it has A, B"])
    #expect(
      diagnostics { () throws(DiagnosticsError) in _ = try many.plan(fragment: "G") }
        == ["doc:1:1: the document has no fragment 'G'; it has F"])
    let none = try document("fragment F on T { c }")
    #expect(
      diagnostics { () throws(DiagnosticsError) in _ = try none.plan() }
        == ["doc:1:1: the document has no operation"])
  }
}
