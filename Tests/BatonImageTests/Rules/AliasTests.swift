import BatonImage
import BatonPlan
import Testing

/// An id that is answered with another one is a second name of one record (R5).
@Suite(.timeLimit(.minutes(60))) struct AliasTests {
  static let old = "MDU6SXNzdWUwMQ=="
  static let new = "I_synA"

  /// How the service says that an id was replaced.
  enum Sign: CaseIterable, Sendable {
    /// The answer at the asked position has another id.
    case position
    /// A warning names both.
    case warning
    case both
  }

  /// Which of the two ids the image knows records of before.
  enum Known: CaseIterable, Sendable {
    case none, old, new, oldThenNew, newThenOld

    var ids: [String] {
      switch self {
      case .none: []
      case .old: [AliasTests.old]
      case .new: [AliasTests.new]
      case .oldThenNew: [AliasTests.old, AliasTests.new]
      case .newThenOld: [AliasTests.new, AliasTests.old]
      }
    }
  }

  static func warnings(_ pairs: [(String, String)]) -> String {
    let list = pairs.map {
      """
      {"type":"DEPRECATION","message":"m","data":{"legacy_global_id":"\($0.0)",
      "next_global_id":"\($0.1)"},"link":"https://example.test"}
      """
    }
    return #","extensions":{"warnings":[\#(list.joined(separator: ","))]}"#
  }

  /// The answer to a refresh of the old id.
  static func answer(_ sign: Sign, title: String = "t1") -> String {
    let warning = sign == .position ? "" : warnings([(old, new)])
    return """
      {"data":{"nodes":[{"__typename":"Issue","id":"\(new)","title":"\(title)"}]}\(warning)}
      """
  }

  /// What was asked: a warning alone comes with an answer at no asked position.
  static func asked(_ sign: Sign) -> String {
    sign == .warning ? #"{"ids":["\#(new)"]}"# : #"{"ids":["\#(old)"]}"#
  }

  static let titles = try! Hub.plan(
    "query Q($ids: [ID!]!) { nodes(ids: $ids) { id ... on Issue { title } } }")
  static let states = try! Hub.plan(
    "query Q($ids: [ID!]!) { nodes(ids: $ids) { ... on Issue { title state number } } }")

  @Test(.tags(.S12), arguments: Sign.allCases, Known.allCases)
  func `a replaced id ends in one record, by whatever sign and whichever came first`(
    _ sign: Sign, _ known: Known
  ) throws {
    let image = try TestImage()
    let single = try Hub.issue("title")
    for id in known.ids {
      try image.commit(#"{"data":{"issue":{"id":"\#(id)","title":"t0"}}}"#, of: single)
      try image.reopen()
    }
    let outcome = try image.commit(Self.answer(sign), of: Hub.refresh, Self.asked(sign))
    #expect(outcome.ids?.map(\.status) == [.ok])
    #expect(outcome.ids?.map(\.id) == [Self.new])
    #expect(outcome.aliases == [.init(from: Self.old, to: Self.new)])
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: [Self.new])
      for id in [Self.old, Self.new] {
        try image.expect(
          Self.titles, #"{"ids":["\#(id)"]}"#,
          reads: #"{"nodes":[{"id":"I_synA","title":"t1"}]}"#)
        try image.expect(
          record: id, #"{"__typename": "Issue", "id": "I_synA", "title": "t1"}"#)
      }
      if !known.ids.isEmpty {
        try image.expect(single, reads: #"{"issue":{"id":"I_synA","title":"t1"}}"#)
      }
    }
    try image.expectSound()
  }

  @Test(.tags(.S12), arguments: Sign.allCases)
  func `links, lists and natural keys that led to the old id lead to the record`(
    _ sign: Sign
  ) throws {
    let image = try TestImage()
    try image.commit(
      """
      {"data":{"repository":{"id":"R","nameWithOwner":"octo-org/widgets","subject":
      {"__typename":"Issue","id":"\(Self.old)","number":7,"title":"t0"}}}}
      """, of: Hub.discover, #"{"owner":"octo-org","name":"widgets","number":7}"#)
    let list = try Hub.plan("{ recent { id title } board { id title } issue { id title } }")
    try image.commit(
      """
      {"data":{"recent":[{"id":"X","title":"x"},{"id":"\(Self.old)","title":"t0"}],
      "board":[[{"id":"\(Self.old)","title":"t0"}],[]],"issue":{"id":"\(Self.old)","title":"t0"}}}
      """, of: list)
    // The new id is known too, by another key.
    try image.commit(
      """
      {"data":{"repository":{"id":"R","nameWithOwner":"octo-org/gears","subject":
      {"__typename":"Issue","id":"\(Self.new)","number":40,"title":"t0"}}}}
      """, of: Hub.discover, #"{"owner":"octo-org","name":"gears","number":40}"#)
    try image.commit(Self.answer(sign), of: Hub.refresh, Self.asked(sign))
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["I_synA", "R", "X"])
      try image.expect(
        list,
        reads: """
          {"recent":[{"id":"X","title":"x"},{"id":"I_synA","title":"t1"}],\
          "board":[[{"id":"I_synA","title":"t1"}],[]],"issue":{"id":"I_synA","title":"t1"}}
          """)
      try image.expect(naturalKeys: [
        #"repository(owner:"octo-org",name:"widgets")/subject(number:7)"#: Self.new,
        #"repository(owner:"octo-org",name:"gears")/subject(number:40)"#: Self.new,
      ])
    }
    try image.expectSound()
  }

  @Test(.tags(.S12)) func `what only the old record had stays readable, the answer's fields win`()
    throws
  {
    let image = try TestImage()
    let single = try Hub.issue("title state number tags")
    try image.commit(
      #"{"data":{"issue":{"id":"\#(Self.old)","title":"t0","state":"OPEN","tags":["x"]}}}"#,
      of: single)
    try image.commit(
      #"{"data":{"issue":{"id":"\#(Self.new)","title":"n0","number":7,"state":"CLOSED"}}}"#,
      of: single)
    try image.commit(Self.answer(.position), of: Hub.refresh, Self.asked(.position))
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: Self.new,
        """
        {"__typename": "Issue", "id": "I_synA", "number": 7, "state": "CLOSED", \
        "tags": ["x"], "title": "t1"}
        """)
    }
  }

  @Test func `a second refresh by the old id changes nothing`() throws {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"issue":{"id":"\#(Self.old)","title":"t0"}}}"#, of: Hub.issue("title"))
    try image.commit(Self.answer(.both), of: Hub.refresh, Self.asked(.both))
    let before = try image.bytes()
    let again = try image.commit(Self.answer(.both), of: Hub.refresh, Self.asked(.both))
    #expect(again.aliases == [])
    #expect(try image.bytes() == before)
  }

  @Test func `several ids are replaced in one answer`() throws {
    let image = try TestImage()
    let single = try Hub.plan("{ recent { id title } }")
    try image.commit(
      """
      {"data":{"recent":[{"id":"o1","title":"1"},{"id":"n2","title":"2"},{"id":"o3","title":"3"},
      {"id":"n3","title":"33"},{"id":"o4","title":"4"}]}}
      """, of: single)
    let outcome = try image.commit(
      """
      {"data":{"nodes":[{"__typename":"Issue","id":"n1","title":"a"},
      {"__typename":"Issue","id":"n2","title":"b"},{"__typename":"Issue","id":"n3","title":"c"},
      {"__typename":"Issue","id":"o4","title":"d"}]}\(Self.warnings([("o1", "n1"), ("o3", "n3")]))}
      """, of: Hub.refresh, #"{"ids":["o1","o2","o3","o4"]}"#)
    #expect(
      Set(outcome.aliases) == [
        .init(from: "o1", to: "n1"), .init(from: "o2", to: "n2"), .init(from: "o3", to: "n3"),
      ])
    #expect(outcome.aliases.count == 3)
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["n1", "n2", "n3", "o4"])
      try image.expect(
        Self.titles, #"{"ids":["o1","o2","o3","o4","n1","n2","n3"]}"#,
        reads: """
          {"nodes":[{"id":"n1","title":"a"},{"id":"n2","title":"b"},{"id":"n3","title":"c"},\
          {"id":"o4","title":"d"},{"id":"n1","title":"a"},{"id":"n2","title":"b"},\
          {"id":"n3","title":"c"}]}
          """)
    }
    try image.expectSound()
  }

  @Test func `ids of a list are replaced under the scope type too`() throws {
    let image = try TestImage(
      IdentityRules(
        scope: .type, lookups: [Lookup("Query.nodes", type: "Issue", argument: "ids")]))
    func answer(_ ids: [String]) -> String {
      let nodes = ids.map { #"{"__typename":"Issue","id":"\#($0)","title":"\#($0)"}"# }
      return #"{"data":{"nodes":[\#(nodes.joined(separator: ","))]}}"#
    }
    try image.commit(answer(["o1", "n2"]), of: Hub.refresh, #"{"ids":["o1","n2"]}"#)
    // The second and third come in the other order, which replaces nothing.
    let outcome = try image.commit(
      answer(["n1", "n3", "n2"]), of: Hub.refresh, #"{"ids":["o1","n2","n3"]}"#)
    #expect(outcome.aliases == [.init(from: "Issue:o1", to: "Issue:n1")])
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["Issue:n1", "Issue:n2", "Issue:n3"])
      try image.expect(
        Self.titles, #"{"ids":["o1","n1","n2"]}"#,
        reads: """
          {"nodes":[{"id":"n1","title":"n1"},{"id":"n1","title":"n1"},{"id":"n2","title":"n2"}]}
          """)
    }
    try image.expectSound()
  }

  @Test func `an id that is replaced twice keeps all its names`() throws {
    let image = try TestImage()
    let steps = ["a", "b", "c", "d"]
    try image.commit(#"{"data":{"issue":{"id":"a","title":"0"}}}"#, of: Hub.issue("title"))
    for (old, new) in zip(steps, steps.dropFirst()) {
      try image.commit(
        #"{"data":{"nodes":[{"__typename":"Issue","id":"\#(new)","title":"\#(new)"}]}}"#,
        of: Hub.refresh, #"{"ids":["\#(old)"]}"#)
      try image.expectSound()
    }
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["d"])
      for id in steps {
        try image.expect(
          Self.titles, #"{"ids":["\#(id)"]}"#, reads: #"{"nodes":[{"id":"d","title":"d"}]}"#)
      }
    }
    // From the first name to the last at once, and back again.
    try image.commit(
      #"{"data":{"nodes":[{"__typename":"Issue","id":"e","title":"e"}]}}"#, of: Hub.refresh,
      #"{"ids":["a"]}"#)
    try image.expect(keys: ["e"])
    try image.commit(
      #"{"data":{"nodes":[{"__typename":"Issue","id":"a","title":"z"}]}}"#, of: Hub.refresh,
      #"{"ids":["a"]}"#)
    try image.beforeAndAfterReopening { image in
      for id in steps + ["e"] {
        try image.expect(
          Self.states, #"{"ids":["\#(id)"]}"#, reads: #"{"nodes":[{"title":"z"}]}"#,
          missing: ["nodes.0.number", "nodes.0.state"])
      }
    }
    try image.expectSound()
  }

  @Test func `an answer under the old id alone goes to the record of the new one`() throws {
    let image = try TestImage()
    try image.commit(Self.answer(.position), of: Hub.refresh, Self.asked(.position))
    try image.commit(
      #"{"data":{"recent":[{"id":"\#(Self.old)","title":"later"},{"id":"\#(Self.new)","number":7}]}}"#,
      of: Hub.plan("{ recent { id title number } }"))
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["I_synA"])
      let line = try image.record(Self.new)
      #expect(line?.contains(#""title": "later""#) == true)
      #expect(line?.contains(#""number": 7"#) == true)
    }
    try image.expectSound()
  }

  @Test func `both names in one answer before their equality is told end in one record`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      query Q($ids: [ID!]!) {
        recent { id title number }
        nodes(ids: $ids) { __typename id ... on Issue { title state } }
        issue { id title }
      }
      """)
    try image.commit(
      """
      {"data":{"recent":[{"id":"\(Self.old)","title":"r","number":7}],
      "nodes":[{"__typename":"Issue","id":"\(Self.new)","title":"n","state":"OPEN"}],
      "issue":{"id":"\(Self.old)","title":"i"}}}
      """, of: plan, #"{"ids":["\#(Self.old)"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["I_synA"])
      #expect(try image.record(Self.old) == image.record(Self.new))
      let line = try image.record(Self.new)
      #expect(line?.contains(#""number": 7"#) == true)
      #expect(line?.contains(#""state": "OPEN""#) == true)
    }
    try image.expectSound()
  }

  @Test func `a lookup of one id makes an alias too`() throws {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"issue":{"id":"\#(Self.old)","title":"t0"}}}"#, of: Hub.issue("title"))
    let plan = try Hub.plan(
      "query Q($id: ID!) { node(id: $id) { __typename id ... on Issue { title } } }")
    let outcome = try image.commit(
      #"{"data":{"node":{"__typename":"Issue","id":"\#(Self.new)","title":"t1"}}}"#, of: plan,
      #"{"id":"\#(Self.old)"}"#)
    #expect(outcome.aliases == [.init(from: Self.old, to: Self.new)])
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["I_synA"])
      for id in [Self.old, Self.new] {
        try image.expect(
          plan, #"{"id":"\#(id)"}"#,
          reads: #"{"node":{"__typename":"Issue","id":"I_synA","title":"t1"}}"#)
      }
    }
    try image.expectSound()
  }

  @Test func `a lookup answered null is no other record's second name`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("query Q($id: ID!) { node(id: $id) { id } viewer { id login } }")
    let outcome = try image.commit(
      #"{"data":{"node":null,"viewer":{"id":"U","login":"l"}}}"#, of: plan, #"{"id":"A"}"#)
    #expect(outcome.aliases == [])
    try image.expect(keys: ["U"])
    #expect(try image.record("A") == nil)
  }

  @Test func `an answer without an id makes no alias of the next one`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      "query Q($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Issue { id } } }")
    let outcome = try image.commit(
      """
      {"data":{"nodes":[{"__typename":"PullRequest"},{"__typename":"Issue","id":"B"},null]}}
      """, of: plan, #"{"ids":["A","B","C"]}"#)
    #expect(outcome.aliases == [])
    #expect(outcome.ids?.map(\.id) == [nil, "B", nil])
  }

  @Test func `misses of the old id end when the record answers under the new one`() throws {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"nodes":[null]}}"#, of: Hub.refresh, #"{"ids":["\#(Self.old)"]}"#)
    #expect(try image.misses(of: Self.old) == 1)
    try image.commit(Self.answer(.position), of: Hub.refresh, Self.asked(.position))
    #expect(try image.misses(of: Self.old) == nil)
  }

  @Test func `a record deleted under its old name is deleted, and comes back under either`() throws
  {
    let image = try TestImage()
    try image.commit(Self.answer(.position), of: Hub.refresh, Self.asked(.position))
    let delete = try Hub.plan(
      "mutation M($id: ID!) { deleteIssue(id: $id) { deletedId @deleteRecord } }")
    try image.commit(
      #"{"data":{"deleteIssue":{"deletedId":"\#(Self.old)"}}}"#, of: delete,
      #"{"id":"\#(Self.old)"}"#)
    try image.expect(record: Self.new, "null")
    try image.commit(
      #"{"data":{"issue":{"id":"\#(Self.old)","title":"back"}}}"#, of: Hub.issue("title"))
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: Self.new, #"{"__typename": "Issue", "id": "\#(Self.old)", "title": "back"}"#)
    }
    try image.expectSound()
  }

  @Test func `two records of more fields than a row holds become one with all of them`() throws {
    let image = try TestImage()
    func fields(_ range: Range<Int>) -> String {
      range.map { "f\($0): body(limit: \($0))" }.joined(separator: " ")
    }
    func members(_ range: Range<Int>, _ text: String) -> String {
      range.map { #""f\#($0)":"\#(text)\#($0)""# }.joined(separator: ",")
    }
    let low = try Hub.plan("{ issue { id \(fields(0..<120)) } }")
    let high = try Hub.plan("{ issue { id \(fields(80..<200)) } }")
    let all = try Hub.plan(
      "query Q($ids: [ID!]!) { nodes(ids: $ids) { ... on Issue { \(fields(0..<200)) } } }")
    try image.commit(
      #"{"data":{"issue":{"id":"\#(Self.old)",\#(members(0..<120, "o"))}}}"#, of: low)
    try image.commit(
      #"{"data":{"issue":{"id":"\#(Self.new)",\#(members(80..<200, "n"))}}}"#, of: high)
    try image.commit(Self.answer(.position), of: Hub.refresh, Self.asked(.position))
    try image.beforeAndAfterReopening { image in
      for id in [Self.old, Self.new] {
        try image.expect(
          all, #"{"ids":["\#(id)"]}"#,
          reads: #"{"nodes":[{\#(members(0..<80, "o")),\#(members(80..<200, "n"))}]}"#)
      }
    }
    try image.expectSound()
  }

  @Test func `what hung below the old record without an id hangs below the one record`() throws {
    let image = try TestImage()
    let single = try Hub.issue("settings { theme depth inner { theme } } milestone { title }")
    try image.commit(
      """
      {"data":{"issue":{"id":"\(Self.old)","settings":{"theme":"o","depth":1,"inner":{"theme":"i"}},
      "milestone":{"title":"m"}}}}
      """, of: single)
    try image.commit(
      #"{"data":{"issue":{"id":"\#(Self.new)","settings":{"theme":"n"}}}}"#, of: single)
    try image.commit(Self.answer(.position), of: Hub.refresh, Self.asked(.position))
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: [
        "I_synA", "I_synA:milestone", "I_synA:settings", "I_synA:settings:inner",
      ])
      try image.expect(
        single,
        reads: """
          {"issue":{"id":"I_synA","settings":{"theme":"n","depth":1,"inner":{"theme":"i"}},\
          "milestone":{"title":"m"}}}
          """)
    }
    // A part of it that is answered again leaves the rest as it was.
    try image.commit(
      #"{"data":{"issue":{"id":"\#(Self.new)","milestone":{"title":"m2"},"settings":{"depth":2}}}}"#,
      of: single)
    try image.expect(
      single,
      reads: """
        {"issue":{"id":"I_synA","settings":{"theme":"n","depth":2,"inner":{"theme":"i"}},\
        "milestone":{"title":"m2"}}}
        """)
    try image.expectSound()
  }
}
