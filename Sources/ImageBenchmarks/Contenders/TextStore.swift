import BatonImage
import Foundation

/// SQLite with one JSON text a record, taken apart and put together by Foundation, as the most used
/// client for Swift keeps its cache.
final class TextStore {
  private let database: Database
  private let select: Statement
  private let upsert: Statement

  typealias Record = [String: Any]

  init(path: String) throws {
    database = try Database(path: path)
    try database.run(
      """
      CREATE TABLE IF NOT EXISTS records
        (_id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, record TEXT)
      """)
    select = try Statement("SELECT record FROM records WHERE key = ?1", in: database)
    upsert = try Statement(
      """
      INSERT INTO records (key, record) VALUES (?1, ?2)
        ON CONFLICT (key) DO UPDATE SET record = excluded.record
      """, in: database)
  }

  /// Copies an image's records.
  func fill(from snapshot: borrowing Snapshot, keys: RecordKeys, count: Int) throws {
    try database.run("BEGIN")
    for number in 1...UInt32(count) {
      var line: [UInt8] = []
      try snapshot.appendRecord(number, to: &line)
      try upsert.run(key: keys[UInt64(number)], bytes: line.span, isText: true)
    }
    try database.run("COMMIT")
  }

  func record(_ key: String) throws -> Record? {
    let text = try select.read(key: key) { Data($0.copy()) }
    guard let text else { return nil }
    return try JSONSerialization.jsonObject(with: text) as? Record
  }

  /// Commits a response: parsed, normalized, merged into the records, written.
  func commit(_ response: [UInt8]) throws {
    let document = try JSONSerialization.jsonObject(with: Data(response)) as? Record
    guard let data = document?["data"] as? Record, let nodes = data["nodes"] as? [Any] else {
      return
    }
    var records: [String: Record] = [:]
    for node in nodes { _ = Self.normalize(node, at: "", into: &records) }
    try database.transaction {
      for (key, fields) in records {
        var merged = try record(key) ?? [:]
        merged.merge(fields) { _, new in new }
        let text = try JSONSerialization.data(withJSONObject: merged)
        try upsert.run(key: key, bytes: Array(text).span, isText: true)
      }
    }
  }

  /// The value with its objects replaced by references.
  private static func normalize(
    _ value: Any, at path: String, into records: inout [String: Record]
  ) -> Any {
    if let list = value as? [Any] {
      return list.enumerated().map { index, element in
        normalize(element, at: "\(path):\(index)", into: &records)
      }
    }
    guard let object = value as? Record else { return value }
    let key = object["id"] as? String ?? path
    var fields: Record = [:]
    for (name, child) in object {
      fields[name] = normalize(child, at: "\(key):\(name)", into: &records)
    }
    records[key, default: [:]].merge(fields) { _, new in new }
    return ["__ref": key]
  }
}
