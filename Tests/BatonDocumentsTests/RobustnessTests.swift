import BatonDocuments
import BatonPlan
import Testing

/// No input traps, hangs or exhausts the stack: it compiles or says why not.
@Suite(.timeLimit(.minutes(60))) struct RobustnessTests {
  /// A document with about everything in it.
  static let rich = #"""
    # A comment, "quoted"
    "An operation" query Rich("A variable" $id: ID! = "1", $text: String!, $f: Filter = {price: 1e0
      kind: PAPER, ids: [1, "2"], deep: {price: -2.5}}, $more: Boolean! = true, $n: Float!) @tag(x: [{y: null}]) {
      node(id: $id) { __typename id ...B @defer(label: "L", if: $more) ... on Shelf @include(if: $more) {
        books(first: 10, after: "\u{1F600}\uD83D\uDE00\n\"", filter: {price: 3}) @connection(key: "K_books"
          filters: ["filter"]) { edges { cursor node { again: title } } } } }
      search(text: $text, filter: $f) { ... on Named { name(upper: true) } ...P @skip(if: false) }
      matrix(rows: [[1.0], [2, $n]], at: """
        a block
          \""" string
        """, kind: PAPER) @include(if: $more)
    }
    mutation Add($c: [ID!]!) { addBook(title: "") @prependEdge(connections: $c) { node { id } } }
    subscription Added { bookAdded(shelf: null) { cursor } }
    fragment B on Book { id title kind price at } fragment P on Person { age }
    """#

  /// Compiles all there is in a document, with and without a schema.
  static func compile(_ bytes: [UInt8], _ schema: Schema) {
    expectDiagnostics { () throws(DiagnosticsError) in
      let document = try Document(Source(name: "doc", bytes: bytes))
      for schema in [schema, nil] {
        for name in document.operationNames {
          expectDiagnostics { () throws(DiagnosticsError) in
            _ = try document.plan(operation: name, schema: schema)
          }
        }
        for name in document.fragmentNames {
          expectDiagnostics { () throws(DiagnosticsError) in
            _ = try document.plan(fragment: name, schema: schema)
          }
        }
      }
    }
  }

  /// Runs `work`; what it throws must be a sound set of diagnostics.
  static func expectDiagnostics(_ work: () throws(DiagnosticsError) -> Void) {
    do throws(DiagnosticsError) {
      try work()
    } catch {
      let isSound = error.diagnostics.allSatisfy {
        $0.line >= 1 && $0.column >= 1 && !$0.message.isEmpty
      }
      if !isSound || error.diagnostics.isEmpty { Issue.record("unsound: \(error)") }
    }
  }

  @Test func `the document to be damaged is sound`() throws {
    let document = try document(Self.rich)
    for schema in [try schema(library), nil] {
      for name in document.operationNames {
        #expect(throws: Never.self) { try document.plan(operation: name, schema: schema) }
      }
      for name in document.fragmentNames {
        #expect(throws: Never.self) { try document.plan(fragment: name, schema: schema) }
      }
    }
  }

  @Test func `every prefix of a document compiles or is diagnosed`() throws {
    let schema = try schema(library)
    let bytes = Array(Self.rich.utf8)
    for count in 0...bytes.count { Self.compile(Array(bytes.prefix(count)), schema) }
  }

  @Test func `every prefix of a schema builds or is diagnosed`() {
    let bytes = Array(library.utf8)
    for count in 0...bytes.count {
      Self.expectDiagnostics { () throws(DiagnosticsError) in
        _ = try Schema(sources: [Source(name: "schema", bytes: Array(bytes.prefix(count)))])
      }
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a document damaged at random compiles or is diagnosed`(_ seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let schema = try schema(library)
    for _ in 0..<150 {
      Self.compile(Self.damage(Array(Self.rich.utf8), &generator), schema)
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a schema damaged at random builds or is diagnosed`(_ seed: UInt64) {
    var generator = Generator(seed: seed)
    for _ in 0..<150 {
      let bytes = Self.damage(Array(library.utf8), &generator)
      Self.expectDiagnostics { () throws(DiagnosticsError) in
        let schema = try Schema(sources: [Source(name: "schema", bytes: bytes)])
        _ = try Document(Source(name: "doc", text: Self.rich))
          .plan(operation: "Rich", schema: schema)
      }
    }
  }

  /// Changes, moves, removes and repeats bytes and stretches of them.
  static func damage(_ bytes: [UInt8], _ generator: inout Generator) -> [UInt8] {
    var bytes = bytes
    for _ in 0...generator.below(3) {
      let at = generator.below(bytes.count)
      let end = min(bytes.count, at + 1 + generator.below(20))
      let stretch = Array(bytes[at..<end])
      switch generator.below(6) {
      case 0: bytes[at] = UInt8(truncatingIfNeeded: generator.next())
      case 1: bytes[at] = Array("{}()[]!$&:=@|\"\\.#,\n\r0-e_".utf8)[generator.below(24)]
      case 2: bytes.removeSubrange(at..<end)
      case 3: bytes.insert(contentsOf: stretch, at: generator.below(bytes.count))
      case 4: bytes[at] ^= 1 << UInt8(generator.below(8))
      default: bytes.replaceSubrange(at..<end, with: stretch.reversed())
      }
      if bytes.isEmpty { bytes = [0] }
    }
    return bytes
  }

  @Test(arguments: [
    ("{ a ", "{ b }"), ("{ a(b: [", "]"), ("{ a(b: {c: ", "}"), ("{ a(b: [{c: ", "}]"),
    ("query ($v: [", "]"), ("{ ... ", "{ b }"), ("{ ... on T { a ", "}"), ("{ a @b(c: [", "]"),
    ("type A { b(c: Int = [", "]"), ("type A { b: [", "]"), ("\"\"\"\\", "\"\"\""),
  ])
  func `nesting too deep for the stack is refused`(_ open: String, _ close: String) {
    for depth in [90, 101, 100_000] {
      let text = String(repeating: open, count: depth) + String(repeating: close, count: depth)
      let head = open.firstIndex { "[{".contains($0) } ?? open.startIndex
      let nested =
        open[..<head] + String(repeating: String(open[head...]), count: depth)
        + String(repeating: close, count: depth)
      for text in [text, String(nested)] {
        Self.expectDiagnostics { () throws(DiagnosticsError) in _ = try document(text).plan() }
        Self.expectDiagnostics { () throws(DiagnosticsError) in _ = try schema(text) }
      }
    }
  }

  @Test func `what nests as deep as allowed compiles and one more does not`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "{ a ", count: depth) + String(repeating: "}", count: depth)
    }
    #expect(try plan(nested(100)).selections.count == 100)
    #expect(
      DocumentDiagnosticsTests.found(nested(101), nil)
        == ["doc:1:401: nested deeper than 100 levels"])
    let list = String(repeating: "[", count: 61) + "Int" + String(repeating: "]", count: 61)
    #expect(
      DocumentDiagnosticsTests.found("query ($v: \(list)) { a }", nil)
        == ["doc:1:12: a list nested deeper than 60 levels"])
  }

  @Test func `a chain of many fragments costs no stack`() throws {
    let count = 20_000
    var text = "{ a { ...F0 } }\n"
    for index in 0..<count { text += "fragment F\(index) on T { a { ...F\(index + 1) } }\n" }
    text += "fragment F\(count) on T { b }"
    #expect(try plan(text).selections.count == 2 * count + 3)
  }

  @Test func `fragments that double at every step are compiled and checked once each`() throws {
    var text = "{ ...F0 }\n"
    for index in 0..<60 {
      text += "fragment F\(index) on T { a { ...F\(index + 1) } b { ...F\(index + 1) } }\n"
    }
    text += "fragment F60 on T { c }"
    #expect(try plan(text).selections.count == 182)
  }

  @Test func `fragments that overlap in every combination are given up on`() {
    // The path to a set of selections decides which are in it: as many sets as there are subsets.
    let levels = 24
    var text = "{ ...F0_0 }\n"
    for level in 0..<levels {
      for step in 0...level {
        let next = step == 0 ? "...F\(level + 1)_0" : ""
        let spread = "...F\(level + 1)_\(step + 1)"
        text += "fragment F\(level)_\(step) on T { a { \(next) \(spread) } "
        text += "b { \(step == 0 ? next : spread) } }\n"
      }
    }
    for step in 0...levels { text += "fragment F\(levels)_\(step) on T { c }\n" }
    #expect(
      DocumentDiagnosticsTests.found(text, nil)
        == ["doc:1:1: the fragments overlap in too many ways to be checked"])
  }

  @Test func `an endless number of findings is cut off`() throws {
    let text = "{" + String(repeating: " f(a: $v)", count: 5_000) + "}"
    #expect(DocumentDiagnosticsTests.found(text, nil).count == 1000)
    let fields = (0..<5_000).map { "nam\($0): nam\($0)" }.joined(separator: " ")
    #expect(DocumentDiagnosticsTests.found("{ \(fields) }", try schema(library)).count == 1000)
  }
}
