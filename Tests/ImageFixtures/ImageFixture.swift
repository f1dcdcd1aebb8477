package import BatonImage

/// The values of an image, sealed, by table and key: a small one that has everything the format
/// knows, or a large one.
package struct ImageFixture {
  package var tables: [ImageTable: [UInt64: [UInt8]]] = [:]
  package var commit: UInt64 = 9
  package var nextRecord: UInt64 = 4
  package var nextName: UInt32 = 4
  package var oldestJournal: UInt64 = 0
  /// The header's identity, lookups and account.
  package var texts = [#"{"default":["id"],"scope":"global","types":{}}"#, "[]", ""]
  /// The page size the header states.
  package private(set) var pageSize: UInt32 = 4096

  package init() {}

  /// Puts a value, its checksum reckoned.
  package mutating func put(_ table: ImageTable, _ key: UInt64, _ value: [UInt8]) {
    var value = value
    value.seal(table: table, key: key)
    tables[table, default: [:]][key] = value
  }

  /// Changes a value in place and seals it again.
  package mutating func change(
    _ table: ImageTable, _ key: UInt64, _ body: (inout [UInt8]) -> Void
  ) {
    guard var value = tables[table]?[key] else { preconditionFailure("no \(table) \(key)") }
    body(&value)
    put(table, key, value)
  }

  package mutating func appendEntry(_ table: ImageTable, _ key: UInt64, _ payload: [UInt8]) {
    var value = tables[table]?[key] ?? [0, 0, 0, 0]
    value.append(u32: UInt32(payload.count))
    value.append(payload.span)
    put(table, key, value)
  }

  package mutating func appendNumber(_ table: ImageTable, _ key: UInt64, _ number: UInt32) {
    var value = tables[table]?[key] ?? [0, 0, 0, 0]
    value.append(u32: number)
    put(table, key, value)
  }

  // MARK: Names

  package mutating func addName(_ kind: NameKind, _ text: String, number: UInt32? = nil) -> UInt32 {
    let number = number ?? nextName
    nextName = max(nextName, number + 1)
    let name = [kind.rawValue] + Array(text.utf8)
    put(.names, UInt64(number), [0, 0, 0, 0] + name)
    appendNumber(.nameids, hash(name.span), number)
    return number
  }

  // MARK: Rows

  /// Adds a row under the next number, or a given one, and lists it in `ids`.
  @discardableResult
  package mutating func addRow(
    type: UInt32, flags: RowFlags = [], key: [UInt8], cells: [(field: UInt32, cell: [UInt8])],
    number: UInt32? = nil, isListed: Bool = true
  ) -> UInt32 {
    let number = number ?? UInt32(nextRecord)
    nextRecord = max(nextRecord, UInt64(number) + 1)
    put(.records, UInt64(number), Self.row(type, flags, key, cells))
    if isListed { list(number, flags, key) }
    return number
  }

  package mutating func list(_ number: UInt32, _ flags: RowFlags, _ key: [UInt8]) {
    let kinded = [flags.contains(.pathKey) ? 1 : 0] + key
    let half = hash(kinded.span) >> 32
    let runs = tables[.ids] ?? [:]
    let last = runs.keys.filter { $0 >= half }.min() ?? 0xFFFF_FFFF
    var entries = runs[last].map(Self.entries) ?? []
    let entry = half << 32 | UInt64(number)
    entries.insert(entry, at: entries.firstIndex { $0 >= entry } ?? entries.count)
    // Runs of all lengths up to what a page holds, as a format allows and no writer makes them.
    if entries.count > 200,
      let middle = entries.indices.dropFirst(100).first(where: { index in
        entries[index - 1] >> 32 != entries[index] >> 32
      })
    {
      putRun(entries[middle - 1] >> 32, entries[..<middle])
      entries.removeFirst(middle)
    }
    putRun(last, entries[...])
  }

  /// Puts a run of the table `ids`, each entry half a hash above a record's number.
  package mutating func putRun(_ key: UInt64, _ entries: ArraySlice<UInt64>) {
    var value: [UInt8] = [0, 0, 0, 0]
    for entry in entries { value.append(u64: entry) }
    put(.ids, key, value)
  }

  /// The whole entries of a run, which may have been cut before.
  private static func entries(of run: [UInt8]) -> [UInt64] {
    stride(from: 4, through: run.count - 8, by: 8).map { run.span.u64(at: $0) }
  }

  package static func row(
    _ type: UInt32, _ flags: RowFlags, _ key: [UInt8], _ cells: [(field: UInt32, cell: [UInt8])]
  ) -> [UInt8] {
    var row: [UInt8] = [0, 0, 0, 0]
    row.append(u32: type)
    row.append(u64: 3)
    row.append(u16: UInt16(cells.count))
    row.append(u16: flags.rawValue)
    row.append(u32: UInt32(key.count))
    var offset = 24 + 8 * cells.count + key.count
    for (field, cell) in cells {
      row.append(u32: field)
      row.append(u32: UInt32(offset))
      offset += cell.count
    }
    return row + key + cells.flatMap(\.cell)
  }

  package static func path(
    _ parent: UInt32, _ field: UInt32, _ type: UInt32, _ indexes: [UInt32]
  ) -> [UInt8] {
    var key: [UInt8] = []
    for number in [parent, field, type] + indexes { key.append(u32: number) }
    return key
  }

  // MARK: Cells

  package static func cell(_ kind: CellKind, _ payload: [UInt8] = []) -> [UInt8] {
    [kind.rawValue] + payload
  }

  package static func link(_ kind: CellKind, _ numbers: [UInt32]) -> [UInt8] {
    var cell = [kind.rawValue]
    for number in numbers { cell.append(u32: number) }
    return cell
  }

  package static func element(_ kind: CellKind, _ payload: [UInt8]) -> [UInt8] {
    var bytes = [kind.rawValue]
    bytes.append(varint: UInt64(payload.count))
    return bytes + payload
  }

  package static func errors(_ texts: [String]) -> [UInt8] {
    var block: [UInt8] = []
    for text in texts {
      block.append(varint: UInt64(text.utf8.count))
      block.append(contentsOf: text.utf8)
    }
    return block
  }

  package static func errorCell(_ kind: CellKind, flags: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let block = errors(["gone", "[\"nodes\",0]", "NOT_FOUND", ""])
    var cell = [kind.rawValue | flags | CellKind.errors]
    cell.append(varint: UInt64(block.count))
    return cell + block + payload
  }

  // MARK: The header and the state

  /// Puts the header and the state as they are now.
  package mutating func finish(pageSize: UInt32 = 4096) {
    self.pageSize = pageSize
    var header: [UInt8] = [0, 0, 0, 0] + HeaderLayout.magicBytes
    header.append(u16: 2)
    header.append(u16: 1)
    header.append(u32: pageSize)
    header.append(u32: 1)
    header.append(u64: 7)
    header.append(u64: 1_700_000_000_000)
    header += Array(repeating: 0xAB, count: 16)
    for text in texts {
      header.append(u32: UInt32(text.utf8.count))
      header.append(contentsOf: text.utf8)
    }
    put(.meta, MetaKey.header, header)
    var state: [UInt8] = [0, 0, 0, 0]
    state.append(u64: commit)
    state.append(u64: 1_700_000_000_500)
    state.append(u64: nextRecord)
    state.append(u32: nextName)
    state.append(u32: 2)
    state.append(u64: oldestJournal)
    put(.meta, MetaKey.state, state)
  }
}
