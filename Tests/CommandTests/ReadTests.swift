import BatonPlan
import Foundation
import Testing

@Suite(.timeLimit(.minutes(60))) struct ReadTests {
  private let library: Library

  init() throws {
    library = try Library.stocked()
  }

  @Test func `an operation reads in any order of ids, with what the responses said last`() throws {
    let run = try library.read("B2", "B1")
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    let json = try run.json()
    #expect(json.names == ["data", "errors", "fetchedAt", "missing"])
    let author = #""author":{"__typename":"Author","id":"A1","name":"Ana"}"#
    #expect(
      json["data"]?.text == """
        {"nodes":[{"__typename":"Book","author":null,"id":"B2","pages":null,"title":"Shoals"},\
        {"__typename":"Book",\(author),"id":"B1","pages":320,"title":"Deep Caf\u{E9}"}]}
        """)
    #expect(json["missing"] == .list([]))
    #expect(json["errors"] == .list([]))
    #expect(json["fetchedAt"] != .null, "each of the ids was asked for")
    #expect(run.output.contains("Caf\u{E9}"), "non-ASCII characters are not escaped")
  }

  @Test func `the operation that was committed says when it was fetched`() throws {
    guard case .int(let time)? = try library.read("B1", "B2", "B3").json()["fetchedAt"] else {
      Issue.record("no time")
      return
    }
    #expect(abs(Date().timeIntervalSince1970 - Double(time)) < 600)
  }

  @Test func `an id that was answered with NOT_FOUND reads as null with the error`() throws {
    let run = try library.read("B3")
    #expect(run.status == 0)
    let json = try run.json()
    #expect(json["data"]?.text == #"{"nodes":[null]}"#)
    #expect(
      json["errors"]?.text == #"[{"message":"There is no B3.","path":["nodes",0]}]"#)
  }

  @Test func `an id that was never fetched is missing, with its path and exit 3`() throws {
    let run = try library.read("B1", "B9")
    #expect(run.status == 3)
    #expect(try run.json()["missing"]?.text == #"[["nodes",1]]"#)
    #expect(try run.json()["data"]?["nodes"]?[1] == .null)
    #expect(try run.json()["fetchedAt"] == .null)
    #expect(run.errors == "baton-image read: 1 field missing\n")
  }

  @Test func `a field that was never fetched is missing and left out`() throws {
    let document = try library.write(
      "query Q { node(id: \"B1\") { ... on Book { id isbn } } }", "more.graphql")
    let run = try Command.run("read", library.image, "--document", document)
    #expect(run.status == 3)
    #expect(try run.json()["missing"]?.text == #"[["node","isbn"]]"#)
    #expect(try run.json()["data"]?.text == #"{"node":{"id":"B1"}}"#)
  }

  @Test(arguments: [
    ("--id", "B1"), ("--key", Library.key), ("--key", "shelf(name:\"sea\") / book( number: 1 )"),
  ])
  func `a fragment reads by id and by natural key`(_ option: String, _ name: String) throws {
    let run = try library.readRow(option, name)
    #expect(run.status == 0)
    #expect(try run.json()["data"]?["title"] == .string("Deep Caf\u{E9}"))
    #expect(try run.json()["fetchedAt"] == .null)
  }

  @Test(arguments: [("--id", "B9"), ("--key", "shelf(name:\"sky\")/book(number:1)")])
  func `an unknown record or key is exit 4`(_ option: String, _ name: String) throws {
    let run = try library.readRow(option, name)
    #expect(run.status == 4)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains(name))
  }

  @Test func `a fragment on another type is a wrong usage`() throws {
    let run = try library.readRow("--id", "S1")
    #expect(run.status == 2)
    #expect(run.errors.contains("Shelf"))
  }

  @Test func `export dumps a record a line, keys sorted`() throws {
    let run = try Command.run("export", library.image)
    #expect(run.status == 0)
    let keys = ["A1", "B1", "B2", "S1", "client:root", "client:root:mutation"]
    #expect(try run.json().names == keys + ["client:root:subscription"])
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 9)
    #expect(
      lines[2] == """
          "B1": {"__typename": "Book", "author": {"__ref": "A1"}, "id": "B1", "pages": 320, \
        "title": "Deep Caf\u{E9}"},
        """)
  }

  @Test func `export takes ids, and an unknown one is exit 4`() throws {
    let run = try Command.run("export", library.image, "--id", "B2", "--id", "A1")
    #expect(run.status == 0)
    #expect(try run.json().names == ["A1", "B2"])
    #expect(try Command.run("export", library.image, "--id", "B9").status == 4)
  }

  @Test func `resolve takes arguments in any order and says which key is unknown`() throws {
    let known = try Command.run("resolve", library.image, Library.key, "shelf(name: \"sea\")")
    #expect(known.status == 0)
    #expect(known.output == "B1\nS1\n")
    let unknown = try Command.run(
      "resolve", library.image, "shelf(name:\"sky\")", Library.key)
    #expect(unknown.status == 4)
    #expect(unknown.output == "B1\n")
    #expect(unknown.errors.contains("shelf(name:\"sky\")"))
    let wrong = try Command.run("resolve", library.image, "shelf(name:")
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("byte 11"))
  }

  @Test func `keys lists natural keys with their ids`() throws {
    let text = try Command.run("keys", library.image)
    #expect(text.output == "shelf(name:\"sea\")\tS1\n\(Library.key)\tB1\n")
    let json = try Command.run("keys", library.image, "--json").json()
    #expect(json.names == ["aliases", "keys"])
    #expect(json["keys"]?[0]?["id"] == .string("S1"))
  }
}
