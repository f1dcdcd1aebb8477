import BatonImage
import BatonPlan
import Testing

/// S16, S20: subjects that get another id, another number or another repository.
@Suite(.timeLimit(.minutes(60))) struct TransferTests {
  static let widgets = #"repository(name:"widgets",owner:"octo-org")"#
  static let gears = #"repository(name:"gears",owner:"octo-org")"#
  static func key(_ number: Int, in repository: String) -> String {
    "\(repository)/subject(number:\(number))"
  }

  static func issue(_ id: String, _ number: Int, in repository: (id: String, slug: String))
    -> String
  {
    """
    {"__typename":"Issue","id":"\(id)","number":\(number),"title":"t\(number)","state":"OPEN",
    "repository":{"id":"\(repository.id)","nameWithOwner":"\(repository.slug)"}}
    """
  }

  static func discovery(
    _ id: String, _ number: Int, in repository: (id: String, slug: String)
  ) -> String {
    """
    {"data":{"repository":{"id":"\(repository.id)","nameWithOwner":"\(repository.slug)",
    "subject":{"__typename":"Issue","id":"\(id)","number":\(number),"title":"t\(number)"}}}}
    """
  }

  static let first = (id: "R_syn1", slug: "octo-org/widgets")
  static let second = (id: "R_syn2", slug: "octo-org/gears")

  static func asks(_ name: String, _ number: Int) -> String {
    #"{"owner":"octo-org","name":"\#(name)","number":\#(number)}"#
  }

  /// The fields the app adds for itself.
  static let local = try! schema(
    Hub.text, client: "extend type Issue { isKept: Boolean }")
  static let kept = try! plan(
    "query Q($ids: [ID!]!) { nodes(ids: $ids) { ... on Issue { isKept } } }", local)

  /// An image with the issue under its old id, found by its number, pinned and marked by the app.
  ///
  /// - Parameters:
  ///   - isRefreshed: Whether the issue was refreshed since, so that its repository is known to it.
  ///   - knowsTarget: Whether the repository it goes to is known by its name.
  static func image(isRefreshed: Bool, knowsTarget: Bool) throws -> TestImage {
    let image = try TestImage()
    if knowsTarget {
      try image.commit(
        discovery("I_other", 1, in: second), of: Hub.discover, asks("gears", 1))
    }
    try image.commit(discovery("I_synOld", 7, in: first), of: Hub.discover, asks("widgets", 7))
    if isRefreshed {
      try image.commit(
        #"{"data":{"nodes":[\#(issue("I_synOld", 7, in: first))]}}"#, of: Hub.refresh,
        #"{"ids":["I_synOld"]}"#)
    }
    try image.image.pin("I_synOld")
    try image.image.write { editor in
      let issue = try editor.record("I_synOld", type: "Issue")
      try editor.set("isKept", to: true, on: issue)
    }
    try image.reopen()
    return image
  }

  static func expectKept(_ image: TestImage, _ ids: [String]) throws {
    for id in ids {
      try image.expect(kept, #"{"ids":["\#(id)"]}"#, reads: #"{"nodes":[{"isKept":true}]}"#)
      let snapshot = try image.image.snapshot()
      let number = try #require(try snapshot.liveRecord(id))
      if let row = try snapshot.row(number) {
        #expect(row.flags.contains(.pinned))
      } else {
        Issue.record("there is no row of \(id)")
      }
    }
  }

  @Test(.tags(.S16)) func `a transferred issue that is not found keeps all it had`() throws {
    let image = try Self.image(isRefreshed: true, knowsTarget: true)
    try image.commit(
      #"{"data":{"nodes":[null]},"errors":[{"type":"NOT_FOUND","message":"m","path":["nodes",0]}]}"#,
      of: Hub.refresh, #"{"ids":["I_synOld"]}"#)
    try image.beforeAndAfterReopening { image in
      try Self.expectKept(image, ["I_synOld"])
      try image.expect(naturalKeys: [
        Self.key(7, in: Self.widgets): "I_synOld", Self.key(1, in: Self.gears): "I_other",
      ])
      #expect(try image.misses(of: "I_synOld") == 1)
    }
    try image.expectSound()
  }

  /// Whether the answer has another id (B) or the one that was asked (C).
  @Test(.tags(.S16), arguments: ["I_synNew", "I_synOld"], [true, false])
  func `a transferred issue is found by its new number alone, and keeps what the app gave it`(
    _ id: String, _ isRefreshed: Bool
  ) throws {
    let image = try Self.image(isRefreshed: isRefreshed, knowsTarget: true)
    let outcome = try image.commit(
      #"{"data":{"nodes":[\#(Self.issue(id, 40, in: Self.second))]}}"#, of: Hub.refresh,
      #"{"ids":["I_synOld"]}"#)
    #expect(
      outcome.aliases == (id == "I_synNew" ? [.init(from: "I_synOld", to: "I_synNew")] : []))
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["I_other", id, "R_syn1", "R_syn2"])
      try Self.expectKept(image, ["I_synOld", id])
      try image.expect(naturalKeys: [
        Self.key(7, in: Self.widgets): nil, Self.key(40, in: Self.widgets): nil,
        Self.key(40, in: Self.gears): id, Self.key(1, in: Self.gears): "I_other",
        Self.widgets: "R_syn1", Self.gears: "R_syn2",
      ])
      let names = try image.image.snapshot().otherNames()
      #expect(names.keys.filter { !$0.isLive }.map(\.text) == [Self.key(7, in: Self.widgets)])
      try image.expect(
        Hub.refresh, #"{"ids":["I_synOld"]}"#,
        reads: """
          {"nodes":[{"__typename":"Issue","id":"\(id)","number":40,"title":"t40","state":"OPEN",\
          "repository":{"id":"R_syn2","nameWithOwner":"octo-org/gears"}}]}
          """)
    }
    try image.expectSound()
  }

  @Test(.tags(.S16), arguments: [true, false])
  func
    `where nobody asked for the other repository by name, the old key is superseded all the same`(
      _ isRefreshed: Bool
    ) throws
  {
    let image = try Self.image(isRefreshed: isRefreshed, knowsTarget: false)
    try image.commit(
      #"{"data":{"nodes":[\#(Self.issue("I_synNew", 40, in: Self.second))]}}"#, of: Hub.refresh,
      #"{"ids":["I_synOld"]}"#)
    try image.beforeAndAfterReopening { image in
      try Self.expectKept(image, ["I_synOld", "I_synNew"])
      try image.expect(naturalKeys: [
        Self.key(7, in: Self.widgets): nil, Self.key(40, in: Self.widgets): nil,
        Self.key(40, in: Self.gears): nil,
      ])
    }
    // Looked up once, it is known by its new name too.
    try image.commit(
      Self.discovery("I_synNew", 40, in: Self.second), of: Hub.discover, Self.asks("gears", 40))
    try image.expect(naturalKeys: [Self.key(40, in: Self.gears): "I_synNew"])
    try image.expectSound()
  }

  @Test(.tags(.S16), arguments: ["I_synNew", "I_synOld"])
  func `a transfer that keeps the number is one of the repository`(_ id: String) throws {
    let image = try Self.image(isRefreshed: true, knowsTarget: true)
    try image.commit(
      #"{"data":{"nodes":[\#(Self.issue(id, 7, in: Self.second))]}}"#, of: Hub.refresh,
      #"{"ids":["I_synOld"]}"#)
    try image.beforeAndAfterReopening { image in
      try Self.expectKept(image, ["I_synOld", id])
      try image.expect(naturalKeys: [
        Self.key(7, in: Self.widgets): nil, Self.key(7, in: Self.gears): id,
      ])
    }
    try image.expectSound()
  }

  @Test(.tags(.S16)) func `a number that another issue gets leads to that one`() throws {
    let image = try Self.image(isRefreshed: true, knowsTarget: true)
    try image.commit(
      #"{"data":{"nodes":[\#(Self.issue("I_synNew", 40, in: Self.second))]}}"#, of: Hub.refresh,
      #"{"ids":["I_synOld"]}"#)
    try image.commit(
      Self.discovery("I_third", 7, in: Self.first), of: Hub.discover, Self.asks("widgets", 7))
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        Self.key(7, in: Self.widgets): "I_third", Self.key(40, in: Self.gears): "I_synNew",
      ])
    }
    // And back: the first one returns under its old number.
    try image.commit(
      #"{"data":{"nodes":[\#(Self.issue("I_synNew", 7, in: Self.first))]}}"#, of: Hub.refresh,
      #"{"ids":["I_synNew"]}"#)
    try image.commit(
      Self.discovery("I_synNew", 7, in: Self.first), of: Hub.discover, Self.asks("widgets", 7))
    try image.beforeAndAfterReopening { image in
      try image.expect(naturalKeys: [
        Self.key(7, in: Self.widgets): "I_synNew", Self.key(40, in: Self.gears): nil,
      ])
    }
    try image.expectSound()
  }

  @Test(.tags(.S20)) func `a subject found by a renamed repository's names moves from both`() throws
  {
    let image = try TestImage()
    for name in ["widgets", "widgets-old"] {
      try image.commit(
        Self.discovery("I_synA", 7, in: Self.first), of: Hub.discover, Self.asks(name, 7))
    }
    let old = #"repository(name:"widgets-old",owner:"octo-org")"#
    // Only its number changes: both names of the repository still lead to it.
    try image.commit(
      #"{"data":{"nodes":[{"__typename":"Issue","id":"I_synA","number":8}]}}"#, of: Hub.refresh,
      #"{"ids":["I_synA"]}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["I_synA", "R_syn1"])
      try image.expect(naturalKeys: [
        Self.key(7, in: Self.widgets): nil, Self.key(7, in: old): nil,
        Self.key(8, in: Self.widgets): "I_synA", Self.key(8, in: old): "I_synA",
        Self.widgets: "R_syn1", old: "R_syn1",
      ])
    }
    try image.expectSound()
  }
}
