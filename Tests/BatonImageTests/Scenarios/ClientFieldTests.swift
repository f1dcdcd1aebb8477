import BatonImage
import BatonPlan
import Testing

/// Fields and types that the app adds to the schema for itself (R6).
@Suite(.timeLimit(.minutes(60))) struct ClientFieldTests {
  static let extended = try! schema(
    Hub.text,
    client: """
      extend type Issue { isKept: Boolean draft: Draft }
      type Draft { id: ID! text: String issue: Issue lines: [String] }
      extend type Query { drafts: [Draft] }
      """)

  static func plan(_ text: String) throws -> Plan { try BatonImageTests.plan(text, extended) }

  static let row =
    "{ issue { id title isKept draft { id text issue { title } } } drafts { text lines } }"

  static func draft(_ image: TestImage) throws {
    try image.image.write(named: "drafts") { editor in
      let issue = try editor.record("A", type: "Issue")
      let draft = try editor.record("D", type: "Draft")
      try editor.set("text", to: "hello", on: draft)
      try editor.set("lines", to: ["a", nil], on: draft)
      try editor.set("issue", to: .link(issue), on: draft)
      try editor.set("draft", to: .link(draft), on: issue)
      try editor.set("isKept", to: true, on: issue)
      try editor.set("drafts", to: .links([draft]), on: editor.query)
    }
  }

  @Test func `what the app adds is read beside what was answered, and is never waited for`() throws
  {
    let image = try TestImage()
    let plan = try Self.plan(Self.row)
    try image.commit(#"{"data":{"issue":{"id":"A","title":"t"}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: #"{"issue":{"id":"A","title":"t"}}"#)
    }
    try Self.draft(image)
    let whole = """
      {"issue":{"id":"A","title":"t","isKept":true,"draft":{"id":"D","text":"hello",\
      "issue":{"title":"t"}}},"drafts":[{"text":"hello","lines":["a",null]}]}
      """
    try image.beforeAndAfterReopening { image in try image.expect(plan, reads: whole) }
    // The service answers again and says nothing of them.
    let outcome = try image.commit(#"{"data":{"issue":{"id":"A","title":"t"}}}"#, of: plan)
    #expect(outcome.pagesWritten == 0)
    try image.commit(
      #"{"data":{"nodes":[{"__typename":"Issue","id":"A","title":"t2"}]}}"#, of: Hub.refresh,
      #"{"ids":["A"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: whole.replacing(#""title":"t""#, with: #""title":"t2""#))
    }
    try image.expectSound()
  }

  @Test func `what the app added follows a record to its new id`() throws {
    let image = try TestImage()
    let plan = try Self.plan(Self.row)
    try image.commit(#"{"data":{"issue":{"id":"A","title":"t"}}}"#, of: plan)
    try Self.draft(image)
    try image.commit(
      #"{"data":{"nodes":[{"__typename":"Issue","id":"B","title":"t2"}]}}"#, of: Hub.refresh,
      #"{"ids":["A"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        plan,
        reads: """
          {"issue":{"id":"B","title":"t2","isKept":true,"draft":{"id":"D","text":"hello",\
          "issue":{"title":"t2"}}},"drafts":[{"text":"hello","lines":["a",null]}]}
          """)
    }
    try image.expectSound()
  }
}
