import BatonImage
import BatonPlan
import Testing

/// S12 for many ids in one answer: every sign with every state that the image can be in.
@Suite(.tags(.S12), .timeLimit(.minutes(60))) struct ReplacedIdsTests {
  typealias Sign = AliasTests.Sign
  typealias Known = AliasTests.Known

  /// One issue that is answered under a new id.
  struct Replaced: Sendable {
    var index: Int
    var sign: Sign
    var known: Known

    var old: String { "old-\(index)" }
    var new: String { "new-\(index)" }
    var asked: String { sign == .warning ? new : old }
    /// The ids the image knows before, the first that came first.
    var ids: [String] { known.ids.map { $0 == AliasTests.old ? old : new } }
    /// The natural key that each of the ids was found by.
    func number(of id: String) -> Int { id == old ? 100 + index : 200 + index }
    func key(of id: String) -> String {
      #"repository(name:"w",owner:"o")/subject(number:\#(number(of: id)))"#
    }
  }

  static let all: [Replaced] = Known.allCases.flatMap { known in
    Sign.allCases.map { (known, $0) }
  }.enumerated().map { Replaced(index: $0, sign: $1.1, known: $1.0) }

  static let links = try! Hub.plan(
    """
    {
      recent { id title }
      board { id title }
      milestone { title issue { id title } }
    }
    """)

  /// What links to the ids that are known.
  static func linked(_ ids: [String], _ title: (String) -> String) -> String {
    let list = ids.map { #"{"id":"\#($0)","title":"\#(title($0))"}"# }
    return """
      {"recent":[\(list.joined(separator: ",null,"))],\
      "board":[[\(list.joined(separator: "],["))],[]],\
      "milestone":{"title":"m","issue":\(list[0])}}
      """
  }

  /// An image that knows the ids by lists, links and numbers, each in a commit of its own.
  static func image(_ subjects: [Replaced]) throws -> TestImage {
    let image = try TestImage()
    for subject in subjects {
      for id in subject.ids {
        try image.commit(
          """
          {"data":{"repository":{"id":"R","nameWithOwner":"o/w","subject":
          {"__typename":"Issue","id":"\(id)","title":"t0"}}}}
          """, of: Hub.discover, #"{"owner":"o","name":"w","number":\#(subject.number(of: id))}"#)
      }
    }
    let ids = subjects.flatMap(\.ids)
    try image.commit(#"{"data":\#(linked(ids, { _ in "t0" }))}"#, of: links)
    // What the one record of each pair has and the other has not.
    for id in ids {
      let only = id.hasPrefix("old") ? #""tags":["\#(id)"]"# : #""isPinned":true"#
      try image.commit(
        #"{"data":{"issue":{"id":"\#(id)",\#(only)}}}"#, of: Hub.issue("tags isPinned"))
    }
    try image.reopen()
    return image
  }

  static func answer(_ subjects: [Replaced]) -> (response: String, variables: String) {
    let nodes = subjects.map {
      #"{"__typename":"Issue","id":"\#($0.new)","title":"t-\#($0.index)"}"#
    }
    let warned = subjects.filter { $0.sign != .position }.map { ($0.old, $0.new) }
    let asked = subjects.map { #""\#($0.asked)""# }
    return (
      #"{"data":{"nodes":[\#(nodes.joined(separator: ","))]}\#(AliasTests.warnings(warned))}"#,
      #"{"ids":[\#(asked.joined(separator: ","))]}"#
    )
  }

  static func check(_ image: TestImage, _ subjects: [Replaced]) throws {
    try image.expect(
      keys: (subjects.map(\.new) + ["R", "client:root:milestone"]).sorted {
        $0.utf8.lexicographicallyPrecedes($1.utf8)
      })
    let titles = Dictionary(
      uniqueKeysWithValues: subjects.flatMap { subject in
        [(subject.old, subject), (subject.new, subject)]
      })
    let now = subjects.flatMap(\.ids).map { titles[$0]!.new }
    try image.expect(links, reads: linked(now) { "t-\(titles[$0]!.index)" })
    for subject in subjects {
      for id in subject.ids {
        try image.expect(naturalKeys: [subject.key(of: id): subject.new])
      }
      for id in [subject.old, subject.new] {
        let line = try #require(try image.record(id), "\(subject)")
        #expect(line.contains(#""id": "\#(subject.new)""#), "\(subject)")
        #expect(line.contains(#""title": "t-\#(subject.index)""#), "\(subject)")
        #expect(
          line.contains(#""tags": ["\#(subject.old)"]"#) == subject.ids.contains(subject.old),
          "\(subject)")
        #expect(
          line.contains(#""isPinned": true"#) == subject.ids.contains(subject.new), "\(subject)")
      }
    }
  }

  @Test func `fifteen ids replaced in one answer end in fifteen records with all their names`()
    throws
  {
    for subjects in [Self.all, Self.all.reversed()] {
      let image = try Self.image(subjects)
      let (response, variables) = Self.answer(subjects)
      let outcome = try image.commit(response, of: Hub.refresh, variables)
      #expect(
        Set(outcome.aliases) == Set(subjects.map { .init(from: $0.old, to: $0.new) }))
      #expect(outcome.ids?.map(\.id) == subjects.map(\.new))
      try image.beforeAndAfterReopening { image in
        try Self.check(image, subjects)
        let again = try image.commit(response, of: Hub.refresh, variables)
        #expect(again.pagesWritten == 0)
        #expect(again.aliases == [])
      }
      try image.expectSound()
    }
  }

  @Test func `two old ids of one subject and a chain of warnings end in one record`() throws {
    let image = try TestImage()
    let list = try Hub.plan("{ recent { id title } }")
    try image.commit(
      """
      {"data":{"recent":[{"id":"a","title":"a"},{"id":"b","title":"b"},{"id":"c","title":"c"},
      {"id":"x","title":"x"},{"id":"y","title":"y"}]}}
      """, of: list)
    try image.commit(
      """
      {"data":{"nodes":[{"__typename":"Issue","id":"c","title":"1"},
      {"__typename":"Issue","id":"z","title":"2"},{"__typename":"Issue","id":"z","title":"3"}]}
      \(AliasTests.warnings([("b", "c"), ("a", "b")]))}
      """, of: Hub.refresh, #"{"ids":["a","x","y"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["c", "z"])
      try image.expect(
        list,
        reads: """
          {"recent":[{"id":"c","title":"1"},{"id":"c","title":"1"},{"id":"c","title":"1"},\
          {"id":"z","title":"3"},{"id":"z","title":"3"}]}
          """)
    }
    try image.expectSound()
  }
}
