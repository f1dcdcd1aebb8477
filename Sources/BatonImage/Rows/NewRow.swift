/// Building the row of a record that has none.
extension MergeScratch {
  /// Builds the row of a record that has none of its writes as they came, where that is the order of
  /// their fields; the checksum is left to the caller. False, with nothing built, where it isn't, where
  /// there are more than a row holds, or where an error covers a field: that takes `merge`.
  mutating func build(
    new record: ChangeSet.Touched, commit: UInt64, _ changes: borrowing ChangeSet
  ) -> Bool {
    var lowest: UInt32 = 0
    var next = record.chain.first
    while next >= 0 {
      let write = changes.writes[Int(next)]
      guard write.field >= lowest, write.kind == .value, changed.count < RowLayout.maximumCells
      else {
        changed.removeAll()
        return false
      }
      lowest = write.field &+ 1
      changed.append(write.field)
      next = write.next
    }
    row.removeAll()
    row.appendRowHead(
      type: record.type, commit: commit, cells: changed.count,
      flags: record.isPath ? .pathKey : [], keyLength: record.key.count)
    var offset = RowLayout.directory + RowLayout.entrySize * changed.count + record.key.count
    row.reserve(offset)
    next = record.chain.first
    while next >= 0 {
      let write = changes.writes[Int(next)]
      row.appendEntry(field: write.field, offset: offset)
      offset &+= write.count
      next = write.next
    }
    row.append(changes.bytes.span(record.key))
    row.reserve(offset - row.count)
    // Cells that lie one behind the other are copied at once.
    next = record.chain.first
    while next >= 0 {
      let first = changes.writes[Int(next)]
      var end = first.bytes.upperBound
      next = first.next
      while next >= 0, changes.writes[Int(next)].bytes.lowerBound == end {
        end = changes.writes[Int(next)].bytes.upperBound
        next = changes.writes[Int(next)].next
      }
      row.append(changes.bytes.span(first.bytes.lowerBound..<end))
    }
    return true
  }
}
