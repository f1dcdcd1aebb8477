import BatonImage
import BatonPlan
import Foundation
import LifeSupport
import TestSupport
import Testing

/// What gives its fields up, and when (R8).
@Suite(.timeLimit(.minutes(60)))
struct EvictionTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  /// Opens the image, runs one launch, and closes it.
  private func launch(
    _ options: Image.Options = .init(), _ body: (Image) throws -> Void = { _ in }
  ) throws {
    let image = try Image.open(path: path, options: options)
    try body(image)
    try image.close()
  }

  private func check() throws {
    let report = try Verifier.verify(at: path)
    #expect(report.isSound, "\(report.faults)")
  }

  @Test func `a record that was not used for a whole launch goes in the next`() throws {
    let options = Image.Options(evictsUnused: true)
    try launch(options) { try $0.refresh([Subject(1), Subject(2), Subject(3)]) }
    // Used by a read alone, and by nothing.
    try launch(options) { (image) throws in
      #expect(try image.title(of: "I_1") == "subject 1")
    }
    try launch(options) { image in
      try image.refresh([Subject(4)])
      #expect(try image.title(of: "I_1") == "subject 1")
      #expect(try image.title(of: "I_2") == nil)
      #expect(try image.title(of: "I_3") == nil)
      #expect(try !image.exported().contains("I_2"))
    }
    try check()
  }

  @Test func `nothing goes by itself unless that is asked for`() throws {
    try launch { try $0.refresh([Subject(1)]) }
    for number in 2...6 { try launch { try $0.refresh([Subject(number)]) } }
    try launch { (image) throws in #expect(try image.title(of: "I_1") == "subject 1") }
  }

  @Test func `pinned records stay, and natural keys and aliases still lead to their ids`() throws {
    let options = Image.Options(evictsUnused: true)
    try launch(options) { image in
      try image.refresh((1...3).map { Subject($0) })
      try image.pin("I_1")
      try image.discover(Subject(8), in: "widgets")
      // An id that is answered with another one.
      try image.commit(
        ["nodes": [["__typename": "Issue", "id": "I_30", "number": 3, "title": "renamed"]]],
        of: Documents.refresh, ["ids": .list([.string("I_3")])])
    }
    for number in 50...53 { try launch(options) { try $0.refresh([Subject(number)]) } }
    try launch(options) { image in
      #expect(try image.title(of: "I_1") == "subject 1")
      #expect(try image.title(of: "I_2") == nil)
      #expect(try image.title(of: "I_30") == nil)
      let snapshot = try image.snapshot()
      let key = #"repository(name:"widgets",owner:"octo")/issue(number:8)"#
      #expect(try snapshot.id(of: key) == "I_8")
      #expect(try image.title(of: "I_8") == nil)
      let alias = try #require(try snapshot.number(ofRecord: "I_3"))
      #expect(try snapshot.keyText(of: alias) == "I_30")
    }
    try check()
    // What comes back lands where its names lead.
    try launch(options) { image in
      try image.refresh([Subject(8, title: "back")])
      let key = #"repository(name:"widgets",owner:"octo")/issue(number:8)"#
      let id = try #require(try image.snapshot().id(of: key))
      #expect(try image.title(of: id) == "back")
      try image.unpin("I_1")
    }
    for number in 60...62 { try launch(options) { try $0.refresh([Subject(number)]) } }
    try launch(options) { (image) throws in #expect(try image.title(of: "I_1") == nil) }
    try check()
  }

  @Test func `records named by a place go with the record they are under`() throws {
    let options = Image.Options(evictsUnused: true)
    try launch(options) { try $0.search("old", finding: [Subject(1), Subject(2)]) }
    for number in 50...53 { try launch(options) { try $0.refresh([Subject(number)]) } }
    try launch(options) { image in
      let text = try image.exported()
      #expect(!text.contains("search"))
      #expect(!text.contains("old in"))
      let result = try image.snapshot().read(
        Documents.search, variables: ["query": .string("old")])
      #expect(!result.isComplete)
    }
    try check()
  }

  @Test func `what an observer shows is not evicted, and it never sees a record go`() async throws {
    let options = Image.Options(sizeLimit: 400_000, evictsUnused: true)
    try launch(options) { try $0.search("kept", finding: [Subject(1)]) }
    for number in 50...50 { try launch(options) { try $0.refresh([Subject(number)]) } }
    let image = try Image.open(path: path, options: options)
    let key = #"client:root:search(query:"kept")"#
    var iterator = image.observe(Documents.found, id: key).makeAsyncIterator()
    let first = try #require(await iterator.next())
    #expect(first.value?.isComplete == true)
    for turn in 0..<40 {
      try image.refresh((0..<50).map { Subject(1000 + turn * 50 + $0) })
    }
    #expect(
      try image.snapshot().read(Documents.search, variables: ["query": .string("kept")]).missing
        .allSatisfy { !$0.map(\.description).contains("title") })
    try image.refresh([Subject(1, title: "changed")])
    let second = try #require(await iterator.next())
    #expect(second.value?.isComplete == true)
    #expect(
      second.value.map { String(decoding: $0.data, as: UTF8.self) }?.contains("changed") == true)
  }

  @Test func `what nobody observes any more goes two launches later`()
    async throws
  {
    let options = Image.Options(evictsUnused: true)
    try launch(options) { try $0.refresh([Subject(1), Subject(2)]) }
    try launch(options) { try $0.refresh([Subject(50)]) }
    let image = try Image.open(path: path, options: options)
    try await showAndRelease("I_1", in: image)
    try image.close()
    // Shown in that launch, it stays in the next, and goes in the one after.
    try launch(options) { image in
      try image.refresh([Subject(51)])
      #expect(try image.exported().contains("I_1"))
      #expect(try !image.exported().contains("I_2"))
    }
    try launch(options) { image in
      try image.refresh([Subject(52)])
      #expect(try !image.exported().contains("I_1"))
    }
    try check()
  }

  private func showAndRelease(_ id: String, in image: Image) async throws {
    let log = Log(image.observe(Documents.title, id: id))
    try await log.wait(for: 1)
    for number in 60...64 { try image.refresh([Subject(number)]) }
    try await Task.sleep(for: .milliseconds(100))
    #expect(log.entries.map(\.title) == ["subject 1"])
  }

  @Test func `over the limit the least recently used go first, and events tell how many`() throws {
    let events = Events()
    let limit = 300_000
    let options = Image.Options(sizeLimit: limit, events: { events.add($0) })
    for launch in 0..<6 {
      try self.launch(options) { image in
        for batch in 0..<4 {
          try image.refresh((0..<50).map { Subject(launch * 200 + batch * 50 + $0) })
        }
      }
    }
    try launch(options) { image in
      // Those of the first launches went, those of the last are there.
      #expect(try image.title(of: "I_0") == nil)
      #expect(try image.title(of: "I_1000") == "subject 1000")
      #expect(try image.title(of: "I_1199") == "subject 1199")
      let kept = try (0..<1200).filter { try image.title(of: "I_\($0)") != nil }
      #expect(kept == Array((kept.first ?? 0)..<1200))
    }
    let evicted = events.all.reduce(0) { count, event in
      if case .evicted(let records, _) = event { count + records } else { count }
    }
    #expect(evicted > 0)
    #expect(!events.all.contains { if case .wiped = $0 { true } else { false } })
    try check()
  }

  @Test func `one commit that doesn't fit wipes the image, and says so with numbers`() throws {
    let events = Events()
    let limit = 200_000
    let options = Image.Options(sizeLimit: limit, events: { events.add($0) })
    let image = try Image.open(path: path, options: options)
    try image.refresh([Subject(1)])
    try image.pin("I_1")
    try image.refresh((2..<3000).map { Subject($0) })
    let wipe = events.all.compactMap { event -> (bytes: Int, limit: Int)? in
      if case .wiped(let bytes, let limit) = event { (bytes, limit) } else { nil }
    }
    #expect(wipe.count == 1)
    #expect(wipe.first.map { $0.bytes > limit && $0.limit == limit } == true)
    #expect(try image.title(of: "I_1") == "subject 1")
    #expect(try image.title(of: "I_2") == nil)
    try image.refresh([Subject(2)])
    #expect(try image.title(of: "I_2") == "subject 2")
    try image.close()
    try check()
  }
}
