import BatonImage
import BatonPlan
import Foundation
import Testing

@Suite(.timeLimit(.minutes(60))) struct UpkeepTests {
  private let library: Library

  init() throws {
    library = try Library.stocked()
  }

  private func run(_ verb: String, _ options: String...) throws -> Command.Run {
    try Command.run([verb, library.image] + options)
  }

  // MARK: inspect

  @Test func `inspect shows an image without colour where no terminal is`() throws {
    let run = try run("inspect")
    #expect(run.status == 0)
    #expect(!run.output.contains("\u{1B}"))
    for part in ["format 2", "Book", "last commit  2", "natural keys", "B3", "BooksQuery"] {
      #expect(run.output.contains(part), "\(part)")
    }
    #expect(run.output.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
  }

  @Test func `inspect counts what is there`() throws {
    let json = try run("inspect", "--json").json()
    #expect(json["versions"]?["format"] == .int(2))
    #expect(json["commit"] == .int(2))
    #expect(json["records"]?["count"] == .int(7))
    #expect(json["naturalKeys"]?["live"] == .int(2))
    // One operation, and a time for each of three ids.
    #expect(json["operations"]?["count"] == .int(4))
    #expect(json["misses"]?["most"]?[0]?["id"] == .string("B3"))
    #expect(json["misses"]?["most"]?[0]?["status"] == .string("notFound"))
    let size = try #require(library.bytes?.count)
    #expect(json["size"]?["file"] == .int(Int64(size)))
    guard case .list(let types)? = json["records"]?["types"] else {
      Issue.record("no types")
      return
    }
    #expect(types.contains { $0["type"] == .string("Book") && $0["records"] == .int(2) })
  }

  @Test func `inspect shows a record as a card`() throws {
    let text = try run("inspect", "--id", "B1")
    #expect(text.status == 0)
    for part in ["B1\n", "Book", "commit 2", Library.key, "\"Deep Caf\u{E9}\"", "A1"] {
      #expect(text.output.contains(part), "\(part)")
    }
    let json = try run("inspect", "--id", "B1", "--json").json()
    #expect(json["key"] == .string("B1"))
    #expect(json["commit"] == .int(2))
    #expect(json["fields"]?["title"]?["value"] == .string("Deep Caf\u{E9}"))
    #expect(json["naturalKeys"]?[0]?["key"] == .string(Library.key))
  }

  @Test func `inspect shows the last good value of a field that is null under an error`() throws {
    let response = """
      {"data": {"nodes": [{"__typename": "Book", "id": "B1", "title": "Deep Caf\u{E9}",
      "pages": null, "author": null}]},
      "errors": [{"message": "No pages.", "path": ["nodes", 0, "pages"]}]}
      """
    #expect(try library.commit(Array(response.utf8)).status == 0)
    let json = try run("inspect", "--id", "B1", "--json").json()
    #expect(json["fields"]?["pages"]?["value"] == .null)
    #expect(json["fields"]?["pages"]?["stale"] == .int(320))
    #expect(json["fields"]?["pages"]?["errors"]?[0]?["message"] == .string("No pages."))
    #expect(try run("inspect", "--id", "B1").output.contains("! No pages."))
  }

  @Test func `inspect of an unknown id is exit 4 and tells that it was not found`() throws {
    let run = try run("inspect", "--id", "B3")
    #expect(run.status == 4)
    #expect(run.errors.contains("there is no record B3; the id was answered not found 1 time"))
  }

  // MARK: verify

  @Test func `verify says that an image is sound`() throws {
    let run = try run("verify")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("sound: "))
    #expect(run.output.hasSuffix(" pages, 7 records\n"))
    let json = try self.run("verify", "--json").json()
    #expect(json["sound"] == .boolean(true))
    #expect(json["faults"] == .list([]))
  }

  @Test func `a damaged image is told with structure and byte, and no verb dies of it`() throws {
    var bytes = [UInt8](try #require(library.bytes))
    let place = try #require(bytes.firstRange(of: Array("Shoals".utf8))?.lowerBound)
    bytes[place] ^= 0x20
    try library.write(bytes, "library.image")
    let verify = try run("verify")
    #expect(verify.status == 1)
    #expect(verify.output.isEmpty)
    #expect(verify.errors.contains(" at byte "))
    #expect(try run("verify", "--json").json()["sound"] == .boolean(false))
    for run in [
      try run("export"), try run("inspect"), try run("inspect", "--id", "B2"),
      try run("compact", library.file("out.image")), try library.read("B2"),
    ] {
      #expect(run.status == 1)
      #expect(run.errors.contains(" at byte "), "\(run.errors)")
    }
    #expect(try !library.contents.contains("out.image"))
  }

  // MARK: changes

  @Test func `changes lists a line a commit`() throws {
    let all = try run("changes")
    #expect(all.status == 0)
    let lines = all.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("1  ") && lines[0].contains("BookQuery  4 records"))
    #expect(lines[1].contains("B1 changed title; B2 created __typename") == false)
    #expect(lines[1].contains("B1 changed title"))
    #expect(try run("changes", "--since", "1").output == String(lines[1]) + "\n")
    #expect(try run("changes", "--since", "2").output.isEmpty)
  }

  @Test func `changes as JSON names records and fields`() throws {
    let json = try run("changes", "--since", "1", "--json").json()
    #expect(json["commit"] == .int(2))
    #expect(json["changes"]?[1] == nil)
    #expect(json["changes"]?[0]?["operation"] == .string("BooksQuery"))
    #expect(
      json["changes"]?[0]?["records"]?[0]?.text
        == #"{"fields":["title"],"key":"B1","what":"changed"}"#)
  }

  @Test func `changes since a commit that is not there yet is a failure`() throws {
    let run = try run("changes", "--since", "9")
    #expect(run.status == 1)
    #expect(run.errors.contains("there is no commit 9 yet; the last is 2"))
  }

  @Test func `changes that the journal dropped are told, not left out`() throws {
    let image = try Image.open(path: library.image, options: .init(journalLimit: 1))
    #expect(try image.forget(id: "B1") == 3)
    try image.close()
    let run = try run("changes", "--since", "1")
    #expect(run.status == 1)
    #expect(
      run.errors.contains(
        "the changes since commit 1 are no longer kept; the journal begins with commit 3"))
    #expect(try self.run("changes").output.hasPrefix("3  "))
  }

  @Test func `changes follows an image as others commit`() throws {
    let isSeen = try Command.run(
      ["changes", library.image, "--since", "2", "--follow"], until: "B1 deleted"
    ) {
      _ = try run("forget", "--id", "B1")
    }
    #expect(isSeen)
  }

  // MARK: forget

  @Test func `a forgotten record is deleted, and the key still leads to its id`() throws {
    #expect(try run("forget", "--id", "B1").output == "commit 3: forgot B1\n")
    #expect(try run("forget", "--id", "B1").status == 4)
    #expect(try run("export", "--id", "B1").output == "{\n  \"B1\": null\n}\n")
    #expect(try run("resolve", Library.key).output == "B1\n")
    #expect(try run("changes", "--since", "2").output.contains("B1 deleted"))
    #expect(try run("verify").status == 0)
  }

  @Test func `a forgotten natural key is unknown, and its record stays`() throws {
    #expect(try run("forget", "--key", Library.key).status == 0)
    #expect(try run("forget", "--key", Library.key).status == 4)
    #expect(try run("resolve", Library.key).status == 4)
    #expect(try library.readRow("--id", "B1").status == 0)
    #expect(try run("verify").status == 0)
  }

  // MARK: compact

  @Test func `a compacted copy is sound, private, smaller and holds the same`() throws {
    for _ in 0..<5 {
      _ = try library.discover()
      _ = try library.commitRefresh()
    }
    let out = library.file("out.image")
    let run = try run("compact", out)
    #expect(run.status == 0)
    #expect(run.output.contains(" before, "))
    #expect(try Command.run("verify", out).status == 0)
    #expect(try Command.run("export", out).output == self.run("export").output)
    let attributes = try FileManager.default.attributesOfItem(atPath: out)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let size = try #require(attributes[.size] as? Int)
    #expect(try size < #require(library.bytes?.count))
    let names = try library.contents
    let again = try self.run("compact", out)
    #expect(again.status == 1)
    #expect(again.errors.contains("\(out) is there already"))
    #expect(try library.contents == names, "nothing is left behind")
  }
}
