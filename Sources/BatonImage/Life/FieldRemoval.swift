/// Taking fields out of records, which no response does.
extension CommitSession {
  /// Removes fields of a record, from its row and outside of it; those that it had.
  mutating func removeFields(
    _ fields: Set<UInt32>, of number: UInt32
  ) throws(ImageError) -> [UInt32] {
    guard var draft = try draft(number) else { return [] }
    var removed = draft.cells.map(\.field).filter(fields.contains)
    draft.cells.removeAll { fields.contains($0.field) }
    if draft.flags.contains(.spilled) {
      let spilled = try spilledFields(of: number)
      for field in spilled where fields.contains(field) {
        try delete(.cells, UInt64(number) << 32 | UInt64(field))
        removed.append(field)
      }
      if spilled.allSatisfy(fields.contains) { draft.flags.remove(.spilled) }
    }
    guard !removed.isEmpty else { return [] }
    draft.commit = state.commit + 1
    try putRow(draft.encoded(number: number), number)
    return removed
  }

  /// The fields of a record that lie outside its row.
  borrowing func spilledFields(of number: UInt32) throws(ImageError) -> [UInt32] {
    var fields: [UInt32] = []
    try forEach(.cells, from: UInt64(number) << 32) { key, _ in
      guard key >> 32 == UInt64(number) else { return false }
      fields.append(UInt32(truncatingIfNeeded: key))
      return true
    }
    return fields
  }
}
