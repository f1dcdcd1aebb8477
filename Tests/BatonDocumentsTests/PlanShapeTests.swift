import BatonDocuments
import BatonPlan
import Testing

/// What a plan says of selections, types and fragments.
@Suite struct PlanShapeTests {
  @Test func `an operation without a schema has the names and shapes the document gives`() throws {
    let plan = try plan("query Q { one: a { __typename b } c }")
    #expect(plan.name == "Q")
    #expect(plan.kind == .query)
    #expect(plan.rootType == TypeReference("Query", isAbstract: false))
    #expect(plan.typeSystem == nil)
    #expect(plan.field("one")?.name == "a")
    #expect(plan.field("one")?.type == .composite(.unknown, listDepth: nil))
    #expect(plan.field("one", "b")?.type == .leaf(.unknown, listDepth: nil))
    #expect(plan.field("one", "__typename")?.type == .leaf(.string, isNullable: false))
    #expect(plan.field("c")?.selection == nil)
  }

  @Test(arguments: [
    ("{ a }", Plan.Kind.query, "Query", ""), ("query { a }", .query, "Query", ""),
    ("mutation M { a }", .mutation, "Mutation", "M"),
    ("subscription S { a }", .subscription, "Subscription", "S"),
  ])
  func `an operation's root is called as the store calls it`(
    _ text: String, _ kind: Plan.Kind, _ root: String, _ name: String
  ) throws {
    let plan = try plan(text)
    #expect(plan.kind == kind)
    #expect(plan.rootType.name == root)
    #expect(plan.name == name)
  }

  @Test func `the schema's types become the fields' types`() throws {
    let plan = try plan(
      """
      { shelf { id books { edges { node { title kind price at } } } }
        search(text: "") { __typename } matrix nodes(ids: []) { id } }
      """, try schema(library))
    #expect(plan.field("shelf")?.type == .composite(TypeReference("Shelf", isAbstract: false)))
    #expect(plan.field("shelf", "id")?.type == .leaf(.id, isNullable: false))
    let node = ["title", "kind", "price", "at"].map {
      plan.field("shelf", "books", "edges", "node", $0)?.type
    }
    #expect(
      node == [
        .leaf(.string, isNullable: false), .leaf(.enumeration), .leaf(.float), .leaf(.custom),
      ])
    #expect(
      plan.field("search")?.type
        == .composite(TypeReference("Result", isAbstract: true), listDepth: 1))
    #expect(plan.field("matrix")?.type == .leaf(.int, listDepth: 2))
    #expect(
      plan.field("nodes")?.type
        == .composite(TypeReference("Node", isAbstract: true), listDepth: 1, isNullable: false))
  }

  @Test func `a fragment is compiled once however often it is spread`() throws {
    let plan = try plan(
      """
      { a { ...F } b { ...F ...G } }
      fragment F on T { x { ...G } }
      fragment G on T { y }
      """)
    let first = try #require(plan.refinements("a").first)
    #expect(plan.refinements("b").map(\.fragmentName) == ["F", "G"])
    #expect(plan.refinements("b")[0].selection == first.selection)
    #expect(plan.refinements("b")[1].selection == plan.refinements("a", "x")[0].selection)
    #expect(plan.selections.count == 6)
  }

  @Test func `a condition is kept unless the schema promises that it holds`() throws {
    let schema = try schema(library)
    let plan = try plan(
      """
      { search(text: "") { ...on Book { a: title } ... on Named { name } ... on Node { id }
          ... on Result { __typename } ... { __typename } ...B }
        shelf { ... on Node { id } ...S } }
      fragment B on Book { id ... on Named { name } }
      fragment S on Shelf { id }
      """, schema)
    #expect(
      plan.refinements("search").map(\.typeCondition) == [
        TypeCondition("Book", isAbstract: false), TypeCondition("Named", isAbstract: true),
        TypeCondition("Node", isAbstract: true), nil, nil,
        TypeCondition("Book", isAbstract: false),
      ])
    #expect(plan.refinements("shelf").map(\.typeCondition) == [nil, nil])
    let book = plan.refinements("search")[5]
    #expect(plan.refinements(in: book.selection).map(\.typeCondition) == [nil])
  }

  @Test func `without a schema a condition is kept but where it must hold`() throws {
    let plan = try plan(
      """
      { ... on QueryRoot { a { ... on T { x ... on T { y } ... on U { z } } } } ...R }
      fragment R on QueryRoot { b }
      """)
    #expect(plan.refinements().map(\.typeCondition) == [nil, nil])
    let outer = plan.refinements("a")[0]
    #expect(outer.typeCondition == TypeCondition("T", isAbstract: nil))
    let inner = plan.refinements(in: outer.selection).map(\.typeCondition)
    #expect(inner == [nil, TypeCondition("U", isAbstract: nil)])
  }

  @Test func `a fragment's plan has the type of its condition at the root`() throws {
    let document = try document(
      "fragment A on Node { id ...B } fragment B on Book { title } fragment C on Query { shelf { id } }"
    )
    let schema = try schema(library)
    let plan = try document.plan(fragment: "A", schema: schema)
    #expect(plan.kind == .fragment)
    #expect(plan.name == "A")
    #expect(plan.rootType == TypeReference("Node", isAbstract: true))
    #expect(plan.selections[0].items.count == 2)
    #expect(plan.refinements()[0].fragmentName == "B")
    #expect(plan.refinements()[0].typeCondition == TypeCondition("Book", isAbstract: false))
    let untyped = try document.plan(fragment: "A")
    #expect(untyped.rootType == TypeReference("Node", isAbstract: nil))
    #expect(
      try document.plan(fragment: "C", schema: schema).rootType
        == TypeReference("Query", isAbstract: false))
  }

  @Test func `root types keep the store's names whatever the schema calls them`() throws {
    let schema = try schema(
      """
      schema { query: Root mutation: Writes subscription: Events }
      interface Entry { again: Root }
      type Root implements Entry { again: Root any: [Entry] }
      type Writes { undo: Root redo: Writes }
      type Events { root: Root }
      """)
    let document = try document(
      """
      query Q { again { again { __typename } } any { ... on Root { again { __typename } } } }
      mutation M { redo { undo { __typename } } }
      subscription S { root { __typename } }
      fragment F on Root { again { ... on Entry { __typename } } }
      """)
    let query = try document.plan(operation: "Q", schema: schema)
    #expect(query.rootType == TypeReference("Query", isAbstract: false))
    #expect(query.field("again")?.type == .composite(TypeReference("Query", isAbstract: false)))
    #expect(query.refinements("any")[0].typeCondition == TypeCondition("Query", isAbstract: false))
    let mutation = try document.plan(operation: "M", schema: schema)
    #expect(mutation.rootType.name == "Mutation")
    #expect(
      mutation.field("redo")?.type == .composite(TypeReference("Mutation", isAbstract: false)))
    #expect(
      try document.plan(operation: "S", schema: schema).rootType.name == "Subscription")
    #expect(try document.plan(fragment: "F", schema: schema).rootType.name == "Query")
    #expect(schema.typeSystem.possibleTypes["Entry"] == ["Query"])
    #expect(schema.typeSystem.objectTypes.isSuperset(of: ["Query", "Mutation", "Subscription"]))
    #expect(schema.typeSystem.objectTypes.isDisjoint(with: ["Root", "Writes", "Events"]))
  }

  @Test func `all plans of a schema share its type system`() throws {
    let schema = try schema(library)
    let one = try plan("{ shelf { id } }", schema)
    let two = try plan("{ matrix }", schema)
    #expect(one.typeSystem === two.typeSystem)
    #expect(one.typeSystem === schema.typeSystem)
    let types = schema.typeSystem
    #expect(types.possibleTypes["Node"] == ["Shelf", "Book"])
    #expect(types.possibleTypes["Result"] == ["Book", "Person"])
    #expect(types.satisfies("Book", "Named") == true)
    #expect(types.satisfies("Robot", "Named") == false)
    #expect(types.satisfies("Kind", "Named") == nil)
  }

  @Test func `what a client extension adds is the client's`() throws {
    let schema = try schema(
      library,
      client: """
        extend type Book { isPinned: Boolean by: Draft }
        type Draft implements Node { id: ID! text: String of: Book }
        extend type Query { drafts: [Draft] }
        extend interface Node { seen: Boolean }
        extend union Result = Draft
        extend enum Kind { DRAFT }
        extend input Filter { local: Int }
        """)
    let plan = try plan(
      """
      { drafts { text of { title isPinned } } node(id: 1) { id seen }
        search(text: "", filter: {price: 1, kind: DRAFT, local: 2}) { ... on Draft { id } } }
      """, schema)
    #expect(plan.field("drafts")?.isClientField == true)
    #expect(plan.field("drafts", "text")?.isClientField == true)
    #expect(plan.field("drafts", "of", "title")?.isClientField == false)
    #expect(plan.field("drafts", "of", "isPinned")?.isClientField == true)
    #expect(plan.field("node")?.isClientField == false)
    #expect(plan.field("node", "seen")?.isClientField == true)
    #expect(schema.typeSystem.possibleTypes["Node"]?.contains("Draft") == true)
    #expect(schema.typeSystem.possibleTypes["Result"]?.contains("Draft") == true)
  }

  @Test func `introspection is answered at the query's root`() throws {
    let plan = try plan(
      """
      { __schema { types { name fields(includeDeprecated: true) { name } } }
        __type(name: "Book") { kind ofType { name } } __typename }
      """, try schema(library))
    #expect(plan.field("__schema", "types", "name")?.type == .leaf(.string))
    #expect(plan.field("__type")?.type == .composite(TypeReference("__Type", isAbstract: false)))
  }

  @Test func `the operations and fragments of a document are named in order`() throws {
    let document = try document(
      "query B { a } fragment Z on T { a } mutation A { a } fragment Y on T { a }")
    #expect(document.operationNames == ["B", "A"])
    #expect(document.fragmentNames == ["Z", "Y"])
    #expect(try document.plan(operation: "A").kind == .mutation)
    #expect(try plan("{ a }").name.isEmpty)
  }
}
