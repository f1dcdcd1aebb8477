import Testing

@Suite(.timeLimit(.minutes(60))) struct UsageTests {
  static let verbs = [
    "commit", "read", "export", "resolve", "keys", "inspect", "verify", "changes", "forget",
    "compact", "refresh", "discover", "demo",
  ]

  @Test func `without a verb the usage is an error and names every verb`() throws {
    let run = try Command.run()
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    for verb in Self.verbs { #expect(run.errors.contains("\n  \(verb) "), "\(verb)") }
  }

  @Test(arguments: ["--help", "-h", "help"])
  func `help is no error`(_ option: String) throws {
    let run = try Command.run(option)
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    for verb in Self.verbs { #expect(run.output.contains("\n  \(verb) "), "\(verb)") }
  }

  @Test(arguments: verbs, ["--help", "-h"])
  func `each verb has help that begins with its usage`(_ verb: String, _ option: String) throws {
    let run = try Command.run(verb, option)
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output.hasPrefix("usage: baton-image \(verb) "))
    #expect(run.output.contains("--help"))
  }

  @Test func `an unknown verb is named`() throws {
    let run = try Command.run("comit", "x.image")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("baton-image: unknown verb comit\n"))
  }

  @Test(arguments: verbs)
  func `an unknown option of a verb is named`(_ verb: String) throws {
    let run = try Command.run(verb, "x.image", "--colour", "red")
    #expect(run.status == 2)
    #expect(run.errors == "baton-image \(verb): unknown option --colour\n")
  }

  @Test(arguments: [
    (["commit", "x.image", "--document"], "--document needs a value"),
    (["commit", "x.image", "r.json"], "--document is missing"),
    (
      ["commit", "x.image"], "usage: baton-image commit IMAGE --document FILE [options] RESPONSE..."
    ),
    (["read", "--document", "a", "--document", "b", "x.image"], "--document is given twice"),
    (["keys", "x.image", "--json=1"], "--json takes no value"),
    (["keys"], "usage: baton-image keys IMAGE [--json]"),
    (["keys", "x.image", "y.image"], "usage: baton-image keys IMAGE [--json]"),
    (["resolve", "x.image"], "usage: baton-image resolve IMAGE KEY..."),
    (["forget", "x.image"], "either --id or --key is expected"),
    (["forget", "x.image", "--id", "1", "--key", "a"], "either --id or --key is expected"),
    (["changes", "x.image", "--since", "-1"], "--since: '-1' is no commit number"),
    (["changes", "x.image", "--since", "one"], "--since: 'one' is no commit number"),
  ])
  func `a wrong usage says what is wrong`(_ arguments: [String], _ message: String) throws {
    let run = try Command.run(arguments)
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    #expect(run.errors == "baton-image \(arguments[0]): \(message)\n")
  }

  @Test func `a document with several operations needs one named`() throws {
    let library = try Library()
    let document = library.file("document.graphql")
    let missing = try Command.run("read", library.image, "--document", document)
    #expect(missing.status == 2)
    #expect(missing.errors.contains("--operation is missing; the document has BookQuery, BooksQ"))
    let unknown = try Command.run(
      "read", library.image, "--document", document, "--operation", "BookQuerry")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("--operation: the document has no 'BookQuerry'"))
    let fragment = try Command.run(
      "read", library.image, "--document", document, "--fragment", "Row", "--id", "B1")
    #expect(fragment.status == 2)
    #expect(fragment.errors.contains("--fragment: the document has no 'Row'; it has Row_book"))
  }

  @Test(arguments: [
    (["--fragment", "Row_book"], "--fragment needs the record, by --id or --key"),
    (["--fragment", "Row_book", "--id", "a", "--key", "b"], "--id and --key exclude each other"),
    (
      ["--operation", "BooksQuery", "--fragment", "Row_book"], "--operation and --fragment exclude"
    ),
    (
      ["--operation", "BooksQuery", "--variables", #"{"ids": []}"#, "--id", "a"],
      "--id and --key go"
    ),
  ])
  func `options of read that don't go together are refused`(
    _ options: [String], _ message: String
  ) throws {
    let library = try Library()
    let run = try Command.run(
      ["read", library.image, "--document", library.file("document.graphql")] + options)
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("baton-image read: \(message)"))
  }

  @Test(arguments: [
    (#"{"ids": [], "id": 1}"#, "--variables: variable $id is not declared by the operation"),
    (#"{"ids": ["B1""#, "--variables: byte 13: the document ends"),
    (#"["B1"]"#, "--variables: an object is expected"),
    (#"{}"#, "--variables: variable $ids"),
  ])
  func `variables that don't fit are refused before the image is opened`(
    _ variables: String, _ message: String
  ) throws {
    let library = try Library()
    let run = try Command.run(
      ["commit", library.image] + library.plan("BooksQuery") + [
        "--variables", variables, library.file("refresh.json"),
      ])
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("baton-image commit: \(message)"), "\(run.errors)")
    #expect(try library.contents.allSatisfy { !$0.hasPrefix("library.image") })
  }

  @Test func `variables come from a file as well, but not from both`() throws {
    let library = try Library.stocked()
    let file = try library.write(#"{"ids": ["B2"]}"#, "variables.json")
    let read = ["read", library.image] + library.plan("BooksQuery") + ["--variables-file", file]
    #expect(try Command.run(read).status == 0)
    let both = try Command.run(read + ["--variables", "{}"])
    #expect(both.status == 2)
    #expect(both.errors.contains("--variables and --variables-file exclude each other"))
  }

  @Test func `a diagnostic of a document has file, line and column`() throws {
    let library = try Library()
    let document = try library.write("query Q {\n  shelf(name: 7) { nam }\n}", "wrong.graphql")
    let run = try Command.run(
      "read", library.image, "--schema", library.file("schema.graphql"), "--document",
      document)
    #expect(run.status == 1)
    #expect(run.errors.contains("\(document):2:"))
    #expect(run.errors.contains("nam"))
  }

  @Test(arguments: [
    (#"{"identity": {"scoop": "type"}}"#, "$.identity.scoop"),
    (#"{"identity": {"scope": "local"}}"#, "$.identity.scope"),
    (#"{"lookups": [{"field": "Query.a"}]}"#, "$.lookups[0]"),
    (#"{"identity": "#, "byte 13"),
  ])
  func `a wrong configuration is named with its place`(_ text: String, _ place: String) throws {
    let library = try Library()
    let file = try library.write(text, "config.json")
    let run = try library.discover("--config", file)
    #expect(run.status == 1)
    #expect(run.errors.contains("\(file): \(place)"), "\(run.errors)")
  }

  @Test func `a file that is not there is named`() throws {
    let library = try Library()
    let run = try library.discover("--config", "/nowhere/config.json")
    #expect(run.status == 1)
    #expect(run.errors.contains("/nowhere/config.json: there is no such file"))
  }
}
