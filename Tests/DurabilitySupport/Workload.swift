public import BatonImage
import BatonDocuments
public import BatonPlan
import Foundation

/// Commits whose result can be told from their number alone, so that a state that is torn, or not
/// one that was committed, is found out.
///
/// Commit n sets the number of ten subjects to n, and that of one of 64 others.
public enum Workload {
  public static let subjects = 10
  public static let others = 64

  /// Why a state is none that was ever committed.
  public struct Torn: Error, CustomStringConvertible {
    public var description: String

    public init(description: String) { self.description = description }
  }

  private static let schema: Schema = {
    do {
      return try Schema(sources: [
        Source(
          name: "schema.graphql",
          text: """
            interface Node { id: ID! }
            type Issue implements Node { id: ID! number: Int! title: String! }
            type Query { nodes(ids: [ID!]!): [Node]! }
            """)
      ])
    } catch { fatalError("\(error)") }
  }()

  public static let plan: Plan = {
    do {
      let document = try Document(
        Source(
          name: "refresh.graphql",
          text: """
            query Refresh($ids: [ID!]!) {
              nodes(ids: $ids) { __typename id ... on Issue { number title } }
            }
            """))
      return try document.plan(operation: "Refresh", schema: schema)
    } catch { fatalError("\(error)") }
  }()

  /// A title that goes with a number, of 4 to some 700 bytes.
  static func title(_ number: Int) -> String {
    "t \(number) " + String(repeating: "x", count: number &* 7919 % 701)
  }

  private static func node(_ id: String, _ number: Int) -> String {
    """
    {"__typename":"Issue","id":"\(id)","number":\(number),"title":"\(title(number))"}
    """
  }

  private static func commit(
    _ ids: [String], _ number: Int, to image: Image
  ) throws -> CommitOutcome {
    let nodes = ids.map { node($0, number) }.joined(separator: ",")
    let response = Array("{\"data\":{\"nodes\":[\(nodes)]}}".utf8)
    return try image.commit(
      response.span, of: plan, variables: ["ids": .list(ids.map { .string($0) })])
  }

  /// Commits number `number`, which follows the one before.
  @discardableResult
  public static func commit(_ number: Int, to image: Image) throws -> CommitOutcome {
    let ids = (0..<subjects).map { "S\($0)" } + ["E\(number % others)"]
    let outcome = try commit(ids, number, to: image)
    guard outcome.commit == UInt64(number) else {
      throw Torn(description: "commit \(number) is counted as \(outcome.commit)")
    }
    return outcome
  }

  /// Sets the ten subjects to a number that no other writer uses.
  @discardableResult
  public static func mark(_ number: Int, in image: Image) throws -> CommitOutcome {
    try commit((0..<subjects).map { "S\($0)" }, number, to: image)
  }

  /// Adds records that no other commit touches, of some 500 bytes each, so that there is something
  /// to share.
  public static func fill(_ records: Range<Int>, of image: Image) throws {
    var first = records.lowerBound
    while first < records.upperBound {
      let last = min(first + 500, records.upperBound)
      _ = try commit((first..<last).map { "F\($0)" }, 636, to: image)
      first = last
    }
  }

  /// Adds records and deletes most of them again, which leaves more free pages than others, all over
  /// the file.
  public static func thin(_ records: Range<Int>, of image: Image) throws {
    try fill(records, of: image)
    for start in stride(from: records.lowerBound, to: records.upperBound, by: 1_000) {
      try image.write { editor in
        for number in start..<min(start + 1_000, records.upperBound) where number % 60 >= 6 {
          guard let record = try editor.existing("F\(number)") else { continue }
          try editor.delete(record)
        }
      }
    }
    // What the newest commit freed is still the pages of the state before it.
    try mark(1, in: image)
  }

  /// Every record of a state, as text.
  public static func dump(of snapshot: borrowing Snapshot) throws -> [UInt8] {
    var text: [UInt8] = []
    try snapshot.export { text += $0 }
    return text
  }

  /// The number all ten subjects have; 0 when there is none of them.
  public static func mark(in image: Image) throws -> Int {
    let snapshot = try image.snapshot()
    return try mark(in: numbers(in: snapshot, image))
  }

  private static func mark(in numbers: [String: Int]) throws -> Int {
    let found = Set((0..<subjects).map { numbers["S\($0)"] })
    guard found.count == 1, let first = found.first else {
      throw Torn(description: "subjects of several commits: \(found)")
    }
    return first ?? 0
  }

  /// The number of the commit whose state this is.
  public static func state(of image: Image) throws -> Int {
    let snapshot = try image.snapshot()
    let numbers = try numbers(in: snapshot, image)
    let newest = try mark(in: numbers)
    guard try snapshot.commit == UInt64(newest) else {
      throw Torn(description: "subjects of \(newest) in commit \(try snapshot.commit)")
    }
    for other in 0..<others {
      let last = newest - ((newest - other) % others + others) % others
      guard numbers["E\(other)"] == (last > 0 ? last : nil) else {
        throw Torn(
          description: "E\(other) has \(numbers["E\(other)"] ?? 0), not \(last), in \(newest)")
      }
    }
    return newest
  }

  private struct Answer: Decodable {
    struct Data: Decodable { var nodes: [Node?] }
    struct Node: Decodable {
      // What is missing was lost with a part of a damaged image.
      var id: String?
      var number: Int?
      var title: String?
    }
  }

  private static func numbers(
    in snapshot: borrowing Snapshot, _ image: Image
  ) throws -> [String: Int] {
    let ids = (0..<subjects).map { "S\($0)" } + (0..<others).map { "E\($0)" }
    let result = try snapshot.read(
      plan, variables: ["ids": .list(ids.map { .string($0) })], identity: image.identity)
    let answer = try JSONDecoder().decode(Answer.Data.self, from: Data(result.data))
    var numbers: [String: Int] = [:]
    for node in answer.nodes.compactMap({ $0 }) {
      guard let id = node.id, let number = node.number, let found = node.title else { continue }
      guard found == title(number) else {
        throw Torn(description: "\(id) of \(number) has another one's title")
      }
      numbers[id] = number
    }
    return numbers
  }
}
