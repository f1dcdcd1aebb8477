import BatonImage
import BatonPlan
import Foundation
import LifeSupport
import TestSupport
import Testing

/// Writing without a document.
@Suite(.timeLimit(.minutes(60)))
struct WritingTests {
  private let opened: OpenedImage
  private var image: Image { opened.image }
  private var path: String { opened.path }
  private var folder: TemporaryFolder { opened.folder }

  init() throws { opened = try OpenedImage() }

  private func check(_ path: String) throws {
    let report = try Verifier.verify(at: path)
    #expect(report.isSound, "\(report.faults)")
  }

  /// What `Subject.json` says, field by field.
  private func write(_ subject: Subject, _ editor: inout ImageEditor) throws {
    let issue = try editor.record(subject.id, type: "Issue")
    try editor.set("number", to: .int(Int64(subject.number)), on: issue)
    try editor.set("title", to: .string(subject.title), on: issue)
    try editor.set("state", to: .string(subject.state), on: issue)
    try editor.set("weight", to: .float(Double(subject.number) / 4), on: issue)
    try editor.set("tags", to: ["a", .string("b\(subject.number % 3)")], on: issue)
    guard let login = subject.login else {
      return try editor.set("author", to: nil, on: issue)
    }
    let user = try editor.record("U_\(login)", type: "User")
    try editor.set("login", to: .string(login), on: user)
    try editor.set("author", to: .link(user), on: issue)
  }

  @Test func `a store written by hand exports as the one that responses brought`() throws {
    let other = try Image.open(path: folder.file("b.image"))
    let subjects = (1...40).map { Subject($0, login: $0 % 4 == 0 ? nil : "user-\($0 % 5)") }
    try image.refresh(subjects)
    try image.discover(Subject(7), in: "widgets")
    try image.search("open", finding: [Subject(3), Subject(4)])
    try image.commit(
      [
        "node": [
          "__typename": "Issue", "id": "I_9",
          "labels": ["totalCount": 0, "nodes": [[String: Any]]()],
        ] as [String: Any]
      ], of: Documents.labels, ["id": .string("I_9")])
    try image.commit(
      ["nodes": [["__typename": "Issue", "id": "I_new", "title": "renamed"]]],
      of: Documents.refresh, ["ids": .list([.string("I_12")])])
    try image.forget(id: "I_40")

    try other.write(named: "by hand") { editor in
      for subject in subjects { try write(subject, &editor) }
      // What discovery brought.
      let repository = try editor.record("R_widgets", type: "Repository")
      try editor.set("nameWithOwner", to: "octo/widgets", on: repository)
      let seventh = try editor.record("I_7")
      try editor.set("issue(number:7)", to: .link(seventh), on: repository)
      let root = #"repository(owner: "octo", name: "widgets")"#
      try editor.set(root, to: .link(repository), on: editor.query)
      try editor.addNaturalKey(root, to: repository)
      try editor.addNaturalKey(root + "/issue(number:7)", to: seventh)
      // What the search brought.
      let list = try editor.record(
        at: #"search(query:"open")"#, of: editor.query, type: "SearchList")
      try editor.set("issueCount", to: 2, on: list)
      let found = [try editor.record("I_3"), try editor.record("I_4")]
      try editor.set("nodes", to: .links(found), on: list)
      var hits: [ImageEditor.Record?] = []
      for (index, subject) in [Subject(3), Subject(4)].enumerated() {
        let hit = try editor.record(at: "hits", of: list, indexes: [index], type: "Hit")
        try editor.set("text", to: .string("open in \(subject.title)"), on: hit)
        try editor.set("score", to: 0.5, on: hit)
        hits.append(hit)
      }
      try editor.set("hits", to: .links(hits), on: list)
      try editor.set(#"search(query:"open")"#, to: .link(list), on: editor.query)
      // The labels, none.
      let ninth = try editor.record("I_9")
      let labels = try editor.record(at: "labels(first:5)", of: ninth, type: "LabelList")
      try editor.set("totalCount", to: 0, on: labels)
      try editor.set("nodes", to: .links([]), on: labels)
      try editor.set("labels(first:5)", to: .link(labels), on: ninth)
      try editor.set(#"node(id:"I_9")"#, to: .link(ninth), on: editor.query)
    }
    try other.write { editor in
      let twelfth = try editor.record("I_12")
      let new = try editor.record("I_new", type: "Issue")
      try editor.set("title", to: "renamed", on: new)
      try editor.addAlias("I_12", to: new)
      _ = twelfth
      try editor.delete(editor.record("I_40"))
    }
    #expect(try other.exported() == image.exported())
    let key = #"repository(name:"widgets",owner:"octo")/issue(number:7)"#
    #expect(try other.snapshot().id(of: key) == image.snapshot().id(of: key))
    #expect(try other.snapshot().number(ofRecord: "I_12") != nil)
    try image.close()
    try other.close()
    try check(path)
    try check(folder.file("b.image"))
  }

  @Test func `a write is a commit with its name, its changes and its observers`() async throws {
    try image.refresh([Subject(1), Subject(2)])
    var iterator = image.observe(Documents.title, id: "I_1").makeAsyncIterator()
    _ = await iterator.next()
    let outcome = try onThread {
      try image.write(named: "migrate") { editor in
        try editor.set("title", to: "by hand", on: editor.record("I_1"))
        try editor.set("title", to: "subject 2", on: editor.record("I_2"))
      }
    }
    #expect(outcome.commit == 2)
    #expect(outcome.recordsChanged == 1)
    let change = try #require(image.snapshot().changes(since: 1).first)
    #expect(change.operation == "migrate")
    #expect(change.records.map(\.key) == ["I_1"])
    #expect(change.records.map(\.fields) == [["title"]])
    #expect(await iterator.next()?.commit == 2)
    #expect(try image.title(of: "I_1") == "by hand")
    let equal = try onThread {
      try image.write { try $0.set("title", to: "by hand", on: $0.record("I_1")) }
    }
    #expect(equal.commit == 2)
    #expect(equal.pagesWritten == 0)
  }

  @Test func `a write that throws leaves no trace, and its error comes out`() throws {
    struct Mine: Error {}
    try image.refresh([Subject(1)])
    let before = try image.exported()
    #expect(throws: Mine.self) {
      try image.write { editor in
        try editor.set("title", to: "gone", on: editor.record("I_1"))
        _ = try editor.record("I_2", type: "Issue")
        throw Mine()
      }
    }
    #expect(try image.exported() == before)
    #expect(try image.snapshot().commit == 1)
    // Names that were given in it are given again, and nothing holds the old numbers.
    try image.refresh([Subject(2)])
    #expect(try image.title(of: "I_2") == "subject 2")
    try image.close()
    try check(path)
  }

  @Test func `fields are cleared, fail under errors and keep their last good value`() throws {
    try image.refresh([Subject(1), Subject(2)])
    try image.write { editor in
      try editor.clear("title", of: editor.record("I_1"))
      let error = FieldError(message: "no", pathText: #"["nodes",0,"state"]"#, code: "FORBIDDEN")
      try editor.fail("state", with: [error], on: editor.record("I_2"))
    }
    #expect(try image.title(of: "I_1") == nil)
    #expect(try image.snapshot().changes(since: 1).first?.records.first?.fields == ["title"])
    let text = try image.exported()
    #expect(text.contains(#""__stale": {"state": "OPEN"}"#))
    #expect(text.contains(#""__errors": {"state": {"message": "no""#))
    // A record with more fields than a row has.
    try image.write { editor in
      let wide = try editor.record("W", type: "Issue")
      for number in 0..<100 { try editor.set("wide\(number)", to: .int(Int64(number)), on: wide) }
    }
    try image.write { editor in
      let wide = try editor.record("W")
      for number in 60..<100 { try editor.clear("wide\(number)", of: wide) }
    }
    #expect(try !image.exported().contains("wide60"))
    #expect(try image.exported().contains("wide59"))
    try image.close()
    try check(path)
  }

  @Test func `what a response may not bring, a write may not either`() throws {
    let identity = IdentityRules(
      transientTypes: ["Secret"], transientFields: ["Query.secret"])
    let other = try Image.open(
      path: folder.file("b.image"), options: .init(identity: identity))
    func refused(_ body: @escaping (inout ImageEditor) throws -> Void) {
      #expect {
        try other.write(body)
      } throws: { error in
        if case .usage = error as? ImageError { true } else { false }
      }
    }
    refused { _ = try $0.record("", type: "Issue") }
    refused { _ = try $0.record("S", type: "Secret") }
    refused { _ = try $0.record("X", type: "no name") }
    refused { try $0.set(#"secret(code:"x")"#, to: 1, on: $0.query) }
    refused { try $0.set("__typename", to: "X", on: $0.query) }
    refused { try $0.set("two/steps", to: 1, on: $0.query) }
    refused { try $0.set("n", to: .float(.nan), on: $0.query) }
    refused { try $0.set("n", to: .source("{"), on: $0.query) }
    refused { try $0.set("n", to: .source(#""text""#), on: $0.query) }
    refused { try $0.delete($0.query) }
    refused { try $0.addNaturalKey("viewer", to: $0.record("U")) }
    refused { try $0.addNaturalKey(#"node(id:"U")"#, to: $0.record("U")) }
    refused { editor in
      let place = try editor.record(at: "list", of: editor.query, type: "List")
      try editor.addNaturalKey(#"list(of:"x")"#, to: place)
    }
    var kept: ImageEditor.Record?
    try other.write { kept = try $0.record("kept", type: "Issue") }
    let record = try #require(kept)
    refused { try $0.set("title", to: "x", on: record) }
    refused { _ in _ = try other.refresh([Subject(1)]) }
    refused { _ in try other.close() }
    #expect(try !other.exported().contains("secret"))
    try other.close()
    try check(folder.file("b.image"))
  }

  @Test func `lists nest, sources keep their text and records of lists stay lists`() throws {
    try image.write { editor in
      let record = try editor.record("I_1", type: "Issue")
      try editor.set("matrix", to: [[1, nil], [], ["x", 2.5, true]], on: record)
      try editor.set("big", to: .source("18446744073709551615"), on: record)
      try editor.set("data", to: .source(#"{"k":[1,{"z":null}]}"#), on: record)
      try editor.set("nested", to: .list([.links([record, nil]), .list([])]), on: record)
    }
    let text = try image.exported()
    #expect(text.contains(#""matrix": [[1, null], [], ["x", 2.5, true]]"#))
    #expect(text.contains(#""big": "18446744073709551615""#))
    #expect(text.contains(#""nested": {"__refs": [["I_1", null], []]}"#))
    try image.close()
    try check(path)
  }
}
