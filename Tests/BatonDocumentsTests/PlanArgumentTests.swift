import BatonDocuments
import BatonPlan
import Testing

/// How arguments and variables are kept.
@Suite struct PlanArgumentTests {
  static func arguments(_ text: String, _ schema: Schema? = nil) throws -> [PlanArgument] {
    let plan = try plan(text, schema)
    guard case .field(let field) = plan.selections[0].items.first else { return [] }
    return field.arguments
  }

  @Test func `arguments are sorted by name and a null is left out`() throws {
    let arguments = try Self.arguments("{ f(b: 1, A: 2, c: null, a: [null], _: {x: null}) }")
    #expect(
      arguments == [
        PlanArgument("A", .constant(.int(2))),
        PlanArgument("_", .constant(.object([.init("x", .null)]))),
        PlanArgument("a", .constant(.list([.null]))),
        PlanArgument("b", .constant(.int(1))),
      ])
  }

  @Test func `values without a schema stay as they are written`() throws {
    let arguments = try Self.arguments(
      "{ f(a: 5, b: 5.0, c: \"5\", d: OPEN, e: true, f: {y: 1, x: [2]}) }")
    #expect(
      arguments.map(\.value) == [
        .constant(.int(5)), .constant(.float(5)), .constant(.string("5")),
        .constant(.enumeration("OPEN")), .constant(.boolean(true)),
        .constant(.object([.init("y", .int(1)), .init("x", .list([.int(2)]))])),
      ])
    #expect(arguments.allSatisfy { $0.leaf == .unknown && $0.defaultValue == nil })
  }

  @Test func `a variable inside a list or object makes a template of it`() throws {
    let arguments = try Self.arguments(
      "query ($a: Int, $b: Int) { f(l: [1, $a], o: {x: {y: $b}, z: 2}, v: $a) }")
    #expect(
      arguments.map(\.value) == [
        .list([.constant(.int(1)), .variable("a")]),
        .object([
          .init("x", .object([.init("y", .variable("b"))])), .init("z", .constant(.int(2))),
        ]),
        .variable("a"),
      ])
  }

  @Test func `literals take the form of the schema's types`() throws {
    let schema = try schema(library)
    #expect(
      try Self.arguments("{ node(id: 5) { id } }", schema)
        == [PlanArgument("id", .constant(.string("5")), leaf: .id)])
    #expect(
      try Self.arguments("{ nodes(ids: 7) { id } }", schema)
        == [PlanArgument("ids", .constant(.list([.string("7")])), leaf: .id)])
    #expect(
      try Self.arguments("{ matrix(rows: [[1, 2.5], 3], at: 4, kind: PAPER) }", schema) == [
        PlanArgument("at", .constant(.int(4)), leaf: .custom),
        PlanArgument(
          "kind", .constant(.enumeration("PAPER")), leaf: .enumeration,
          defaultValue: .enumeration("BOOK")),
        PlanArgument(
          "rows", .constant(.list([.list([.float(1), .float(2.5)]), .list([.float(3)])])),
          leaf: .float),
      ])
    #expect(
      try Self.arguments(
        "query ($p: Float!, $i: ID!) { search(text: \"\", filter: {price: $p, ids: [$i, 2]}) "
          + "{ __typename } }", schema
      ).first?.value
        == .object([
          .init("price", .variable("p")),
          .init("ids", .list([.variable("i"), .constant(.string("2"))])),
        ]))
    #expect(
      try Self.arguments("{ matrix(at: {any: [\"thing\", X, 1.0, true]}) }", schema).first?.value
        == .constant(
          .object([
            .init(
              "any", .list([.string("thing"), .enumeration("X"), .float(1), .boolean(true)]))
          ])))
  }

  @Test func `an integer beyond 64 bits is an id or a float where those are asked for`() throws {
    let digits = "123456789012345678901234567890"
    let schema = try schema(library)
    #expect(
      try Self.arguments("{ node(id: \(digits)) { id } }", schema).first?.value
        == .constant(.string(digits)))
    #expect(
      try Self.arguments("{ matrix(rows: \(digits)) }", schema).first?.value
        == .constant(.list([.list([.float(1.2345678901234568e29)])])))
  }

  @Test func `a literal equal to the schema's default is left out`() throws {
    let schema = try schema(
      """
      type Query { f(n: Int! = 10, x: Float = 1, k: In = {a: 1, b: [2]}, s: [ID] = 3): Int }
      input In { a: Float b: [ID] }
      """)
    #expect(
      try Self.arguments("{ f(n: 10, x: 1.0, k: {b: 2, a: 1.0}, s: [\"3\"]) }", schema).isEmpty)
    #expect(
      try Self.arguments("{ f(n: 1, k: {b: 2}) }", schema) == [
        PlanArgument(
          "k", .constant(.object([.init("b", .list([.string("2")]))])),
          defaultValue: .object([.init("a", .float(1)), .init("b", .list([.string("2")]))])),
        PlanArgument("n", .constant(.int(1)), leaf: .int, defaultValue: .int(10)),
      ])
    #expect(
      try Self.arguments("query ($n: Int) { f(n: $n) }", schema)
        == [PlanArgument("n", .variable("n"), leaf: .int, defaultValue: .int(10))])
  }

  @Test func `variables keep their types as written and what their names say`() throws {
    let text = """
      query ($a: [ ID ! ] !, $b: Int = 1, $c: Kind = PAPER, $d: Filter, $e: Float = 2,
        $f: [ID] = 5, $g: Stamp, $h: String = "x", $i: Boolean! = true, $j: Int = null) { shelf { id } }
      """
    let expected: [VariableDefinition] = [
      .init("a", type: "[ID!]!", leaf: .id),
      .init("b", type: "Int", leaf: .int, defaultValue: .int(1)),
      .init("c", type: "Kind", leaf: .enumeration, defaultValue: .enumeration("PAPER")),
      .init("d", type: "Filter"), .init("e", type: "Float", leaf: .float, defaultValue: .float(2)),
      .init("f", type: "[ID]", leaf: .id, defaultValue: .list([.string("5")])),
      .init("g", type: "Stamp", leaf: .custom),
      .init("h", type: "String", leaf: .string, defaultValue: .string("x")),
      .init("i", type: "Boolean!", leaf: .boolean, defaultValue: .boolean(true)),
      .init("j", type: "Int", leaf: .int, defaultValue: .null),
    ]
    #expect(try plan(text, try schema(library)).variables == expected)
    var untyped = expected
    untyped[2].leaf = .unknown
    untyped[6].leaf = .unknown
    #expect(try plan(text).variables == untyped)
  }

  @Test(arguments: [
    "query ($i: ID! = 1) { node(id: $i) { id } }", "query ($i: ID = 1) { node(id: $i) { id } }",
    "query ($i: [ID!]!) { nodes(ids: $i) { id } }",
    "query ($i: Int!) { search(text: \"\", first: $i) { __typename } }",
    "query ($r: [[Float!]!]!) { matrix(rows: $r) }",
    "query ($k: Kind) { search(text: \"\", filter: {price: 1, kind: $k}) { __typename } }",
    "query ($i: ID!) { pick(one: {id: $i}) { id } }",
  ])
  func `a variable may stand where its type, or a default, allows`(_ text: String) throws {
    #expect(DocumentDiagnosticsTests.found(text, try schema(library)) == [])
  }

  @Test func `a fragment's variables are those it uses, typed by the schema`() throws {
    let document = try document(
      """
      fragment A on Query {
        node(id: $id) { id }
        shelf @include(if: $more) { ...B }
        search(text: $text, first: $first, filter: {price: $price}) { __typename }
        again: node(id: $text2) { id }
      }
      fragment B on Shelf { books(first: $first, after: $text2) { edges @skip(if: $less) { cursor } } }
      """)
    let variables = try document.plan(fragment: "A", schema: try schema(library)).variables
    #expect(
      variables == [
        .init("id", type: "ID!", leaf: .id), .init("more", type: "Boolean!", leaf: .boolean),
        .init("text", type: "String!", leaf: .string), .init("first", type: "Int", leaf: .int),
        .init("price", type: "Float!", leaf: .float), .init("text2", type: "ID!", leaf: .id),
        .init("less", type: "Boolean!", leaf: .boolean),
      ])
    let untyped = try document.plan(fragment: "A").variables
    #expect(untyped.map(\.name) == variables.map(\.name))
    #expect(untyped.map(\.type) == ["", "Boolean!", "", "", "", "", "Boolean!"])
    #expect(untyped.allSatisfy { $0.leaf == .unknown || $0.leaf == .boolean })
  }
}
