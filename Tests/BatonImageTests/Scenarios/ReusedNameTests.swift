import BatonImage
import BatonPlan
import Testing

/// What becomes of natural keys when a name on their way leads to another record (R5).
@Suite(.timeLimit(.minutes(60))) struct ReusedNameTests {
  static let repository = try! Hub.plan(
    """
    query R($name: String!) { repository(owner: "o", name: $name) { id nameWithOwner } }
    """)

  static func name(_ name: String, is id: String, in image: TestImage) throws {
    try image.commit(
      #"{"data":{"repository":{"id":"\#(id)","nameWithOwner":"o/\#(name)"}}}"#, of: repository,
      #"{"name":"\#(name)"}"#)
  }

  static func key(_ name: String, _ number: Int? = nil) -> String {
    #"repository(name:"\#(name)",owner:"o")"# + (number.map { "/subject(number:\($0))" } ?? "")
  }

  static func discover(
    _ id: String, _ number: Int, of repository: String, as name: String, in image: TestImage
  ) throws {
    try image.commit(
      NaturalKeyTests.answer(repository: repository, slug: "o/" + name, issue: id, number: number),
      of: Hub.discover, #"{"owner":"o","name":"\#(name)","number":\#(number)}"#)
  }

  @Test func `a name that another repository took leads to none of the former one's subjects`()
    throws
  {
    let image = try TestImage()
    for number in 1...3 {
      try Self.discover("I\(number)", number, of: "R", as: "w", in: image)
      try Self.discover("I\(number)", number, of: "R", as: "w-other", in: image)
    }
    try Self.discover("J1", 1, of: "S", as: "w2", in: image)
    try image.reopen()
    try Self.name("w", is: "R2", in: image)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        Self.key("w"): "R2", Self.key("w", 1): nil, Self.key("w", 2): nil, Self.key("w", 3): nil,
        // What else the former one is called, and what begins alike, is as it was.
        Self.key("w-other"): "R", Self.key("w-other", 1): "I1", Self.key("w-other", 3): "I3",
        Self.key("w2"): "S", Self.key("w2", 1): "J1",
      ])
    }
    try image.expectSound()
    // Of the new one's subjects those are known that were answered.
    try Self.discover("K1", 1, of: "R2", as: "w", in: image)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        Self.key("w", 1): "K1", Self.key("w", 2): nil, Self.key("w-other", 1): "I1",
      ])
    }
    try image.expectSound()
  }

  @Test func `a subject that is answered along with its repository's new id is known by it`() throws
  {
    let image = try TestImage()
    try Self.discover("I1", 1, of: "R", as: "w", in: image)
    try Self.discover("I2", 2, of: "R", as: "w", in: image)
    try Self.discover("I1", 1, of: "R2", as: "w", in: image)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        Self.key("w"): "R2", Self.key("w", 1): "I1", Self.key("w", 2): nil,
      ])
    }
    try image.expectSound()
  }

  /// Whether the new id is known before, of a record of its own.
  @Test(arguments: [false, true])
  func `a repository that got another id keeps its name's subjects`(_ isKnown: Bool) throws {
    let image = try TestImage()
    let refreshed = """
      {"data":{"nodes":[{"__typename":"Issue","id":"I1","number":1,"title":"t",
      "repository":{"id":"REPOSITORY","nameWithOwner":"o/w"}}]}}
      """
    try Self.discover("I1", 1, of: "R", as: "w", in: image)
    try image.commit(
      refreshed.replacing("REPOSITORY", with: "R"), of: Hub.refresh, #"{"ids":["I1"]}"#)
    if isKnown { try Self.discover("J1", 1, of: "R_new", as: "w-new", in: image) }
    let outcome = try image.commit(
      #"{"data":{"nodes":[{"__typename":"Repository","id":"R_new","nameWithOwner":"o/w"}]}}"#,
      of: Hub.plan(
        """
        query Q($ids: [ID!]!) {
          nodes(ids: $ids) { __typename id ... on Repository { nameWithOwner } }
        }
        """), #"{"ids":["R"]}"#)
    #expect(outcome.aliases == [.init(from: "R", to: "R_new")])
    for _ in 0..<2 {
      try image.expect(naturalKeys: [Self.key("w"): "R_new", Self.key("w", 1): "I1"])
      try image.commit(
        refreshed.replacing("REPOSITORY", with: "R_new"), of: Hub.refresh, #"{"ids":["I1"]}"#)
      try Self.name("w", is: "R_new", in: image)
      try image.reopen()
    }
    try image.expectSound()
  }

  @Test func `a name that is not found for a while is its subjects' name still`() throws {
    let image = try TestImage()
    try Self.discover("I1", 1, of: "R", as: "w", in: image)
    try image.commit(
      #"{"data":{"repository":null},"errors":[{"type":"NOT_FOUND","message":"m","path":["repository"]}]}"#,
      of: Self.repository, #"{"name":"w"}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [Self.key("w"): "R", Self.key("w", 1): "I1"])
    }
    try image.expectSound()
  }

  @Test
  func `a repository whose name changes is found by the new one, and by the old one if it answers`()
    throws
  {
    let image = try TestImage()
    let plan = try BatonImageTests.plan(
      """
      query R($name: String!) {
        repository(owner: "o", name: $name) { id name issue(number: 7) { id number } }
      }
      """, nil)
    func answer(_ asked: String, _ name: String) throws {
      try image.commit(
        #"{"data":{"repository":{"id":"R","name":"\#(name)","issue":{"id":"I","number":7}}}}"#,
        of: plan, #"{"name":"\#(asked)"}"#)
    }
    func key(_ name: String) -> String { #"repository(name:"\#(name)",owner:"o")"# }
    try answer("old", "old")
    try image.reopen()
    // Asked by its id, it has another name.
    try image.commit(
      #"{"data":{"nodes":[{"id":"R","name":"new"}]}}"#,
      of: BatonImageTests.plan("query Q($ids: [ID!]!) { nodes(ids: $ids) { id name } }", nil),
      #"{"ids":["R"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [key("new"): "R", key("old"): nil])
    }
    try answer("old", "new")
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        key("new"): "R", key("old"): "R", key("old") + "/issue(number:7)": "I",
      ])
    }
    try image.expectSound()
  }
}
