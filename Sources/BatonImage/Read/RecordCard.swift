/// One record with everything the image keeps of it, as it is shown to a person.
package struct RecordCard: Sendable {
  package struct Field: Sendable {
    /// The storage key.
    package var key: String
    /// The value as JSON; the last good one when the field is stale.
    package var value: [UInt8]
    /// Whether the field itself is null under its errors.
    package var isStale: Bool
    package var errors: [FieldError]
  }

  package struct Key: Sendable {
    package var text: String
    package var isLive: Bool
    /// The commit that answered the key last.
    package var commit: UInt64
  }

  package var key: String
  package var number: UInt32
  /// Empty where no response said it.
  package var type: String
  package var flags: RowFlags
  /// The commit that last changed the row.
  package var commit: UInt64
  /// Bytes of the row and of the cells outside it.
  package var bytes: UInt64
  /// The launch in which the record was last used; 0 where it isn't known.
  package var generation: UInt32
  package var fields: [Field] = []
  package var naturalKeys: [Key] = []
  package var aliases: [String] = []
  package var misses: [Miss] = []
}

extension RecordSource where Self: ~Copyable {
  /// The card of the record that an id, an alias or a path names; nil when there is none.
  package borrowing func card(_ text: String) throws(ImageError) -> RecordCard? {
    guard let number = try number(ofRecord: text), let row = try row(number) else { return nil }
    var card = RecordCard(
      key: try keyText(of: number), number: number, type: try typeName(row.type),
      flags: row.flags, commit: row.commit, bytes: UInt64(row.bytes.count),
      generation: try generation(of: number))
    if row.flags.contains(.spilled) { card.bytes += try spilledBytes(of: number) }
    for (key, field) in try fields(of: number) {
      guard let cell = try cell(of: number, field: field) else { continue }
      var value: [UInt8] = []
      try appendValue(cell, to: &value)
      card.fields.append(
        .init(
          key: key, value: value, isStale: cell.isStale,
          errors: try FieldError.decode(cell.errors)))
    }
    if row.flags.contains(.hasNaturalKeys) {
      for key in try naturalKeys(of: number) {
        card.naturalKeys.append(
          .init(
            text: String(decoding: key.text, as: UTF8.self), isLive: key.isLive,
            commit: key.commit))
      }
    }
    let aliases = row.flags.contains(.hasAliases) ? try self.aliases(of: number) : []
    card.aliases = aliases.map { String(decoding: $0, as: UTF8.self) }
    guard !row.flags.contains(.pathKey) else { return card }
    for id in [row.key.copy()] + aliases {
      if let miss = try miss(of: id) { card.misses.append(miss) }
    }
    return card
  }

  private borrowing func generation(of number: UInt32) throws(ImageError) -> UInt32 {
    let place = 4 + 4 * Int(number & 0xFF)
    guard let stamps = try value(.stamps, UInt64(number >> 8)), stamps.count >= place + 4 else {
      return 0
    }
    return stamps.u32(at: place)
  }

  private borrowing func spilledBytes(of number: UInt32) throws(ImageError) -> UInt64 {
    var bytes: UInt64 = 0
    try forEach(.cells, from: UInt64(number) << 32) { key, value in
      guard key >> 32 == UInt64(number) else { return false }
      bytes += UInt64(value.count)
      return true
    }
    return bytes
  }

  /// The other ids of a record, sorted. Linear in the aliases, which are found by id alone.
  private borrowing func aliases(of number: UInt32) throws(ImageError) -> [[UInt8]] {
    var found: [[UInt8]] = []
    try forEach(.aliases, from: 0) { (_, value) throws(ImageError) in
      try Entries.forEach(value) { payload in
        if payload.count > 4, payload.u32(at: 0) == number {
          found.append(payload.extracting(droppingFirst: 4).copy())
        }
        return true
      }
      return true
    }
    return found.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
