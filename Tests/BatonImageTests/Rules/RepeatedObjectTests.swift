import BatonImage
import BatonPlan
import TestSupport
import Testing

/// An object that comes again word for word is passed without being read. What that saves must not
/// be seen: the last answer of a response counts (R3), under errors too.
@Suite(.timeLimit(.minutes(60))) struct RepeatedObjectTests {
  static let schemaText = """
    interface Node { id: ID! }
    type Query { issues: [Issue] }
    type Issue implements Node {
      id: ID! title: String author: User reviewer: User labels: [Label]
    }
    type User implements Node { id: ID! login: String age: Int note: String }
    type Label implements Node { id: ID! name: String issue: Issue }
    """

  static func issues() throws -> Plan {
    try plan(
      """
      query Issues {
        issues {
          id title author { id login age note } reviewer { id login: note age note: login }
          labels { id name issue { id title } }
        }
      }
      """, schema(schemaText))
  }

  private static func response(_ authors: [String]) -> String {
    let issues = authors.enumerated().map { #"{"id":"I\#($0)","title":"t","author":\#($1)}"# }
    return #"{"data":{"issues":[\#(issues.joined(separator: ","))]}}"#
  }

  @Test func `of a value, another, and the first again the first stays`() throws {
    let image = try TestImage()
    let old = #"{"id":"U","login":"old","age":1,"note":null}"#
    let new = #"{"id":"U","login":"new","age":1,"note":null}"#
    try image.commit(Self.response([old, new, old]), of: Self.issues())
    try image.expect(
      record: "U", #"{"__typename": "User", "age": 1, "id": "U", "login": "old", "note": null}"#)
    try image.commit(Self.response([old, old, new]), of: Self.issues())
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: "U", #"{"__typename": "User", "age": 1, "id": "U", "login": "new", "note": null}"#)
    }
  }

  @Test func `a text is another under another selection, whatever came between`() throws {
    let image = try TestImage()
    func user(_ login: String, _ note: String) -> String {
      #"{"id":"U","login":"\#(login)","age":1,"note":"\#(note)"}"#
    }
    // The reviewer's selection has the names of the two fields the other way round.
    let (text, other) = (user("a", "b"), user("c", "d"))
    let issues = [(text, text), (other, text), (text, other)].enumerated().map {
      #"{"id":"I\#($0)","title":"t","author":\#($1.0),"reviewer":\#($1.1)}"#
    }
    try image.commit(
      #"{"data":{"issues":[\#(issues.joined(separator: ","))]}}"#, of: Self.issues())
    try image.expect(
      record: "U", #"{"__typename": "User", "age": 1, "id": "U", "login": "d", "note": "c"}"#)
  }

  @Test func `a repetition that an error is about is read`() throws {
    let image = try TestImage()
    let author = #"{"id":"U","login":"a","age":1,"note":null}"#
    let response = String(Self.response([author, author]).dropLast())
    let errors = #","errors":[{"message":"no","path":["issues",1,"author","note"]}]}"#
    try image.commit(response + errors, of: Self.issues())
    try image.expect(
      record: "U",
      #"{"__typename": "User", "age": 1, "id": "U", "login": "a", "note": null, "#
        + #""__errors": {"note": {"message": "no", "path": "issues.1.author.note"}}, "#
        + #""__stale": {"note": null}}"#)
  }

  @Test func `an object with objects below is read again, as those may have changed between`()
    throws
  {
    let image = try TestImage()
    func label(_ title: String) -> String {
      #"{"id":"L","name":"n","issue":{"id":"X","title":"\#(title)"}}"#
    }
    let issues = ["one", "two", "one"].enumerated().map {
      #"{"id":"I\#($0)","title":"t","labels":[\#(label($1))]}"#
    }
    try image.commit(
      #"{"data":{"issues":[\#(issues.joined(separator: ","))]}}"#, of: Self.issues())
    try image.expect(record: "X", #"{"__typename": "Issue", "id": "X", "title": "one"}"#)
  }

  /// Responses of few records with few values, so that objects come again: beside each the same
  /// response with spaces in every object that no other has, which nothing takes for the same.
  @Test(arguments: 0..<8)
  func `a response leaves what it would if no object came twice`(_ round: Int) throws {
    var generator = SeededGenerator()
    let plan = try Self.issues()
    let (image, spaced) = (try TestImage(), try TestImage())
    for _ in 0..<40 {
      var texts = ResponseTexts()
      texts.make(using: &generator)
      try image.commit(texts.plain, of: plan)
      try spaced.commit(texts.spaced, of: plan)
      let (found, expected) = (try image.export(), try spaced.export())
      #expect(found == expected, "\(texts.plain)")
    }
    try image.expectSound()
  }
}

/// A response, and one that says the same in other bytes.
private struct ResponseTexts {
  var plain = ""
  var spaced = ""
  private var objects = 0

  private mutating func append(_ text: String) {
    plain += text
    spaced += text
  }

  private mutating func beginObject() {
    objects += 1
    append("{")
    spaced += String(repeating: " ", count: objects)
  }

  mutating func make(using generator: inout SeededGenerator) {
    append(#"{"data":{"issues":["#)
    let count = Int.random(in: 1...12, using: &generator)
    for index in 0..<count {
      if index > 0 { append(",") }
      beginObject()
      append(#""id":"I\#(Int.random(in: 0..<4, using: &generator))","title":"#)
      append(text(using: &generator))
      append(#","author":"#)
      author(using: &generator)
      append(#","reviewer":"#)
      author(using: &generator)
      append(#","labels":["#)
      for label in 0..<Int.random(in: 0..<3, using: &generator) {
        if label > 0 { append(",") }
        beginObject()
        append(#""id":"L\#(Int.random(in: 0..<3, using: &generator))","name":"#)
        append(text(using: &generator))
        if generator.oneIn(2) {
          append(#","issue":"#)
          beginObject()
          append(#""id":"I\#(Int.random(in: 0..<4, using: &generator))","title":"#)
          append(text(using: &generator) + "}")
        }
        append("}")
      }
      append("]}")
    }
    append("]}")
    if generator.oneIn(3) {
      let place = Int.random(in: 0..<count, using: &generator)
      append(#","errors":[{"message":"no","path":["issues",\#(place),"author","note"]}]"#)
    }
    append("}")
  }

  private mutating func author(using generator: inout SeededGenerator) {
    beginObject()
    append(#""id":"U\#(Int.random(in: 0..<2, using: &generator))""#)
    append(#","login":"# + text(using: &generator))
    if generator.oneIn(2) { append(#","age":\#(Int.random(in: -1...200, using: &generator))"#) }
    append(#","note":null}"#)
  }

  private func text(using generator: inout SeededGenerator) -> String {
    [#""a""#, #""quite another text""#, #""\u00e9\n""#, "null"]
      .randomElement(using: &generator) ?? "null"
  }
}
