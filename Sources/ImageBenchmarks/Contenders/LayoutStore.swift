import BatonImage

/// The SQLite layout: records by key, an image's row bytes as the value.
final class LayoutStore {
  private let database: Database
  private let select: Statement
  private let upsert: Statement

  init(path: String) throws {
    database = try Database(path: path)
    try database.run(
      """
      CREATE TABLE IF NOT EXISTS records
        (key TEXT PRIMARY KEY NOT NULL, used INTEGER NOT NULL, row BLOB NOT NULL) WITHOUT ROWID
      """)
    select = try Statement("SELECT row FROM records WHERE key = ?1", in: database)
    upsert = try Statement(
      """
      INSERT INTO records (key, used, row) VALUES (?1, 1, ?2)
        ON CONFLICT (key) DO UPDATE SET used = 1, row = ?2
      """, in: database)
  }

  /// Writes rows in one transaction, each under the key of its record.
  func write(_ rows: RowList, keys: RecordKeys) throws {
    let bytes = rows.bytes
    try database.transaction {
      for row in rows.rows {
        try upsert.run(key: keys[row.key], bytes: bytes.span.extracting(row.range))
      }
    }
  }

  /// Writes many rows in the order of their keys, which takes a fraction of the time of any other
  /// and leaves the pages full.
  func fill(with rows: RowList, keys: RecordKeys) throws {
    try write(rows.sorted { keys[$0.key] < keys[$1.key] }, keys: keys)
  }

  /// Whether the store has rows as they are.
  func holds(_ rows: RowList, keys: RecordKeys) throws -> Bool {
    let bytes = rows.bytes
    for row in rows.rows {
      let expected = bytes.span.extracting(row.range)
      let isEqual = try select.read(key: keys[row.key]) { found in found.isEqual(to: expected) }
      guard isEqual == true else { return false }
    }
    return true
  }

  /// Moves the log into the file and empties it.
  func checkpoint() throws {
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Selects a row.
  func row<Result>(_ key: String, _ body: (borrowing RowView) throws -> Result) throws -> Result? {
    try select.read(key: key) { bytes in try body(RowView(bytes, number: 0)) }
  }
}

/// The keys of an image's records as text, by number.
struct RecordKeys {
  private var texts: [String] = []

  /// The keys of the records from 4 on, which have no gaps.
  init(_ snapshot: borrowing Snapshot) throws(ImageError) {
    var count = 0
    try snapshot.forEach(.records, from: 0) { _, _ in
      count += 1
      return true
    }
    for number in 1...UInt32(count) { texts.append(try snapshot.keyText(of: number)) }
  }

  subscript(number: UInt64) -> String { texts[Int(number) - 1] }
}
