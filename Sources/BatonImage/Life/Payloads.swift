/// Payload records of mutations and subscriptions, which are for their own launch (R8).
extension CommitSession {
  /// Drops the fields of a root and the records whose paths begin at it.
  mutating func dropPayloads(of root: UInt32) throws(ImageError) {
    guard var draft = try draft(root) else { return }
    let fields = try fieldNumbers(of: root)
    guard !fields.isEmpty else { return }
    try removeChildren(of: root)
    if draft.flags.contains(.spilled) {
      try dropSpilled(root)
      draft.flags.remove(.spilled)
    }
    draft.cells = []
    draft.commit = state.commit + 1
    try putRow(draft.encoded(number: root), root)
    journal.note(root, .evicted, fields: fields)
  }

  /// Removes the records that a record leads to and that are named by their place under it, and what
  /// is named by a place under those; how many.
  ///
  /// One that no link leads to any more stays behind, until its own stamp is old.
  @discardableResult
  mutating func removeChildren(of number: UInt32) throws(ImageError) -> Int {
    var count = 0
    var waiting = try children(of: number)
    while let child = waiting.popLast() {
      waiting.append(contentsOf: try children(of: child))
      try removeRow(child)
      count += 1
    }
    return count
  }

  /// The records linked from a record whose paths begin at it.
  borrowing func children(of number: UInt32) throws(ImageError) -> [UInt32] {
    var children: Set<UInt32> = []
    for link in try linkedRecords(of: number) where link > number {
      guard let row = try row(link), row.flags.contains(.pathKey),
        let path = PathKey(row.key), path.parent == number
      else { continue }
      children.insert(link)
    }
    return children.sorted()
  }

  /// The records that a record's fields link to.
  borrowing func linkedRecords(of number: UInt32) throws(ImageError) -> [UInt32] {
    guard let row = try row(number) else { return [] }
    var links: [UInt32] = []
    for index in 0..<row.cellCount { try row.cell(at: index).forEachLink { links.append($0) } }
    guard row.flags.contains(.spilled) else { return links }
    try forEach(.cells, from: UInt64(number) << 32) { (key, value) throws(ImageError) in
      guard key >> 32 == UInt64(number) else { return false }
      try CellView(value.extracting(droppingFirst: 4)).forEachLink { links.append($0) }
      return true
    }
    return links
  }

  /// Removes a record's row, its cells outside and its place in the index of keys. Links to it lead
  /// nowhere from then on, and its number is never given again.
  mutating func removeRow(_ number: UInt32) throws(ImageError) {
    guard let place = try indexed(number) else { return }
    if place.isSpilled { try dropSpilled(number) }
    try unindex(number, hash: place.hash)
    try delete(.records, UInt64(number))
    journal.note(number, .evicted)
  }

  /// Where the table `ids` lists a record; nil when it has no row.
  private borrowing func indexed(
    _ number: UInt32
  ) throws(ImageError) -> (hash: UInt64, isSpilled: Bool)? {
    guard let row = try row(number) else { return nil }
    return (row.keyHash, row.flags.contains(.spilled))
  }
}

extension CellView {
  /// Calls `body` with each record that the cell links to, also as a last good value.
  ///
  /// Throws `damaged` when a list hasn't a list's form.
  func forEachLink(_ body: (UInt32) -> Void) throws(ImageError) {
    for offset in try CellLinks.offsets(in: self) {
      let link = bytes.u32(at: offset)
      if link != 0 { body(link) }
    }
  }
}
