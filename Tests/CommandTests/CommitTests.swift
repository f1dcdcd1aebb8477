import BatonPlan
import Foundation
import Testing

@Suite(.timeLimit(.minutes(60))) struct CommitTests {
  @Test func `a commit prints a line for people`() throws {
    let library = try Library()
    let run = try library.discover()
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output == "commit 1: 3 created, 0 changed, 0 unchanged\n")
    let refresh = try library.commitRefresh()
    #expect(
      refresh.output
        == "commit 2: 1 created, 1 changed, 1 unchanged; 2 of 3 ids answered; 1 error\n")
  }

  @Test func `a commit's JSON has the members of the contract`() throws {
    let library = try Library()
    let first = try library.discover("--json").json()
    #expect(
      first.names == ["aliases", "commit", "errors", "fieldsChanged", "pagesWritten", "records"])
    #expect(first["commit"] == .int(1))
    #expect(first["records"]?.text == #"{"changed":0,"created":3,"unchanged":0}"#)
    #expect(first["errors"] == .list([]))
    let second = try library.commitRefresh("--json").json()
    #expect(second["commit"] == .int(2))
    #expect(
      second["ids"]?.text == """
        [{"asked":"B1","id":"B1","status":"ok"},{"asked":"B2","id":"B2","status":"ok"},\
        {"asked":"B3","id":null,"status":"notFound"}]
        """)
    #expect(
      second["errors"]?.text
        == #"[{"message":"There is no B3.","path":["nodes",2],"type":"NOT_FOUND"}]"#)
  }

  @Test func `a response that changes nothing writes no page`() throws {
    let library = try Library()
    try #require(try library.discover().status == 0)
    let again = try library.discover("--json").json()
    #expect(again["commit"] == .int(1))
    #expect(again["records"]?.text == #"{"changed":0,"created":0,"unchanged":3}"#)
    #expect(again["pagesWritten"] == .int(0))
    #expect(again["fieldsChanged"] == .int(0))
  }

  @Test func `a legacy id that is answered with a new one is an alias`() throws {
    let library = try Library.stocked()
    let response = """
      {"data": {"nodes": [{"__typename": "Book", "id": "B1x", "title": "Deep", "pages": 1,
      "author": null}]}, "extensions": {"warnings": [{"data":
      {"legacy_global_id": "B1", "next_global_id": "B1x"}}]}}
      """
    let json = try library.commit(Array(response.utf8), "--json").json()
    #expect(json["aliases"]?.text == #"[{"from":"B1","to":"B1x"}]"#)
    #expect(try Command.run("keys", library.image).output.contains("B1\tB1x\n"))
    #expect(try Command.run("resolve", library.image, Library.key).output == "B1x\n")
  }

  @Test func `records that become one another in turn are one in the end`() throws {
    let library = try Library()
    func commit(_ id: String) throws {
      let response = #"{"data": {"nodes": [{"__typename": "Book", "id": "\#(id)"}]}}"#
      #expect(try library.commit(Array(response.utf8)).status == 0)
    }
    // The second is known before the first becomes it, and the third before the second does.
    let all = ["B3", "B2", "B1"].map {
      #"{"__typename": "Book", "id": "\#($0)", "title": "\#($0)"}"#
    }
    let file = try library.write(
      "{\"data\": {\"nodes\": [\(all.joined(separator: ","))]}}", "all.json")
    let run = try Command.run(
      ["commit", library.image] + library.plan("BooksQuery")
        + ["--variables", #"{"ids": ["B3", "B2", "B1"]}"#, file])
    #expect(run.status == 0)
    try commit("B2")
    try commit("B3")
    let verify = try Command.run("verify", library.image)
    #expect(verify.status == 0, "\(verify.errors)")
    #expect(try Command.run("keys", library.image).output == "B1\tB3\nB2\tB3\n")
  }

  @Test(arguments: [
    #"{"data": null, "errors": [{"message": "Not today.", "path": ["nodes"]}]}"#,
    #"{"errors": [{"message": "Not today.", "path": ["nodes"]}]}"#,
  ])
  func `a response without data fails with its errors and commits nothing`(
    _ response: String
  ) throws {
    let library = try Library.stocked()
    let before = library.bytes
    let run = try library.commit(Array(response.utf8))
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("there is no data, nothing was committed"))
    #expect(run.errors.contains("nodes: Not today."))
    let json = try library.commit(Array(response.utf8), "--json")
    #expect(json.status == 1)
    #expect(try json.json()["errors"]?[0]?["message"] == .string("Not today."))
    #expect(library.bytes == before)
  }

  @Test func `a response with errors and data commits its data`() throws {
    let library = try Library()
    #expect(try library.commitRefresh().status == 0)
    #expect(try library.read("B1", "B2").status == 0)
  }

  @Test func `parts of a response are committed as one`() throws {
    let library = try Library()
    let document = try library.write(
      "query Q { shelf(name: \"sea\") { id ... @defer { name } } }", "defer.graphql")
    let first = try library.write(
      #"{"data": {"shelf": {"id": "S1"}}, "hasNext": true}"#, "first.json")
    let second = try library.write(
      #"{"path": ["shelf"], "data": {"name": "sea"}, "hasNext": false}"#, "second.json")
    let options = ["--document", document]
    #expect(try Command.run(["commit", library.image, first, second] + options).status == 0)
    let read = try Command.run(["read", library.image] + options)
    #expect(try read.json()["data"]?.text == #"{"shelf":{"id":"S1","name":"sea"}}"#)
    let broken = try library.write(#"{"path": ["shelf"], "data": {"name": }}"#, "broken.json")
    let run = try Command.run(["commit", library.image, first, broken] + options)
    #expect(run.status == 1)
    #expect(run.errors.contains("\(broken): byte 37"), "\(run.errors)")
  }

  @Test func `an image is opened under the identity it was made with`() throws {
    let library = try Library.stocked()
    let before = library.bytes
    let config = try library.write(#"{"identity": {"scope": "type"}}"#, "config.json")
    for run in [
      try library.discover("--config", config),
      try Command.run(
        ["read", library.image] + library.plan("BooksQuery")
          + ["--config", config, "--variables", #"{"ids": []}"#]),
    ] {
      #expect(run.status == 5)
      #expect(run.errors.contains("\(library.image): another format"))
      #expect(run.errors.contains(#""scope":"global""#))
    }
    #expect(library.bytes == before)
  }

  @Test func `an image is the owner's alone`() throws {
    let library = try Library.stocked()
    for path in [library.image, library.image + "-lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(path)")
    }
  }
}
