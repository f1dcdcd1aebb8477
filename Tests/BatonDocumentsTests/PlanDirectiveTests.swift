import BatonDocuments
import BatonPlan
import Testing

/// The directives that plans are made of.
@Suite struct PlanDirectiveTests {
  @Test func `include and skip become conditions of fields and fragments`() throws {
    let plan = try plan(
      """
      query ($a: Boolean!, $b: Boolean! = false) {
        x @include(if: $a) @skip(if: $b)
        y @skip(if: true) @include(if: false)
        ... @include(if: $b) { z }
        ...F @skip(if: $a)
      }
      fragment F on T { w }
      """)
    #expect(
      plan.field("x")?.conditions == [
        Condition(variable: "a", wanted: true), Condition(variable: "b", wanted: false),
      ])
    #expect(
      plan.field("y")?.conditions == [
        Condition(literal: true, wanted: false), Condition(literal: false, wanted: true),
      ])
    #expect(
      plan.refinements().map(\.conditions) == [
        [Condition(variable: "b", wanted: true)], [Condition(variable: "a", wanted: false)],
      ])
    #expect(plan.conditionVariables == ["a", "b"])
  }

  @Test(
    arguments: [
      ("", nil), ("@defer", ""), ("@defer(label: \"L\")", "L"), ("@defer(if: true)", ""),
      ("@defer(if: false)", nil), ("@defer(if: false, label: \"L\")", nil),
      ("@defer(label: \"L\", if: $d)", "L"), ("@defer(if: null)", ""),
    ] as [(String, String?)])
  func `a fragment is deferred unless a literal says no`(
    _ directive: String, _ label: String?
  ) throws {
    let plan = try plan(
      """
      query ($d: Boolean) { u(d: $d) ...F \(directive) ... on T \(directive) { b } }
      fragment F on T { a }
      """)
    #expect(plan.refinements().map(\.deferLabel) == [label, label])
  }

  @Test(arguments: [
    ("key: \"F_a\"", ConnectionDirective(key: "F_a")),
    ("key: \"F_a\", filters: null", ConnectionDirective(key: "F_a")),
    ("key: \"F_a\", filters: []", ConnectionDirective(key: "F_a", filters: [])),
    ("filters: [\"b\", \"c\"], key: \"k\"", ConnectionDirective(key: "k", filters: ["b", "c"])),
    ("key: \"k\", handler: \"other\"", ConnectionDirective(key: "k")),
  ])
  func `a connection has its key and filters`(
    _ arguments: String, _ connection: ConnectionDirective
  ) throws {
    let plan = try plan("{ a @connection(\(arguments)) { edges { cursor } } }")
    #expect(plan.field("a")?.connection == connection)
  }

  @Test(
    arguments: [
      ("@appendEdge(connections: $c)", EditDirective.Kind.appendEdge, true, nil),
      ("@prependEdge(connections: $c)", .prependEdge, true, nil),
      ("@appendNode(connections: $c, edgeTypeName: \"E\")", .appendNode, true, "E"),
      ("@prependNode(edgeTypeName: \"E\", connections: $c)", .prependNode, true, "E"),
      ("@deleteEdge(connections: $c)", .deleteEdge, true, nil),
      ("@deleteRecord @skip(if: true)", .deleteRecord, false, nil),
    ] as [(String, EditDirective.Kind, Bool, String?)])
  func `an edge or record directive has its connections and edge type`(
    _ directive: String, _ kind: EditDirective.Kind, _ hasConnections: Bool, _ edge: String?
  ) throws {
    let plan = try plan("mutation ($c: [ID!]!) { u(c: $c) a \(directive) }")
    let edit = try #require(plan.field("a")?.edit)
    #expect(edit.kind == kind)
    #expect(edit.connections == (hasConnections ? .variable("c") : nil))
    #expect(edit.edgeTypeName == edge)
    #expect(plan.field("u")?.edit == nil)
  }

  @Test func `connections may be literals, with variables among them`() throws {
    let plan = try plan(
      "mutation ($c: ID!) { a @deleteEdge(connections: [\"x\", $c]) b @deleteEdge(connections: \"y\") }"
    )
    #expect(
      plan.field("a")?.edit?.connections == .list([.constant(.string("x")), .variable("c")]))
    #expect(plan.field("b")?.edit?.connections == .constant(.list([.string("y")])))
  }

  @Test func `a fragment's directives give its variables their types`() throws {
    let document = try document(
      """
      fragment F on T {
        a @appendNode(connections: $c, edgeTypeName: "E") { b }
        ... @defer(if: $d) { e @mine(x: $m) }
      }
      """)
    #expect(
      try document.plan(fragment: "F").variables == [
        .init("c", type: "[ID!]!", leaf: .id), .init("d", type: "Boolean", leaf: .boolean),
        .init("m", type: ""),
      ])
  }
}
