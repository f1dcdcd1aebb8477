import BatonDocuments
import BatonImage
import BatonPlan
import Foundation
import TestSupport
import Testing

/// The same commits make the same bytes, whichever process makes them: nothing that is kept depends
/// on the order of a dictionary, which differs from process to process.
@Suite(.timeLimit(.minutes(60))) struct StableBytesTests {
  private static let schema = """
    interface Node { id: ID! }
    union Subject = Issue | Note
    input Filter { state: String labels: [String] nested: Filter }
    type Query {
      node(id: ID!): Node
      nodes(ids: [ID!]!): [Node]
      repository(owner: String, name: String): Repository
      search(filter: Filter, first: Int): [Subject]
      count(of: String, by: Filter): Int
    }
    type Mutation { rename(id: ID, title: String): Renamed }
    type Renamed { issue: Issue }
    type Repository implements Node { id: ID! name: String issue(number: Int): Issue }
    type Issue implements Node {
      id: ID! number: Int title: String tags: [String] cell(n: Int): Int detail: Detail
    }
    type Note { text: String detail: Detail }
    type Detail { theme: String inner: Detail }
    """

  private static let cells = (0..<90).map { "c\($0): cell(n: \($0))" }.joined(separator: " ")
  private static let cellValues = (0..<90).map { #""c\#($0)":\#($0 * 300)"# }
    .joined(separator: ",")

  /// Documents, variables and responses, of every kind of key and of many names at once.
  private static let commits: [(document: String, variables: String, response: String)] = [
    (
      """
      query Found($owner: String, $name: String, $n: Int) {
        repository(owner: $owner, name: $name) {
          id name issue(number: $n) { id number title tags detail { theme inner { theme } } }
        }
      }
      """, #"{"owner":"o","name":"w","n":7}"#,
      """
      {"data":{"repository":{"id":"R","name":"w","issue":{"id":"I7","number":7,"title":"é",
      "tags":["b","a"],"detail":{"theme":"t","inner":{"theme":"u"}}}}}}
      """
    ),
    (
      """
      query Search($f: Filter) {
        search(filter: $f, first: 3) { __typename ... on Issue { id \(cells) } ... on Note { text } }
        a: count(of: "a", by: {nested: {state: "x", labels: ["q", "p"]}, state: "OPEN"})
        b: count(by: $f, of: "b")
      }
      """, #"{"f":{"state":"OPEN","nested":{"labels":["z"],"state":null},"labels":["y","x"]}}"#,
      """
      {"data":{"search":[{"__typename":"Note","text":"n"},null,{"__typename":"Issue","id":"I8",
      \(cellValues)}],"a":1,"b":null},"errors":[{"message":"m","path":["b"],"extensions":{"z":1,
      "code":"SLOW","a":{"y":2,"x":3}}},{"message":"k","path":["search",1]}]}
      """
    ),
    (
      """
      query Refresh($ids: [ID!]!) {
        nodes(ids: $ids) { __typename id ... on Issue { number title } }
      }
      """, #"{"ids":["I7","I8","gone","I9"]}"#,
      """
      {"data":{"nodes":[{"__typename":"Issue","id":"new:7","number":12,"title":"moved"},
      {"__typename":"Issue","id":"I8","number":8,"title":"eight"},null,
      {"__typename":"Issue","id":"I9","number":9,"title":"nine"}]},
      "errors":[{"type":"NOT_FOUND","message":"gone","path":["nodes",2]}]}
      """
    ),
    (
      "mutation Rename { rename(id: \"I9\", title: \"x\") { issue { id title } } }", "{}",
      #"{"data":{"rename":{"issue":{"id":"I9","title":"x"}}}}"#
    ),
  ]

  /// What an image holds: the export, and the tables with their times left out.
  private struct Content: Equatable {
    var export = ""
    var values: [String] = []
  }

  @Test func `the same commits in processes of their own give equal exports and equal bytes`()
    throws
  {
    let own = try Self.contentOfOwn()
    #expect(own.values.count > 100)
    for _ in 0..<2 {
      let other = try Self.contentOfCommands()
      #expect(other.export == own.export)
      let differences = zip(own.values, other.values).filter { $0 != $1 }
      #expect(differences.isEmpty, "\(differences.prefix(3))")
      #expect(other.values.count == own.values.count)
    }
  }

  /// The content of an image that this process makes.
  private static func contentOfOwn() throws -> Content {
    let folder = try TemporaryFolder()
    let path = folder.file("own.image")
    let schema = try Schema(sources: [Source(name: "schema", text: schema)])
    for (document, variables, response) in commits {
      // As the command does, a launch for each commit.
      let image = try Image.open(path: path)
      let plan = try Document(Source(name: "document", text: document)).plan(schema: schema)
      guard case .object(let members) = try Value(json: Array(variables.utf8).span) else { break }
      _ = try image.commit(
        Array(response.utf8).span, of: plan,
        variables: Variables(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
      try image.close()
    }
    return try content(of: path)
  }

  /// The content of an image that a process for each commit makes.
  private static func contentOfCommands() throws -> Content {
    let folder = try TemporaryFolder()
    let path = folder.file("other.image")
    try schema.write(toFile: folder.file("schema"), atomically: false, encoding: .utf8)
    for (document, variables, response) in commits {
      try document.write(toFile: folder.file("document"), atomically: false, encoding: .utf8)
      try response.write(toFile: folder.file("response"), atomically: false, encoding: .utf8)
      try BuiltCommand.run([
        "commit", path, "--schema", folder.file("schema"), "--document", folder.file("document"),
        "--variables", variables, folder.file("response"),
      ])
    }
    return try content(of: path)
  }

  private static func content(of path: String) throws -> Content {
    let image = try Image.open(path: path, options: .init(isReadOnly: true))
    defer { try? image.close() }
    let snapshot = try image.snapshot()
    var content = Content()
    var text: [UInt8] = []
    try snapshot.export { text += $0 }
    content.export = String(decoding: text, as: UTF8.self)
    for table in ImageTable.allCases where table != .meta {
      try snapshot.forEach(table, from: 0) { key, value in
        let bytes = withoutTimes(value.copy(), of: table)
        content.values.append("\(table) \(key) \(hexadecimal(bytes))")
        return true
      }
    }
    return content
  }

  /// A value without the times of the clock in it, and without the checksum over them.
  private static func withoutTimes(_ value: [UInt8], of table: ImageTable) -> [UInt8] {
    let times: [Range<Int>]
    switch table {
    // Behind the checksum, and in entries behind the entry's length too: the tables here have one
    // entry a value.
    case .operations: times = [0..<4, 8..<16]
    case .misses: times = [0..<4, 13..<29]
    // One group a value: all was answered at once.
    case .fetches: times = [0..<12]
    case .journal: times = [0..<4, 4..<12]
    default: times = []
    }
    var bytes = value
    for range in times { for index in range { bytes[index] = 0 } }
    return bytes
  }
}
