import BatonImage
import BatonPlan
import Testing

/// Records of more fields than a row holds behave as any other.
@Suite(.timeLimit(.minutes(60))) struct SpillTests {
  static func fields(_ range: some Sequence<Int>) -> String {
    range.map { "f\($0): body(limit: \($0))" }.joined(separator: " ")
  }

  static func members(_ range: some Sequence<Int>, _ text: String) -> String {
    range.map { #""f\#($0)":"\#(text)\#($0)""# }.joined(separator: ",")
  }

  static func issue(_ range: some Sequence<Int>) throws -> Plan {
    try Hub.plan("{ issue { id \(fields(range)) } }")
  }

  @Test(arguments: [62, 63, 64, 65, 127, 200])
  func `a record of any number of fields is written, read and left alone`(_ count: Int) throws {
    let image = try TestImage()
    let plan = try Self.issue(0..<count)
    let response = #"{"data":{"issue":{"id":"A",\#(Self.members(0..<count, "a"))}}}"#
    let first = try image.commit(response, of: plan)
    #expect(first.fieldsChanged == count + 2)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: #"{"issue":{"id":"A",\#(Self.members(0..<count, "a"))}}"#)
    }
    try image.expectSound()
    let before = try image.bytes()
    let again = try image.commit(response, of: plan)
    #expect(again.fieldsChanged == 0)
    #expect(try image.bytes() == before)
  }

  @Test func `fields come one commit at a time, in any order, and change in both places`() throws {
    let image = try TestImage()
    let order = (0..<150).map { $0 * 67 % 150 }
    for number in order {
      try image.commit(
        #"{"data":{"issue":{"id":"A",\#(Self.members([number], "a"))}}}"#,
        of: Self.issue([number]))
    }
    let odd = stride(from: 1, to: 150, by: 2)
    let outcome = try image.commit(
      #"{"data":{"issue":{"id":"A",\#(Self.members(odd, "b"))}}}"#, of: Self.issue(odd))
    #expect(outcome.fieldsChanged == 75)
    #expect(outcome.recordsChanged == 1)
    try image.beforeAndAfterReopening { image in
      for number in order {
        let text = number % 2 == 0 ? "a" : "b"
        try image.expect(
          Self.issue([number]), reads: #"{"issue":{"id":"A",\#(Self.members([number], text))}}"#)
      }
    }
    try image.expectSound()
  }

  @Test func `nulls, errors and last good values live outside of the row too`() throws {
    let image = try TestImage()
    let plan = try Self.issue(0..<100)
    try image.commit(
      #"{"data":{"issue":{"id":"A",\#(Self.members(0..<100, "a"))}}}"#, of: plan)
    let nulls = (90..<100).map { #""f\#($0)":null"# }.joined(separator: ",")
    let errors = (95..<100).map { #"{"message":"m\#($0)","path":["issue","f\#($0)"]}"# }
    for turn in 0..<2 {
      let outcome = try image.commit(
        #"{"data":{"issue":{"id":"A",\#(nulls)}},"errors":[\#(errors.joined(separator: ","))]}"#,
        of: plan)
      #expect(outcome.fieldsChanged == (turn == 0 ? 10 : 0))
      try image.beforeAndAfterReopening { image in
        let reading = try image.read(plan)
        #expect(reading.data == #"{"issue":{"id":"A",\#(Self.members(0..<90, "a")),\#(nulls)}}"#)
        #expect(reading.errors == (95..<100).map { "issue.f\($0): m\($0)" })
        let line = try #require(try image.record("A"))
        #expect(line.contains(#""__stale": {"body(limit:95)": "a95", "body(limit:96)": "a96""#))
      }
    }
    try image.expectSound()
    try image.commit(
      #"{"data":{"issue":{"id":"A",\#(Self.members(90..<100, "b"))}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      let reading = try image.read(plan)
      #expect(reading.errors == [])
      #expect(
        reading.data
          == #"{"issue":{"id":"A",\#(Self.members(0..<90, "a")),\#(Self.members(90..<100, "b"))}}"#)
    }
  }

  @Test func `the root of five thousand searches answers each`() throws {
    let image = try TestImage()
    let count = 5_000
    for start in stride(from: 0, to: count, by: 500) {
      let fields = (start..<start + 500).map {
        "s\($0): subject(number: \($0)) { __typename ... on Issue { id } }"
      }
      let members = (start..<start + 500).map {
        #""s\#($0)":{"__typename":"Issue","id":"I\#($0 % 100)"}"#
      }
      try image.commit(
        #"{"data":{\#(members.joined(separator: ","))}}"#,
        of: Hub.plan("{ \(fields.joined(separator: " ")) }"))
    }
    try image.beforeAndAfterReopening { image in
      for number in stride(from: 0, to: count, by: 331) {
        try image.expect(
          Hub.plan("{ subject(number: \(number)) { __typename ... on Issue { id } } }"),
          reads: #"{"subject":{"__typename":"Issue","id":"I\#(number % 100)"}}"#)
        #expect(try image.resolve("subject(number:\(number))") == "I\(number % 100)")
      }
    }
    try image.expectSound()
  }

  @Test func `a key is superseded when the field that bore its argument lies outside of the row`()
    throws
  {
    let image = try TestImage()
    let fields = (0..<100).map { "f\($0): body(limit: \($0))" }.joined(separator: " ")
    let plan = try Hub.plan(
      "{ repository(owner: \"o\", name: \"w\") { id issue(number: 7) { id \(fields) number title } } }"
    )
    func response(_ number: Int, _ title: String) -> String {
      """
      {"data":{"repository":{"id":"R","issue":{"id":"I",\(Self.members(0..<100, "a")),
      "number":\(number),"title":"\(title)"}}}}
      """
    }
    try image.commit(response(7, "t"), of: plan)
    let key = #"repository(owner:"o",name:"w")/issue(number:7)"#
    // Only a field outside of the row changes, and no argument.
    try image.commit(
      #"{"data":{"nodes":[{"__typename":"Issue","id":"I","title":"u"}]}}"#, of: Hub.refresh,
      #"{"ids":["I"]}"#)
    try image.expect(naturalKeys: [key: "I"])
    try image.expectSound()
    try image.commit(
      #"{"data":{"nodes":[{"__typename":"Issue","id":"I","number":40}]}}"#, of: Hub.refresh,
      #"{"ids":["I"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        key: nil, #"repository(owner:"o",name:"w")/issue(number:40)"#: "I",
      ])
    }
    try image.expectSound()
  }

  @Test func `text of every script is a name, an argument, an id and a value`() throws {
    let image = try TestImage()
    let texts = ["é", "e\u{301}", "日本語", "العربية", "😀👩‍👩‍👧", "\u{200B}", "Ω≈ç√", "𝔘𝔫𝔦"]
    for text in texts {
      let plan = try plan(
        "query Q($t: String) { search(text: $t, \(Self.name(text)): 1) { id title } }", nil)
      try image.commit(
        #"{"data":{"search":{"id":"id\#(text)","title":"\#(text)"}}}"#, of: plan,
        #"{"t":"\#(text)"}"#)
    }
    try image.beforeAndAfterReopening { image in
      for text in texts {
        let plan = try plan(
          "query Q($t: String) { search(text: $t, \(Self.name(text)): 1) { id title } }", nil)
        try image.expect(
          plan, #"{"t":"\#(text)"}"#,
          reads: #"{"search":{"id":"id\#(text)","title":"\#(text)"}}"#)
        #expect(
          try image.resolve(#"search(\#(Self.name(text)):1,text:"\#(text)")"#) == "id" + text)
      }
      #expect(try image.keys().count == texts.count + 3)
    }
    try image.expectSound()
  }

  /// A name of GraphQL's letters that tells the texts apart.
  private static func name(_ text: String) -> String {
    "a" + text.utf8.map { String($0, radix: 16) }.joined()
  }
}
