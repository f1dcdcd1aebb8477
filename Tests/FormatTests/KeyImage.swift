import BatonDocuments
import BatonImage
import BatonPlan
import TestSupport
import Testing

/// A fresh image whose keys are looked at as bytes.
struct KeyImage {
  private let folder: TemporaryFolder
  let image: Image

  init(_ identity: IdentityRules? = nil) throws {
    folder = try TemporaryFolder()
    image = try Image.open(path: folder.file("keys.image"), options: .init(identity: identity))
  }

  /// Commits the response of a document.
  func commit(
    _ document: String, of schema: KeySchema, variables: String = "{}", _ response: [UInt8]
  ) throws {
    let plan = try Document(Source(name: "document", text: document))
      .plan(schema: Schema(sources: [Source(name: "schema", text: schema.rawValue)]))
    guard case .object(let members) = try Value(json: Array(variables.utf8).span) else { return }
    let variables = Variables(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    _ = try image.commit(response.span, of: plan, variables: variables)
  }

  /// The bytes of a value of the image; nil when there is none.
  func value(_ table: ImageTable, _ key: UInt64) throws -> [UInt8]? {
    let snapshot = try image.snapshot()
    guard let value = try snapshot.value(table, key) else { return nil }
    return value.copy()
  }

  /// The storage keys as the table `names` has them, in the order they were given numbers.
  func storageKeys() throws -> [[UInt8]] {
    var names: [[UInt8]] = []
    var number = UInt64(4)
    while let value = try value(.names, number) {
      if value[4] == 2 { names.append(Array(value[5...])) }
      number += 1
    }
    return names
  }

  /// The number of a name, told by the bytes of the table `names`.
  func number(ofName name: String, kind: UInt8) throws -> UInt32? {
    var number = UInt64(1)
    while let value = try value(.names, number) {
      if value[4] == kind, value[5...].elementsEqual(name.utf8) { return UInt32(number) }
      number += 1
    }
    return nil
  }

  /// Whether a record has a path, and the bytes of its key, as its row has them.
  func key(of number: UInt32) throws -> (isPath: Bool, bytes: [UInt8])? {
    guard let row = try value(.records, UInt64(number)) else { return nil }
    let cells = Int(row[16]) + Int(row[17]) << 8
    let count = (0..<4).reduce(0) { $0 + Int(row[20 + $1]) << ($1 * 8) }
    let start = 24 + 8 * cells
    return (row[18] & 1 != 0, Array(row[start..<start + count]))
  }

  /// The records that the run of an image with few of them lists under a hash.
  func numbers(under hash: UInt64) throws -> [UInt32] {
    guard let run = try value(.ids, 0xFFFF_FFFF) else { return [] }
    return stride(from: 4, to: run.count, by: 8).compactMap { place in
      let entry = run.span.u64(at: place)
      return entry >> 32 == hash >> 32 ? UInt32(truncatingIfNeeded: entry) : nil
    }
  }

  /// The payloads of a value that holds entries.
  func entries(_ table: ImageTable, _ key: UInt64) throws -> [[UInt8]] {
    guard let value = try value(table, key) else { return [] }
    var entries: [[UInt8]] = []
    var position = 4
    while position < value.count {
      let count = (0..<4).reduce(0) { $0 + Int(value[position + $1]) << ($1 * 8) }
      entries.append(Array(value[(position + 4)..<(position + 4 + count)]))
      position += 4 + count
    }
    return entries
  }
}
