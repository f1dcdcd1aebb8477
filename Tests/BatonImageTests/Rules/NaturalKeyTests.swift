import BatonImage
import BatonPlan
import Testing

/// A natural key, once answered, leads to its id (R5).
@Suite(.timeLimit(.minutes(60))) struct NaturalKeyTests {
  static func answer(
    repository: String = "R", slug: String = "o/w", issue: String = "I", number: Int = 7
  ) -> String {
    """
    {"data":{"repository":{"id":"\(repository)","nameWithOwner":"\(slug)",
    "subject":{"__typename":"Issue","id":"\(issue)","number":\(number),"title":"t"}}}}
    """
  }

  static let variables = #"{"owner":"o","name":"w","number":7}"#
  static let repositoryKey = #"repository(name:"w",owner:"o")"#
  static let issueKey = #"repository(name:"w",owner:"o")/subject(number:7)"#

  @Test func `a key is resolved in a new launch, its arguments in any order`() throws {
    let image = try TestImage()
    try image.commit(Self.answer(), of: Hub.discover, Self.variables)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        Self.repositoryKey: "R", Self.issueKey: "I",
        #"repository(owner:"o",name:"w")"#: "R",
        #" repository ( owner : "o" , name:"w" ) / subject( number : 7 ) "#: "I",
        #"repository(owner:"o",name:"w")/subject(number:8)"#: nil,
        #"repository(owner:"o")"#: nil,
        "subject(number:7)": nil,
        "repository": nil,
      ])
    }
    try image.expectSound()
  }

  @Test func `defaults and nulls name the same key as arguments left out`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      query Q($follow: Boolean) {
        repository(owner: "o", name: "w", followRenames: $follow) { id }
      }
      """)
    try image.commit(#"{"data":{"repository":{"id":"R"}}}"#, of: plan, #"{"follow":true}"#)
    try image.commit(#"{"data":{"repository":{"id":"S"}}}"#, of: plan, #"{"follow":false}"#)
    try image.expect(naturalKeys: [
      Self.repositoryKey: "R", #"repository(name:"w",owner:"o",followRenames:false)"#: "S",
    ])
    try image.commit(#"{"data":{"repository":{"id":"T"}}}"#, of: plan, #"{"follow":null}"#)
    try image.expect(naturalKeys: [Self.repositoryKey: "T"])
  }

  @Test func `a record without an id on the way is no hindrance, one at the end is no key`() throws
  {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      {
        repository(owner: "o", name: "w") {
          issue(number: 7) { id }
          settings { theme }
          labels(first: 1) { id }
        }
      }
      """)
    try image.commit(
      #"{"data":{"repository":{"issue":{"id":"I"},"settings":{"theme":"t"},"labels":[{"id":"L"}]}}}"#,
      of: plan)
    try image.beforeAndAfterReopening { image in
      let names = try image.image.snapshot().otherNames()
      #expect(names.keys.map(\.text) == [#"repository(name:"w",owner:"o")/issue(number:7)"#])
      #expect(names.keys.map(\.id) == ["I"])
    }
  }

  @Test func `fields without arguments, lists, lookups and mutations make no natural key`() throws {
    let image = try TestImage()
    try image.commit(
      """
      {"data":{"viewer":{"id":"U"},"issue":{"id":"A"},"recent":[{"id":"B"}],
      "search":[{"__typename":"Issue","id":"C"}],"node":{"__typename":"Issue","id":"D",
      "repository":{"id":"R","issue":{"id":"E"}}}}}
      """,
      of: Hub.plan(
        """
        {
          viewer { id }
          issue { id }
          recent(since: "2026") { id }
          search(text: "t") { __typename ... on Issue { id } }
          node(id: "D") { __typename id ... on Issue { repository { id issue(number: 1) { id } } } }
        }
        """))
    try image.commit(
      #"{"data":{"rename":{"issue":{"id":"A"}}}}"#,
      of: Hub.plan("mutation M { rename(id: \"A\", title: \"t\") { issue { id } } }"))
    #expect(try image.image.snapshot().otherNames().keys.isEmpty)
  }

  @Test(.tags(.S20)) func `a renamed repository is found by both names, as one record`() throws {
    let image = try TestImage()
    try image.commit(Self.answer(), of: Hub.discover, Self.variables)
    try image.commit(
      Self.answer(), of: Hub.discover, #"{"owner":"o","name":"w-old","number":7}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["I", "R"])
      try image.expect(naturalKeys: [
        Self.repositoryKey: "R", Self.issueKey: "I",
        #"repository(name:"w-old",owner:"o")"#: "R",
        #"repository(name:"w-old",owner:"o")/subject(number:7)"#: "I",
      ])
    }
    try image.expectSound()
  }

  @Test func `a reused name leads to the newer answer, and the older record keeps its other names`()
    throws
  {
    let image = try TestImage()
    try image.commit(Self.answer(), of: Hub.discover, Self.variables)
    try image.commit(
      Self.answer(), of: Hub.discover, #"{"owner":"o","name":"moved","number":7}"#)
    try image.commit(
      Self.answer(repository: "R2", issue: "I2"), of: Hub.discover, Self.variables)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        Self.repositoryKey: "R2", Self.issueKey: "I2",
        #"repository(name:"moved",owner:"o")"#: "R",
        #"repository(name:"moved",owner:"o")/subject(number:7)"#: "I",
      ])
      let snapshot = try image.image.snapshot()
      let number = try #require(try snapshot.number(ofRecord: "R"))
      #expect(try snapshot.naturalKeys(of: number).count == 1)
    }
    try image.expectSound()
  }

  @Test func `a key goes back and forth between two records without leaving traces`() throws {
    let image = try TestImage()
    for turn in 0..<6 {
      try image.commit(
        Self.answer(repository: turn % 2 == 0 ? "R" : "S", issue: turn % 3 == 0 ? "I" : "J"),
        of: Hub.discover, Self.variables)
      try image.expectSound()
    }
    try image.expect(naturalKeys: [Self.repositoryKey: "S", Self.issueKey: "J"])
  }

  /// Answers that lead a key to two records, the last of which are `S` and `J`.
  struct Twofold: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var data: String
    var plan = Hub.discover

    static let aliases = try! Hub.plan(
      """
      query Q($owner: String!, $name: String!, $number: Int!) {
        one: repository(owner: $owner, name: $name) { id subject(number: $number) { ...I } }
        other: repository(owner: $owner, name: $name) { id subject(number: $number) { ...I } }
      }
      fragment I on Issue { id }
      """)

    static let all = [
      Twofold(
        testDescription: "a subject",
        data: """
          {"repository":{"id":"S","subject":{"__typename":"Issue","id":"I"},
          "subject":{"__typename":"Issue","id":"J"}}}
          """),
      Twofold(
        testDescription: "a subject, and the first again",
        data: """
          {"repository":{"id":"S","subject":{"__typename":"Issue","id":"J"},
          "subject":{"__typename":"Issue","id":"I"},"subject":{"__typename":"Issue","id":"J"}}}
          """),
      Twofold(
        testDescription: "a repository",
        data: """
          {"repository":{"id":"R","subject":{"__typename":"Issue","id":"I"}},
          "repository":{"id":"S","subject":{"__typename":"Issue","id":"J"}}}
          """),
      Twofold(
        testDescription: "a repository and null",
        data: """
          {"repository":{"id":"R"},"repository":{"id":"S","subject":{"__typename":"Issue","id":"J"}},
          "repository":null}
          """),
      Twofold(
        testDescription: "a repository by two aliases, the other one first",
        data: """
          {"other":{"id":"R","subject":{"__typename":"Issue","id":"I"}},
          "one":{"id":"S","subject":{"__typename":"Issue","id":"J"}}}
          """, plan: aliases),
    ]
  }

  @Test(arguments: Twofold.all)
  func `of two answers to a key in one response the last counts, and again they write nothing`(
    _ answer: Twofold
  ) throws {
    let image = try TestImage()
    let response = #"{"data":\#(answer.data)}"#
    #expect(try image.commit(response, of: answer.plan, Self.variables).pagesWritten > 0)
    try image.reopen()
    for turn in 0..<2 {
      let again = try image.commit(response, of: answer.plan, Self.variables)
      #expect(again.pagesWritten == 0)
      try image.expect(naturalKeys: [Self.repositoryKey: "S", Self.issueKey: "J"])
      try image.commit(
        Self.answer(repository: "T", slug: "o/t", issue: "K\(turn)"), of: Hub.discover,
        #"{"owner":"o","name":"t","number":7}"#)
    }
    try image.expectSound()
  }

  @Test func `a name whose last answer is the former one keeps the keys below it`() throws {
    let image = try TestImage()
    try image.commit(Self.answer(), of: Hub.discover, Self.variables)
    try image.commit(
      #"{"data":{"repository":{"id":"S"},"repository":{"id":"R"}}}"#,
      of: ReusedNameTests.repository, #"{"name":"w"}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [Self.repositoryKey: "R", Self.issueKey: "I"])
    }
    try image.expectSound()
  }

  @Test func `two subjects that change numbers with one another in one response keep a key each`()
    throws
  {
    let image = try TestImage()
    try image.commit(Self.answer(), of: Hub.discover, Self.variables)
    try image.commit(
      Self.answer(issue: "J", number: 8), of: Hub.discover,
      #"{"owner":"o","name":"w","number":8}"#)
    let response = """
      {"data":{"nodes":[{"__typename":"Issue","id":"I","number":8},
      {"__typename":"Issue","id":"J","number":7}]}}
      """
    try image.commit(response, of: Hub.refresh, #"{"ids":["I","J"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        Self.issueKey: "J", #"repository(name:"w",owner:"o")/subject(number:8)"#: "I",
      ])
    }
    try image.expectSound()
  }

  @Test func `a null answer does not take the key away`() throws {
    let image = try TestImage()
    try image.commit(Self.answer(), of: Hub.discover, Self.variables)
    try image.commit(
      """
      {"data":{"repository":null},
      "errors":[{"type":"NOT_FOUND","message":"m","path":["repository"]}]}
      """, of: Hub.discover, Self.variables)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [Self.repositoryKey: "R", Self.issueKey: "I"])
      try image.expect(
        Hub.discover, Self.variables, reads: #"{"repository":null}"#, errors: ["repository: m"])
    }
  }

  @Test func `a key outlives its record's fields`() throws {
    let image = try TestImage()
    try image.commit(Self.answer(), of: Hub.discover, Self.variables)
    try image.commit(
      #"{"data":{"deleteIssue":{"deletedId":"I"}}}"#,
      of: Hub.plan("mutation M { deleteIssue(id: \"I\") { deletedId @deleteRecord } }"))
    try image.beforeAndAfterReopening { image in
      try image.expect(record: "I", "null")
      try image.expect(naturalKeys: [Self.issueKey: "I"])
    }
    try image.commit(Self.answer(), of: Hub.discover, Self.variables)
    try image.expect(naturalKeys: [Self.issueKey: "I"])
    try image.expectSound()
  }

  @Test(arguments: [
    "a\"b", "a/b", "a)b", "(", "é", "\u{1F4A5}", "a\\b", "line\nbreak", "\u{0}", "",
    String(repeating: "long ", count: 2_000),
  ])
  func `values of any text are part of a key`(_ name: String) throws {
    let image = try TestImage()
    let token = CanonicalJSON.text(of: .string(name))
    try image.commit(
      Self.answer(), of: Hub.discover, #"{"owner":"o","name":\#(token),"number":7}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        #"repository(owner:"o",name:\#(token))"#: "R",
        #"repository(owner:"o",name:\#(token))/subject(number:7)"#: "I",
      ])
    }
    try image.expectSound()
  }

  @Test(arguments: [
    ("", 0), ("(", 0), ("a(", 2), ("a(b", 3), ("a(b:", 4), ("a(b:1", 5), ("a(b:1,b:2)", 8),
    ("a/", 2), ("a b", 2), (#"a(b:"x"#, 6), ("a(b:1e999)", 4), ("1a", 0), (#"a(b:"\x")"#, 6),
    (#"a(b:"\ud800")"#, 11),
  ])
  func `a text that is no key is refused with the byte`(_ text: String, _ offset: Int) throws {
    let image = try TestImage()
    let error = #expect(throws: ImageError.self) { try image.resolve(text) }
    guard case .usage(let message)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(message.contains("byte \(offset):"), "\(message)")
  }

  @Test func `five thousand natural keys are kept, found and put in no single row`() throws {
    let image = try TestImage()
    let count = 5_000
    let batch = 250
    for start in stride(from: 0, to: count, by: batch) {
      let fields = (start..<start + batch).map { "i\($0): issue(number: \($0)) { id }" }
      let plan = try Hub.plan(
        "{ repository(owner: \"o\", name: \"w\") { id \(fields.joined(separator: " ")) } }")
      let members = (start..<start + batch).map { #""i\#($0)":{"id":"I\#($0)"}"# }
      try image.commit(
        #"{"data":{"repository":{"id":"R",\#(members.joined(separator: ","))}}}"#, of: plan)
    }
    try image.beforeAndAfterReopening { image in
      let snapshot = try image.image.snapshot()
      for number in stride(from: 0, to: count, by: 97) {
        let key = #"repository(owner:"o",name:"w")/issue(number:\#(number))"#
        #expect(try snapshot.id(of: key) == "I\(number)")
      }
      let number = try #require(try snapshot.number(ofRecord: "R"))
      if let row = try snapshot.row(number) {
        #expect(row.cellCount == RowLayout.maximumCells)
      } else {
        Issue.record("there is no row")
      }
      #expect(try snapshot.fields(of: number).count == count + 1)
    }
    try image.expectSound()
  }
}
