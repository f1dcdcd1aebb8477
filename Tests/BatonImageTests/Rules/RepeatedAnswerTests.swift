import BatonImage
import BatonPlan
import Testing

/// An answer that comes once more, byte for byte, is known by its bytes, and for as long as nothing
/// it came to has changed. What that saves must not be seen from outside (R3, R4).
@Suite(.timeLimit(.minutes(60))) struct RepeatedAnswerTests {
  static let ids = RefreshTests.ids(["A", "B"])
  static let answer = RefreshTests.response([
    RefreshTests.issue("A", "one"), RefreshTests.issue("B", "two"),
  ])
  static let exported = #""title": "one""#

  /// What happens to an image between an answer and its repetition.
  struct Change: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var make: @Sendable (TestImage) throws -> Void

    init(_ name: String, _ make: @escaping @Sendable (TestImage) throws -> Void) {
      testDescription = name
      self.make = make
    }

    static func writing(
      _ name: String, _ body: @escaping @Sendable (inout ImageEditor) throws(ImageError) -> Void
    ) -> Change {
      Change(name) { image in _ = try image.image.write(named: name, body) }
    }
  }

  static let changes = [
    Change("another answer to the same ids") { image in
      try image.commit(
        RefreshTests.response([RefreshTests.issue("A", "other"), "null"]), of: Hub.refresh, ids)
    },
    Change("an answer under an error") { image in
      try image.commit(
        #"{"data":{"nodes":[{"__typename":"Issue","id":"A","title":null},null]},"#
          + #""errors":[{"path":["nodes",0,"title"],"message":"no"}]}"#, of: Hub.refresh, ids)
    },
    .writing("a field set") { editor throws(ImageError) in
      try editor.set("title", to: .string("mine"), on: editor.record("A", type: "Issue"))
    },
    .writing("a field cleared") { editor throws(ImageError) in
      try editor.clear("title", of: editor.record("A", type: "Issue"))
    },
    .writing("a record deleted") { editor throws(ImageError) in
      try editor.delete(editor.record("A", type: "Issue"))
    },
    Change("a record forgotten") { image in try image.image.forget(id: "A") },
    Change("everything removed") { image in _ = try image.image.removeAll() },
    Change("another launch") { image in try image.reopen() },
    Change("a write by another handle") { image in
      let other = try Image.open(path: image.path, options: image.options)
      try other.write(named: "other") { editor throws(ImageError) in
        try editor.set("title", to: .string("theirs"), on: editor.record("A", type: "Issue"))
      }
    },
  ]

  @Test(arguments: changes) func `after a change the same answer is committed as at first`(
    _ change: Change
  ) throws {
    let image = try TestImage()
    let fresh = try TestImage()
    for target in [image, fresh] {
      try target.commit(Self.answer, of: Hub.refresh, Self.ids)
      #expect(try target.commit(Self.answer, of: Hub.refresh, Self.ids).pagesWritten == 0)
      try change.make(target)
    }
    let outcome = try image.commit(Self.answer, of: Hub.refresh, Self.ids)
    // The same data in other bytes, which nobody can have met.
    let expected = try fresh.commit(Self.answer + " ", of: Hub.refresh, Self.ids)
    #expect(outcome.recordsChanged == expected.recordsChanged)
    #expect(outcome.recordsCreated == expected.recordsCreated)
    #expect(outcome.recordsUnchanged == expected.recordsUnchanged)
    #expect(outcome.fieldsChanged == expected.fieldsChanged)
    #expect(outcome.ids == expected.ids)
    #expect(try image.export() == fresh.export())
    #expect(try #require(try image.record("A")).contains(Self.exported))
    try image.expectSound()
  }

  @Test func `an answer that is known counts as one that was compared`() throws {
    let image = try TestImage()
    let first = try image.commit(Self.answer, of: Hub.refresh, Self.ids)
    let known = try image.commit(Self.answer, of: Hub.refresh, Self.ids)
    let compared = try image.commit(Self.answer + " ", of: Hub.refresh, Self.ids)
    #expect(known == compared)
    #expect(known.commit == first.commit)
    #expect(known.recordsUnchanged == first.recordsCreated)
    #expect(known.pagesWritten == 0)
  }

  @Test func `what changes elsewhere does not make an answer unknown, and is kept`() throws {
    let image = try TestImage()
    try image.commit(Self.answer, of: Hub.refresh, Self.ids)
    try image.commit(
      RefreshTests.response([RefreshTests.issue("C", "three")]), of: Hub.refresh,
      RefreshTests.ids(["C"]))
    let outcome = try image.commit(Self.answer, of: Hub.refresh, Self.ids)
    #expect(outcome.pagesWritten == 0)
    #expect(outcome.recordsUnchanged == 2)
    #expect(try #require(try image.record("C")).contains("three"))
  }

  @Test func `the same bytes are another answer to other ids`() throws {
    let image = try TestImage()
    try image.commit(Self.answer, of: Hub.refresh, Self.ids)
    let turned = try image.commit(Self.answer, of: Hub.refresh, RefreshTests.ids(["B", "A"]))
    #expect(turned.ids?.map(\.asked) == ["B", "A"])
    #expect(turned.ids?.map(\.id) == ["A", "B"])
  }

  @Test func `a known answer that has no list of ids says so again`() throws {
    let schema = try schema(
      """
      interface Node { id: ID! }
      type Query { nodes(ids: [ID!]!): [Node]! title: String }
      type Item implements Node { id: ID! }
      """)
    let plan = try plan(
      """
      query Nodes($ids: [ID!]!, $skips: Boolean!) {
        title nodes(ids: $ids) @skip(if: $skips) { __typename id }
      }
      """, schema)
    let image = try TestImage()
    func commit(_ answer: String, _ ids: [String], skips: Bool) throws -> [String]? {
      let variables: Variables = [
        "ids": .list(ids.map { .string($0) }), "skips": .boolean(skips),
      ]
      let bytes = Array(answer.utf8)
      return try image.image.commit(bytes.span, of: plan, variables: variables).ids?.map(\.asked)
    }
    let item = #"{"__typename":"Item","id":"A"}"#
    for _ in 0..<3 {
      #expect(try commit(#"{"data":{"title":"t"}}"#, ["A"], skips: true) == nil)
      #expect(try commit(#"{"data":{"title":"t"}}"#, [], skips: true) == nil)
      #expect(try commit(#"{"data":{"title":"t","nodes":[]}}"#, [], skips: false) == [])
      #expect(
        try commit(#"{"data":{"title":"t","nodes":[\#(item)]}}"#, ["A"], skips: false) == ["A"])
    }
  }

  @Test func `the same bytes are another answer under other variables`() throws {
    let schema = try schema(
      """
      type Query { items(filter: Filter, first: Int, order: Order): [Item] }
      input Filter { a: Int b: [String] c: Boolean d: Float }
      enum Order { UP DOWN }
      type Item { id: ID! }
      """)
    let plan = try plan(
      """
      query Items($filter: Filter, $first: Int, $order: Order) {
        items(filter: $filter, first: $first, order: $order) { id }
      }
      """, schema)
    func filter(_ members: Value.Member...) -> Variables { ["filter": .object(members)] }
    let all: [Variables] = [
      [:], ["first": .int(1)], ["first": .int(2)], ["first": .int(1), "order": .enumeration("UP")],
      ["order": .enumeration("UP")], ["order": .enumeration("DOWN")], filter(.init("a", .int(1))),
      filter(.init("a", .int(2))), filter(.init("d", .float(1.5))), filter(.init("b", .list([]))),
      filter(.init("b", .list([.string("x"), .string("y")]))),
      filter(.init("b", .list([.string("xy")]))), filter(.init("b", .list([.string("x")]))),
      filter(.init("c", .boolean(true))), filter(.init("c", .boolean(false))),
      filter(.init("c", .boolean(false)), .init("a", .int(1))),
    ]
    let image = try TestImage()
    let answer = Array(#"{"data":{"items":[{"id":"A"}]}}"#.utf8)
    func commit(_ variables: Variables) throws -> CommitOutcome {
      try image.image.commit(answer.span, of: plan, variables: variables)
    }
    for variables in all { #expect(try commit(variables).fieldsChanged > 0, "\(variables)") }
    for variables in all.reversed() {
      #expect(try commit(variables).pagesWritten == 0, "\(variables)")
    }
  }

  @Test func `a known answer ends the misses of its ids`() throws {
    let image = try TestImage()
    let nothing = RefreshTests.response(["null", "null"])
    try image.commit(Self.answer, of: Hub.refresh, Self.ids)
    try image.commit(nothing, of: Hub.refresh, Self.ids)
    #expect(try image.misses(of: "A") == 1)
    try image.commit(Self.answer, of: Hub.refresh, Self.ids)
    #expect(try image.misses(of: "A") == nil)
    #expect(try image.misses(of: "B") == nil)
  }

  @Test func `an answer with errors is counted each time`() throws {
    let image = try TestImage()
    let response = RefreshTests.response(
      [RefreshTests.issue("A", "one"), "null"], errors: [(1, "NOT_FOUND")])
    for count in 1...3 {
      let outcome = try image.commit(response, of: Hub.refresh, Self.ids)
      #expect(outcome.errors.map(\.code) == ["NOT_FOUND"])
      #expect(try image.misses(of: "B") == count)
    }
  }
}
