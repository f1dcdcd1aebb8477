import BatonImage
import BatonPlan
import Foundation
import LifeSupport
import TestSupport
import Testing

/// The same store built twice, by responses and by hand: the same records, journal and deliveries.
@Suite(.timeLimit(.minutes(60)))
struct EqualWritingTests {
  let folder: TemporaryFolder
  /// Responses go to this one.
  let answered: Image
  /// Edits go to this one.
  let written: Image

  init() throws {
    folder = try TemporaryFolder()
    answered = try Image.open(path: folder.file("answered.image"))
    written = try Image.open(path: folder.file("written.image"))
  }

  /// A response as text, and its variables.
  private func respond(
    _ text: String, to plan: Plan, _ variables: Variables
  ) throws -> CommitOutcome {
    try answered.commit(parts: [Array(text.utf8)], of: plan, variables: variables)
  }

  private func answer(_ issue: String, errors: String = "", id: String = "I_1") throws {
    let text = #"{"data":{"nodes":[{"__typename":"Issue","id":"\#(id)",\#(issue)}]}\#(errors)}"#
    _ = try respond(text, to: Documents.refresh, ["ids": .list([.string(id)])])
  }

  /// Does a step both ways and expects the same of both images.
  ///
  /// Before it, an edit that ends badly does the same and more: nothing of it may stay.
  private func step(
    _ name: String, _ response: () throws -> Void,
    _ edit: @escaping (inout ImageEditor) throws -> Void
  ) throws {
    let (commit, text) = try (written.snapshot().commit, written.exported())
    #expect(throws: CancellationError.self, "\(name)") {
      try written.write { editor in
        try edit(&editor)
        try editor.set("title", to: "bad", on: editor.record("I_bad", type: "Issue"))
        throw CancellationError()
      }
    }
    #expect(try written.exported() == text, "\(name)")
    #expect(try written.snapshot().commit == commit, "\(name)")
    let before = try answered.snapshot().commit
    #expect(before == commit, "\(name)")
    try response()
    try written.write(edit)
    #expect(try written.exported() == answered.exported(), "\(name)")
    #expect(
      try changes(of: written, since: before) == changes(of: answered, since: before), "\(name)")
  }

  /// What commits changed, without what tells a response from an edit.
  private func changes(of image: Image, since commit: UInt64) throws -> [Change] {
    try image.snapshot().changes(since: commit).map { change in
      var change = change
      change.time = 0
      change.operation = ""
      // Numbers are given in the order of writing.
      for index in change.records.indices { change.records[index].number = 0 }
      change.records.sort { ($0.key ?? "") < ($1.key ?? "") }
      return change
    }
  }

  @Test func `values, nulls, lists, errors and deletions are the same either way`() async throws {
    let logs = [answered, written].map { Log($0.observe(Documents.row, id: "I_1")) }
    for log in logs { try await log.wait(for: 1) }
    try fieldSteps()
    try lifeSteps()
    for log in logs { try await log.waitForTitle("back") }
    // Each saw the end; what lies between may be coalesced, and is equal where it is not.
    let contents = logs.map { $0.entries.map(\.commit) }
    let states = logs.map { log in
      Dictionary(log.entries.map { ($0.commit, $0.content) }) { first, _ in first }
    }
    for commit in Set(contents[0]).intersection(contents[1]) {
      #expect(states[0][commit] == states[1][commit], "commit \(commit)")
    }
    for image in [answered, written] { try image.close() }
    for name in ["answered.image", "written.image"] {
      let report = try Verifier.verify(at: folder.file(name))
      #expect(report.isSound, "\(report.faults)")
    }
  }

  private func fieldSteps() throws {
    try step("made") {
      try answer(#""number":1,"title":"one","state":"OPEN","weight":0.5,"tags":["a","b"]"#)
    } _: { editor in
      let issue = try editor.record("I_1", type: "Issue")
      try editor.set("number", to: 1, on: issue)
      try editor.set("title", to: "one", on: issue)
      try editor.set("state", to: "OPEN", on: issue)
      try editor.set("weight", to: 0.5, on: issue)
      try editor.set("tags", to: ["a", "b"], on: issue)
    }
    try step("equal") {
      try answer(#""title":"one","tags":["a","b"]"#)
    } _: { editor in
      let issue = try editor.record("I_1")
      try editor.set("title", to: "one", on: issue)
      try editor.set("tags", to: ["a", "b"], on: issue)
    }
    try step("null and a list with null") {
      try answer(#""weight":null,"tags":[null,"c"]"#)
    } _: { editor in
      let issue = try editor.record("I_1")
      try editor.set("weight", to: nil, on: issue)
      try editor.set("tags", to: [nil, "c"], on: issue)
    }
    let hidden =
      #","errors":[{"message":"hidden","path":["nodes",0,"state"],"extensions":{"code":"FORBIDDEN"}}]"#
    try step("failed, the last good value kept") {
      try answer(#""state":null"#, errors: hidden)
    } _: { editor in
      let error = FieldError(
        message: "hidden", pathText: #"["nodes",0,"state"]"#, code: "FORBIDDEN",
        extensionsText: #"{"code":"FORBIDDEN"}"#)
      try editor.fail("state", with: [error], on: editor.record("I_1"))
    }
    try step("the error goes with a value") {
      try answer(#""state":"CLOSED""#)
    } _: { editor in
      try editor.set("state", to: "CLOSED", on: editor.record("I_1"))
    }
    let element = #","errors":[{"message":"lost","path":["nodes",0,"tags",0]}]"#
    try step("an error below a value") {
      try answer(#""tags":[null,"d"]"#, errors: element)
    } _: { editor in
      let error = FieldError(message: "lost", pathText: #"["nodes",0,"tags",0]"#)
      try editor.set("tags", to: [nil, "d"], errors: [error], on: editor.record("I_1"))
    }
    try step("linked") {
      try answer(#""author":{"__typename":"User","login":"ada","id":"U_ada"}"#)
    } _: { editor in
      let user = try editor.record("U_ada", type: "User")
      try editor.set("login", to: "ada", on: user)
      try editor.set("author", to: .link(user), on: editor.record("I_1"))
    }
  }

  private func lifeSteps() throws {
    try step("an id nobody knew is answered with another") {
      try answerOtherId("I_old", #""id":"I_new","title":"new""#)
    } _: { editor in
      let new = try editor.record("I_new", type: "Issue")
      try editor.set("title", to: "new", on: new)
      try editor.addAlias("I_old", to: new)
    }
    try step("a record turns out to be another") {
      try answer(#""title":"two""#, id: "I_2")
    } _: { editor in
      try editor.set("title", to: "two", on: editor.record("I_2", type: "Issue"))
    }
    try step("and is united with it") {
      try answerOtherId("I_2", #""id":"I_new","title":"new""#)
    } _: { editor in
      try editor.addAlias("I_2", to: editor.record("I_new"))
    }
    try step("found by a natural key", discover) { editor in
      let issue = try editor.record("I_1")
      let repository = try editor.record("R_w", type: "Repository")
      try editor.set("nameWithOwner", to: "octo/w", on: repository)
      try editor.set("issue(number:1)", to: .link(issue), on: repository)
      try editor.set(Self.repository, to: .link(repository), on: editor.query)
      try editor.addNaturalKey(Self.repository, to: repository)
      try editor.addNaturalKey(Self.repository + "/issue(number:1)", to: issue)
    }
    try step("pinned") {
      try answered.pin("I_1")
    } _: { editor in
      try editor.pin(editor.record("I_1"))
    }
    try compareNames()
    try step("deleted") {
      try answered.forget(id: "I_1")
    } _: { editor in
      try editor.delete(editor.record("I_1"))
    }
    try compareNames()
    try step("back again") {
      try answer(#""title":"back","number":1,"state":"OPEN""#)
    } _: { editor in
      let issue = try editor.record("I_1", type: "Issue")
      try editor.set("title", to: "back", on: issue)
      try editor.set("number", to: 1, on: issue)
      try editor.set("state", to: "OPEN", on: issue)
    }
    try step("unpinned") {
      try answered.unpin("I_1")
    } _: { editor in
      try editor.unpin(editor.record("I_1"))
    }
    try compareNames()
  }

  private static let repository = #"repository(name:"w",owner:"octo")"#

  private func discover() throws {
    let text = """
      {"data":{"repository":{"id":"R_w","nameWithOwner":"octo/w",
      "issue":{"id":"I_1","number":1,"title":"one","state":"CLOSED"}}}}
      """
    _ = try respond(
      text, to: Documents.discover,
      ["owner": .string("octo"), "name": .string("w"), "number": .int(1)])
  }

  private func answerOtherId(_ id: String, _ issue: String) throws {
    let text = #"{"data":{"nodes":[{"__typename":"Issue",\#(issue)}]}}"#
    _ = try respond(text, to: Documents.refresh, ["ids": .list([.string(id)])])
  }

  /// Expects that all names lead to the same, and records to be kept alike.
  private func compareNames() throws {
    for key in [Self.repository, Self.repository + "/issue(number:1)"] {
      let id = try written.snapshot().id(of: key)
      #expect(try id != nil && answered.snapshot().id(of: key) == id)
    }
    for name in ["I_1", "I_2", "I_old", "I_new", "R_w"] {
      let (left, right) = try (written.snapshot().card(name), answered.snapshot().card(name))
      #expect(left != nil && left?.key == right?.key, "\(name)")
      #expect(left?.flags == right?.flags, "\(name)")
      #expect(left?.aliases == right?.aliases, "\(name)")
      #expect(left?.naturalKeys.map(\.text) == right?.naturalKeys.map(\.text), "\(name)")
    }
  }

  @Test func `a cleared field is as if it had never come`() throws {
    try answer(#""title":"one","state":"OPEN""#)
    _ = try written.write { editor in
      let issue = try editor.record("I_1", type: "Issue")
      try editor.set("title", to: "one", on: issue)
      try editor.set("state", to: "OPEN", on: issue)
      try editor.set("tags", to: ["a"], on: issue)
      try editor.set(#"search(query:"x")"#, to: .links([issue]), on: editor.query)
    }
    try written.write { editor in
      try editor.clear("tags", of: editor.record("I_1"))
      try editor.clear(#"search(query:"x")"#, of: editor.query)
      try editor.clear("never", of: editor.query)
    }
    #expect(try written.exported() == answered.exported())
    let result = try written.snapshot().read(
      Documents.refresh, variables: ["ids": .list([.string("I_1")])])
    #expect(result.missing.contains([.key("nodes"), .index(0), .key("tags")]))
  }
}
