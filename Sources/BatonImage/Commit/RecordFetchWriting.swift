/// When list lookups last answered records, in the table `fetches`: Docs/Format.md section 10.
extension CommitSession {
  /// Writes the fetch times of records, block by block.
  mutating func keep(_ fetches: borrowing RecordFetches) throws(ImageError) {
    let times = fetches.inOrder()
    var names: [UInt32: UInt32?] = [:]
    var index = 0
    while index < times.count {
      let operation = times[index].operation
      let name: UInt32?
      if let known = names[operation] {
        name = known
      } else {
        let text = fetches.operations[Int(operation)]
        name = try nameIfRoom(text.bytes.span, .operation)
        names[operation] = name
      }
      let first = index
      let block = times[first].record / FetchBlock.width
      while index < times.count, times[index].operation == operation,
        times[index].record / FetchBlock.width == block
      {
        index += 1
      }
      guard let name else { continue }
      try change(FetchBlock.key(operation: name, record: times[first].record)) { block in
        for time in times[first..<index] {
          block.set(FetchBlock.bit(of: time.record), to: time.time)
        }
      }
    }
  }

  /// Forgets when a list lookup, by the number of its name, answered records.
  mutating func forgetFetches(of name: UInt32, _ records: [UInt32]) throws(ImageError) {
    for record in records {
      try change(FetchBlock.key(operation: name, record: record)) { block in
        block.remove(FetchBlock.bit(of: record))
      }
    }
  }

  /// Changes a value of the table; one that stays as it was is not written.
  private mutating func change(
    _ key: UInt64, _ body: (inout FetchBlock) -> Void
  ) throws(ImageError) {
    let old = if let value = try value(.fetches, key) { FetchBlock(value) } else { FetchBlock() }
    var new = old
    body(&new)
    if new != old { try put(new.encoded, orDelete: .fetches, key) }
  }

  /// The number of a name, given when it is new; nil when the image has no room for new ones: a fetch
  /// time is no reason for a commit to fail.
  private mutating func nameIfRoom(
    _ text: Span<UInt8>, _ kind: NameKind
  ) throws(ImageError) -> UInt32? {
    if state.nextName <= nameLimit { return try name(text, kind) }
    return try number(ofName: text, kind, hash: hash(kind: kind.rawValue, text))
  }
}
