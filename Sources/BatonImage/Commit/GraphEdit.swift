/// Changes to records that no response spelled out: connections, edges, deletions, an embedder's
/// own writes. They are merged as a response's are.
struct GraphEdit: ~Copyable {
  private(set) var changes = ChangeSet()

  /// The touched record of a number.
  mutating func touch(
    _ number: UInt32, in session: borrowing CommitSession
  ) throws(ImageError) -> Int {
    try changes.touch(existing: number, in: session)
  }

  /// The record at a path, made when there is none; 0 for `type` leaves its type open.
  mutating func touch(
    path: PathKey, type: UInt32, in session: inout CommitSession
  ) throws(ImageError) -> (index: Int, number: UInt32) {
    let start = changes.bytes.count
    changes.bytes.append(1)
    path.append(to: &changes.bytes)
    let end = changes.bytes.count
    let hash = hash(changes.bytes.span(start..<end))
    let key = start + 1..<end
    if let index = changes.index(hash: hash, key: key, isPath: true) {
      if type != 0 { changes.setType(type, of: index) }
      return (index, changes.touched[index].number)
    }
    let found = try session.record(hash: hash, key: changes.bytes.span(key), isPath: true)
    let number = if let found { found.number } else { try session.newRecord() }
    let index = changes.append(
      ChangeSet.Touched(
        number: number, isNew: found == nil, isPath: true, type: type, hash: hash, key: key))
    return (index, number)
  }

  mutating func setType(_ type: UInt32, of index: Int) {
    changes.setType(type, of: index)
  }

  mutating func set(_ field: UInt32, cell: Span<UInt8>, on index: Int) {
    let start = changes.bytes.count
    changes.bytes.append(cell)
    changes.write(field: field, from: start, to: index)
  }

  mutating func set(_ field: UInt32, link number: UInt32, on index: Int) {
    let start = changes.bytes.count
    CellEncoder.append(link: number, to: &changes.bytes)
    changes.write(field: field, from: start, to: index)
  }

  mutating func set(_ field: UInt32, links numbers: [UInt32], on index: Int) {
    let start = changes.bytes.count
    changes.bytes.append(CellKind.links.rawValue)
    for number in numbers { changes.bytes.append(u32: number) }
    changes.write(field: field, from: start, to: index)
  }

  mutating func set(_ field: UInt32, int number: Int64, on index: Int) {
    let start = changes.bytes.count
    CellEncoder.append(number, to: &changes.bytes)
    changes.write(field: field, from: start, to: index)
  }

  mutating func setNull(_ field: UInt32, on index: Int) {
    let start = changes.bytes.count
    CellEncoder.appendNull(to: &changes.bytes)
    changes.write(field: field, from: start, to: index)
  }
}

extension ChangeSet {
  /// The touched record of a number that the image has a row of.
  ///
  /// Throws `damaged` when it has none.
  mutating func touch(
    existing number: UInt32, in source: borrowing some RecordSource & ~Copyable
  ) throws(ImageError) -> Int {
    if let index = index(number: number) { return index }
    guard let row = try source.row(number) else {
      throw .damaged(Damage("record \(number)", "it is linked to and missing"))
    }
    let isPath = row.flags.contains(.pathKey)
    let start = bytes.count
    bytes.append(isPath ? 1 : 0)
    bytes.append(row.key)
    let end = bytes.count
    return append(
      Touched(
        number: number, isNew: false, isPath: isPath, type: row.type,
        hash: hash(bytes.span(start..<end)), key: start + 1..<end))
  }
}
