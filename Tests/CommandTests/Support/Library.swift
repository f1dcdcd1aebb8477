import Foundation
import TestSupport
import Testing

/// A folder with small inputs: a library of books, its operations and responses.
struct Library {
  private let folder: TemporaryFolder
  let image: String

  static let schema = """
    type Query {
      node(id: ID!): Node
      nodes(ids: [ID!]!): [Node]!
      shelf(name: String!): Shelf
    }
    interface Node { id: ID! }
    type Shelf implements Node { id: ID! name: String! book(number: Int!): Book }
    type Book implements Node { id: ID! title: String! pages: Int author: Author }
    type Author implements Node { id: ID! name: String! }
    """

  static let document = """
    query BookQuery($shelf: String!, $number: Int!) {
      shelf(name: $shelf) { __typename id name book(number: $number) { ...Row_book } }
    }
    query BooksQuery($ids: [ID!]!) { nodes(ids: $ids) { __typename id ...Row_book } }
    fragment Row_book on Book { __typename id title pages author { __typename id name } }
    """

  static let discovery = """
    {"data": {"shelf": {"__typename": "Shelf", "id": "S1", "name": "sea", "book": {
      "__typename": "Book", "id": "B1", "title": "Caf\u{E9} of the Deep", "pages": 320,
      "author": {"__typename": "Author", "id": "A1", "name": "Ana"}}}}}
    """

  static let key = "shelf(name:\"sea\")/book(number:1)"

  /// Books B1 to B3, B3 not found.
  static let refresh = """
    {"data": {"nodes": [
      {"__typename": "Book", "id": "B1", "title": "Deep Caf\u{E9}", "pages": 320,
       "author": {"__typename": "Author", "id": "A1", "name": "Ana"}},
      {"__typename": "Book", "id": "B2", "title": "Shoals", "pages": null, "author": null},
      null]},
     "errors": [{"type": "NOT_FOUND", "message": "There is no B3.", "path": ["nodes", 2]}]}
    """

  static let refreshVariables = #"{"ids": ["B1", "B2", "B3"]}"#

  /// Writes the inputs into a new folder; there is no image yet.
  init() throws {
    folder = try TemporaryFolder()
    image = folder.file("library.image")
    try write(Self.schema, "schema.graphql")
    try write(Self.document, "document.graphql")
    try write(Self.discovery, "discovery.json")
    try write(Self.refresh, "refresh.json")
  }

  /// A library whose image holds what `BookQuery` brought, and `BooksQuery` as well.
  static func stocked() throws -> Library {
    let library = try Library()
    #expect(try library.discover().status == 0)
    #expect(try library.commitRefresh().status == 0)
    return library
  }

  @discardableResult
  func write(_ text: String, _ name: String) throws -> String {
    try write(Array(text.utf8), name)
  }

  @discardableResult
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    let path = folder.file(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// The path of `name` in the folder.
  func file(_ name: String) -> String { folder.file(name) }

  /// The names of what is in the folder, sorted.
  var contents: [String] {
    get throws { try folder.contents }
  }

  /// The image's bytes; nil when there is none.
  var bytes: Data? { FileManager.default.contents(atPath: image) }

  // MARK: Commands

  /// `--schema`, `--document` and an operation.
  func plan(_ operation: String) -> [String] {
    [
      "--schema", folder.file("schema.graphql"), "--document", folder.file("document.graphql"),
      "--operation", operation,
    ]
  }

  func discover(_ extra: String...) throws -> Command.Run {
    try Command.run(
      ["commit", image] + plan("BookQuery")
        + ["--variables", #"{"shelf": "sea", "number": 1}"#] + extra
        + [folder.file("discovery.json")])
  }

  func commitRefresh(_ extra: String...) throws -> Command.Run {
    try Command.run(
      ["commit", image] + plan("BooksQuery") + ["--variables", Self.refreshVariables] + extra
        + [folder.file("refresh.json")])
  }

  /// Commits a response of `BooksQuery` for B1.
  func commit(_ response: [UInt8], _ extra: String...) throws -> Command.Run {
    try Command.run(
      ["commit", image] + plan("BooksQuery") + ["--variables", #"{"ids": ["B1"]}"#] + extra
        + ["-"], input: response)
  }

  /// Reads `BooksQuery` for ids.
  func read(_ ids: String...) throws -> Command.Run {
    let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
    return try Command.run(
      ["read", image] + plan("BooksQuery") + ["--variables", "{\"ids\": [\(list)]}"])
  }

  /// Reads `Row_book` of the record that `--id` or `--key` names.
  func readRow(_ option: String, _ name: String) throws -> Command.Run {
    try Command.run(
      "read", image, "--schema", folder.file("schema.graphql"), "--document",
      folder.file("document.graphql"), "--fragment", "Row_book", option, name)
  }
}
