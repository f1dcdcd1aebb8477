/// What a response says of records: the fields to write, grouped by record, as encoded cells.
///
/// Cells and keys lie one after another in `bytes`, which is kept from one commit to the next.
struct ChangeSet {
  /// A record the response named.
  struct Touched {
    var number: UInt32
    /// Whether the response named it first.
    var isNew: Bool
    var isPath: Bool
    /// The name number of its type; 0 when the response didn't say.
    var type: UInt32
    var hash: UInt64
    /// Where its key lies in `bytes`.
    var key: Range<Int>
    /// The chain of its writes; -1 when there is none.
    var first = -1
    var last = -1
  }

  /// A field to write.
  struct Write {
    enum Kind: UInt8 {
      /// The bytes are a cell.
      case value
      /// The field is null under an error: the bytes are an errors block, the last good value
      /// stays.
      case coveredNull
    }

    var field: UInt32
    var kind: Kind
    var bytes: Range<Int>
    var next = -1
  }

  private(set) var touched: [Touched] = []
  private(set) var writes: [Write] = []
  var bytes: [UInt8] = []
  private var table: [Int32] = []

  /// Forgets everything but the room it took.
  mutating func removeAll() {
    touched.removeAll(keepingCapacity: true)
    writes.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    for index in table.indices { table[index] = -1 }
  }

  /// The record touched under a key whose hash, kind included, is `hash`; the key lies in `bytes`.
  func index(hash: UInt64, key: Range<Int>, isPath: Bool) -> Int? {
    guard !table.isEmpty else { return nil }
    let mask = table.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while table[slot] >= 0 {
      let index = Int(table[slot])
      let candidate = touched[index]
      if candidate.hash == hash, candidate.isPath == isPath {
        let all = bytes.span
        if all.extracting(candidate.key).isEqual(to: all.extracting(key)) { return index }
      }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// The record touched with a number, by search.
  func index(number: UInt32) -> Int? {
    touched.firstIndex { $0.number == number }
  }

  mutating func append(_ record: Touched) -> Int {
    if (touched.count + 1) * 2 > table.count { growTable() }
    touched.append(record)
    insert(touched.count - 1)
    return touched.count - 1
  }

  private mutating func growTable() {
    table = [Int32](repeating: -1, count: max(256, table.count * 2))
    for index in touched.indices { insert(index) }
  }

  private mutating func insert(_ index: Int) {
    let mask = table.count - 1
    var slot = Int(truncatingIfNeeded: touched[index].hash) & mask
    while table[slot] >= 0 { slot = (slot + 1) & mask }
    table[slot] = Int32(index)
  }

  mutating func setType(_ type: UInt32, of index: Int) {
    touched[index].type = type
  }

  /// Adds a write of the bytes from `start` to the end of `bytes`.
  mutating func write(
    _ kind: Write.Kind = .value, field: UInt32, from start: Int, to index: Int
  ) {
    writes.append(Write(field: field, kind: kind, bytes: start..<bytes.count))
    let last = touched[index].last
    if last < 0 {
      touched[index].first = writes.count - 1
    } else {
      writes[last].next = writes.count - 1
    }
    touched[index].last = writes.count - 1
  }
}
