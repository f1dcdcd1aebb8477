import BatonPlan

/// Finding records and names in any source.
extension RecordSource where Self: ~Copyable {
  /// The number of a name; nil when the image has no such name.
  package borrowing func number(
    ofName text: String, _ kind: NameKind
  ) throws(ImageError) -> UInt32? {
    let bytes = Array(text.utf8)
    return try number(ofName: bytes.span, kind, hash: hash(kind: kind.rawValue, bytes.span))
  }

  /// The number of a name whose hash, kind byte included, is known.
  borrowing func number(
    ofName text: Span<UInt8>, _ kind: NameKind, hash: UInt64
  ) throws(ImageError) -> UInt32? {
    guard let candidates = try value(.nameids, hash) else { return nil }
    for offset in stride(from: 4, to: candidates.count - 3, by: 4) {
      let number = candidates.u32(at: offset)
      guard let name = try value(.names, UInt64(number)), name.count >= 5,
        name[4] == kind.rawValue, name.extracting(droppingFirst: 5).isEqual(to: text)
      else { continue }
      return number
    }
    return nil
  }

  /// The text of a name. Throws `damaged` when there is none.
  package borrowing func name(_ number: UInt32) throws(ImageError) -> String {
    guard let name = try value(.names, UInt64(number)), name.count >= 5 else {
      throw .damaged(Damage("name \(number)", "it is missing"))
    }
    return name.extracting(droppingFirst: 5).text()
  }

  /// The record whose row has a key; `hash` is that of the kind byte and the key.
  borrowing func number(
    ofKey key: Span<UInt8>, isPath: Bool, hash: UInt64
  ) throws(ImageError) -> UInt32? {
    if let number = expectedNumber(ofKeyHash: hash), let row = try row(number),
      row.hasKey(key, isPath: isPath), !row.flags.contains(.moved)
    {
      return number
    }
    if let number = nearbyNumber(ofKey: key, isPath: isPath) {
      noteFound(number, byKeyHash: hash)
      return number
    }
    guard let run = try value(.ids, atLeast: IdRun.half(of: hash)) else { return nil }
    var found: UInt32?
    try IdRun.forEachNumber(in: run, hash: hash) { (number) throws(ImageError) in
      if let row = try row(number), row.hasKey(key, isPath: isPath) { found = number }
      return found == nil
    }
    if let found { noteFound(found, byKeyHash: hash) }
    return found
  }

  /// The record that has `key` as an alias.
  borrowing func number(ofAlias key: Span<UInt8>) throws(ImageError) -> UInt32? {
    guard let entries = try value(.aliases, hash(key)),
      let payload = try Entries.payload(in: entries, text: key, at: 4)
    else { return nil }
    return payload.u32(at: 0)
  }

  /// The record with an id key, by itself or as an alias, moved or not.
  package borrowing func number(ofId key: [UInt8]) throws(ImageError) -> UInt32? {
    if let number = try number(
      ofKey: key.span, isPath: false, hash: keyHash(key.span, isPath: false))
    {
      return number
    }
    return try number(ofAlias: key.span)
  }

  /// The row of a record as it stands; nil when there is none.
  @_lifetime(borrow self)
  package borrowing func row(_ number: UInt32) throws(ImageError) -> RowView? {
    guard let value = try value(.records, UInt64(number)) else { return nil }
    return try RowView(value, number: number)
  }

  /// The numbers of a record's fields, in its row and outside of it.
  borrowing func fieldNumbers(of number: UInt32) throws(ImageError) -> [UInt32] {
    guard let row = try row(number) else { return [] }
    var numbers = (0..<row.cellCount).map { row.field(at: $0) }
    if row.flags.contains(.spilled) {
      try forEach(.cells, from: UInt64(number) << 32) { key, _ in
        guard key >> 32 == UInt64(number) else { return false }
        numbers.append(UInt32(truncatingIfNeeded: key))
        return true
      }
    }
    return numbers
  }

  /// The record that a link to `number` means: itself, or the one it moved to.
  package borrowing func resolved(_ number: UInt32) throws(ImageError) -> UInt32 {
    guard let row = try row(number) else { return number }
    return try row.target() ?? number
  }
}
