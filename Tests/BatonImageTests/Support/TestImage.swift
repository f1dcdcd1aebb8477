import BatonImage
import BatonPlan
import Foundation
import TestSupport
import Testing

/// An image in a folder of its own, with the steps that tests are made of.
///
/// Responses, variables and what is read are texts, so that a test shows what goes in and out.
final class TestImage {
  let folder: TemporaryFolder
  let path: String
  let options: Image.Options
  private(set) var image: Image

  init(_ identity: IdentityRules? = nil, journalLimit: Int = 4096) throws {
    folder = try TemporaryFolder()
    path = folder.file("store.image")
    options = Image.Options(identity: identity, journalLimit: journalLimit)
    image = try Image.open(path: path, options: options)
  }

  deinit { try? image.close() }

  /// Ends this launch and begins the next one.
  func reopen() throws {
    try image.close()
    image = try Image.open(path: path, options: options)
  }

  /// Runs the checks, reopens the image and runs them again: what holds, holds on the disk.
  func beforeAndAfterReopening(_ checks: (TestImage) throws -> Void) throws {
    try checks(self)
    try reopen()
    try checks(self)
  }

  // MARK: Committing

  @discardableResult
  func commit(
    _ response: String, of plan: Plan, _ variables: String = "{}"
  ) throws(ImageError) -> CommitOutcome {
    try commit(Array(response.utf8), of: plan, variables)
  }

  @discardableResult
  func commit(
    _ response: [UInt8], of plan: Plan, _ variables: String = "{}"
  ) throws(ImageError) -> CommitOutcome {
    try image.commit(response.span, of: plan, variables: try Variables(json: variables))
  }

  /// Commits a response that comes in parts.
  @discardableResult
  func commit(
    parts: [String], of plan: Plan, _ variables: String = "{}"
  ) throws(ImageError) -> CommitOutcome {
    try image.commit(
      parts: parts.map { Array($0.utf8) }, of: plan, variables: try Variables(json: variables))
  }

  // MARK: Reading

  /// Reads an operation, or the fragment `plan` of the record `key` names.
  func read(
    _ plan: Plan, _ variables: String = "{}", at key: String? = nil
  ) throws(ImageError) -> Reading {
    let snapshot = try image.snapshot()
    let variables = try Variables(json: variables)
    guard let key else {
      return Reading(
        try snapshot.read(plan, variables: variables, identity: image.identity))
    }
    guard let number = try snapshot.liveRecord(key) else {
      throw .notFound("there is no record \(key)")
    }
    return Reading(
      try snapshot.read(
        fragment: plan, of: number, variables: variables, identity: image.identity))
  }

  /// The dump of all records.
  func export() throws(ImageError) -> String {
    var text: [UInt8] = []
    try image.snapshot().export { text += $0 }
    return String(decoding: text, as: UTF8.self)
  }

  /// The dump of one record, as JSON on one line; nil when there is none.
  func record(_ key: String) throws(ImageError) -> String? {
    let snapshot = try image.snapshot()
    guard let number = try snapshot.number(ofRecord: key) else { return nil }
    var line: [UInt8] = []
    try snapshot.appendRecord(number, to: &line)
    return String(decoding: line, as: UTF8.self)
  }

  /// The keys of all records, sorted.
  func keys() throws -> [String] {
    let lines = try export().split(separator: "\n").dropFirst().dropLast()
    return try lines.map { line in
      let end = try #require(line.firstRange(of: "\": "))
      let token = line[line.index(line.startIndex, offsetBy: 2)...end.lowerBound]
      guard case .string(let key) = try Value(json: Array(token.utf8).span) else { return "" }
      return key
    }
  }

  /// How often in a row an id was answered null; nil when it never was, or has an answer since.
  func misses(of id: String) throws(ImageError) -> Int? {
    try image.snapshot().miss(of: Array(id.utf8)).map { Int($0.count) }
  }

  /// The id a natural key leads to.
  func resolve(_ naturalKey: String) throws(ImageError) -> String? {
    try image.snapshot().id(of: naturalKey)
  }

  /// The bytes of the file as it stands.
  func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  // MARK: Expectations

  /// Expects a record to be exported as `line`; nil for no record of that key.
  func expect(
    record key: String, _ line: String?, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try record(key)
    #expect(found == line, sourceLocation: sourceLocation)
  }

  /// Expects what reading gives.
  func expect(
    _ plan: Plan, _ variables: String = "{}", at key: String? = nil, reads data: String,
    missing: [String] = [], errors: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let reading = try read(plan, variables, at: key)
    #expect(reading.data == data, sourceLocation: sourceLocation)
    #expect(reading.missing == missing, sourceLocation: sourceLocation)
    #expect(reading.errors == errors, sourceLocation: sourceLocation)
  }

  /// Expects the keys of the records beside the three roots.
  func expect(
    keys expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try keys().filter {
      !["client:root", "client:root:mutation", "client:root:subscription"].contains($0)
    }
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  /// Expects what natural keys lead to.
  func expect(
    naturalKeys expected: [String: String?], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (key, id) in expected {
      let found = try resolve(key)
      #expect(found == id, "\(key)", sourceLocation: sourceLocation)
    }
  }

  /// Expects the whole file to be sound: pages, values, and the references between tables.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let report = try Verifier.verify(at: path)
    #expect(report.faults == [], sourceLocation: sourceLocation)
  }
}

/// What reading gave, as texts.
struct Reading: Equatable, CustomStringConvertible {
  var data: String
  /// Paths joined with dots, sorted.
  var missing: [String]
  /// `path: message` each, in order.
  var errors: [String]
  var hasFetchTime: Bool

  init(_ result: ReadResult) {
    data = String(decoding: result.data, as: UTF8.self)
    missing = result.missing.map(Self.text).sorted()
    errors = result.errors.map { "\(Self.text($0.path)): \($0.error.message)" }
    hasFetchTime = result.fetchedAt != nil
  }

  private static func text(_ path: [PathStep]) -> String {
    path.map(\.description).joined(separator: ".")
  }

  var description: String { "\(data) missing \(missing) errors \(errors)" }
}

extension Variables {
  init(json: String) throws(ImageError) {
    guard case .object(let members) = try Value(json: Array(json.utf8).span) else {
      throw .usage("variables are a JSON object")
    }
    self.init(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }
}
