import BatonImage
import BatonPlan
import LifeSupport
import TestSupport
import Testing

/// What commits changed, asked for afterwards.
@Suite(.timeLimit(.minutes(60)))
struct JournalTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  @Test func `each commit is listed with its records, fields and operation`() throws {
    let image = try Image.open(path: path)
    try image.refresh([Subject(1), Subject(2)])
    try image.refresh([Subject(1, title: "new"), Subject(2)])
    let changes = try image.snapshot().changes(since: 0)
    #expect(changes.map(\.commit) == [1, 2])
    #expect(changes.map(\.operation) == ["Refresh", "Refresh"])
    #expect(changes[0].records.map(\.what) == [.created, .created])
    #expect(changes[0].records.map(\.key) == ["I_1", "I_2"])
    #expect(
      changes[0].records[0].fields
        == ["author", "id", "number", "state", "tags", "title", "weight"])
    #expect(changes[1].records.map(\.key) == ["I_1"])
    #expect(changes[1].records.map(\.what) == [.changed])
    #expect(changes[1].records.map(\.fields) == [["title"]])
    #expect(changes.allSatisfy { $0.extent == .records && $0.firstCommit == $0.commit })
  }

  @Test func `records that changed alike are told each with its fields`() throws {
    let image = try Image.open(path: path)
    var generator = SeededGenerator(seed: 3)
    // Up to the most fields that are told once for all, and more.
    let kinds = [1, 2, 5, 15, 16, 17, 40].map { count in (0..<count).map { "field\($0)" } }
    var expected: [[String: [String]]] = []
    for round in 0..<24 {
      var changed: [String: [String]] = [:]
      try image.write { editor in
        for index in 0..<Int.random(in: 2...40, using: &generator) {
          let fields = kinds[Int.random(in: kinds.indices, using: &generator)]
          let record = try editor.record("I_\(index)", type: "Issue")
          for field in fields { try editor.set(field, to: .int(Int64(round)), on: record) }
          changed["I_\(index)"] = fields
        }
      }
      expected.append(changed)
    }
    let changes = try image.snapshot().changes(since: 0)
    #expect(changes.count == expected.count)
    for (change, expected) in zip(changes, expected) {
      #expect(change.records.map { $0.key ?? "" }.sorted() == expected.keys.sorted())
      for record in change.records {
        let fields = Set(expected[record.key ?? ""] ?? [])
        #expect(Set(record.fields).subtracting(["id"]) == fields, "\(record.number)")
      }
    }
    try image.close()
    #expect(try Verifier.verify(at: path).faults.isEmpty)
  }

  @Test func `the list goes on where the last launch ended`() throws {
    for launch in 1...3 {
      let image = try Image.open(path: path)
      try image.refresh([Subject(1, title: "launch \(launch)")])
      try image.close()
    }
    let image = try Image.open(path: path)
    let snapshot = try image.snapshot()
    #expect(try snapshot.commit == 3)
    #expect(try snapshot.changes(since: 1).map(\.commit) == [2, 3])
    #expect(try snapshot.changes(since: 3) == [])
  }

  @Test func `an equal response is no commit`() throws {
    let image = try Image.open(path: path)
    try image.refresh([Subject(1)])
    let outcome = try image.refresh([Subject(1)])
    #expect(outcome.commit == 1)
    #expect(try image.snapshot().changes(since: 0).count == 1)
  }

  @Test func `a commit that left the journal is too old, not left out`() throws {
    let image = try Image.open(path: path, options: .init(journalLimit: 4))
    for turn in 1...10 { try image.refresh([Subject(1, title: "\(turn)")]) }
    let snapshot = try image.snapshot()
    #expect(try snapshot.changes(since: 6).map(\.commit) == [7, 8, 9, 10])
    #expect(throws: ImageError.tooOld(oldest: 7)) { try snapshot.changes(since: 5) }
    #expect(throws: ImageError.self) { try snapshot.changes(since: 11) }
  }

  @Test func `a snapshot lists the commits it sees and no later ones`() throws {
    let image = try Image.open(path: path)
    try image.refresh([Subject(1)])
    let snapshot = try image.snapshot()
    try image.refresh([Subject(1, title: "later")])
    #expect(try snapshot.changes(since: 0).map(\.commit) == [1])
  }

  @Test func `a deleted record and a record under another id are told as what they are`() throws {
    let image = try Image.open(path: path)
    try image.refresh([Subject(1), Subject(2)])
    try image.forget(id: "I_1")
    let deletion = try #require(image.snapshot().changes(since: 1).first)
    #expect(deletion.records.map(\.what) == [.deleted])
    #expect(deletion.records.map(\.key) == ["I_1"])
    #expect(deletion.records[0].fields.contains("title"))
    // The service answers the id asked for with another one.
    try image.commit(
      ["nodes": [["__typename": "Issue", "id": "I_20", "number": 2, "title": "renamed"]]],
      of: Documents.refresh, ["ids": .list([.string("I_2")])])
    let renaming = try #require(image.snapshot().changes(since: 2).first)
    #expect(renaming.records.map(\.key) == ["I_20"])
    #expect(renaming.records[0].fields.contains("title"))
  }
}
