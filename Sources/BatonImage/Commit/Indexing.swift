internal import LMDB

/// Which records a commit makes found by their keys, and which no more: the table `ids`.
extension CommitSession {
  /// Makes records found by the hashes of their keys, `IdRun.entry(hash:number:)` each: each run
  /// that gets some is written once.
  mutating func index(_ entries: consuming [UInt64]) throws(ImageError) {
    entries.sort()
    var rest = entries[...]
    while let first = rest.first {
      let run = try run(of: first)
      let key = run?.key ?? IdRun.lastKey
      let end = rest.firstIndex { IdRun.half(of: $0) > key } ?? rest.endIndex
      for var piece in IdRun.adding(rest[..<end], to: run?.value.span, key: key) {
        try put(&piece.value, .ids, piece.key)
      }
      rest = rest[end...]
    }
  }

  /// Makes a record found by the hash of its key.
  mutating func index(_ number: UInt32, hash: UInt64) throws(ImageError) {
    try index([IdRun.entry(hash: hash, number: number)])
  }

  /// Forgets that a record is found by the hash of a key.
  mutating func unindex(_ number: UInt32, hash: UInt64) throws(ImageError) {
    let entry = IdRun.entry(hash: hash, number: number)
    guard let run = try run(of: entry),
      var value = IdRun.removing(entry, from: run.value.span)
    else { return }
    if run.key < IdRun.lastKey, IdRun.count(of: value.span) == 0 {
      try delete(.ids, run.key)
    } else {
      try put(&value, .ids, run.key)
    }
  }

  /// The run that an entry is in or would be; nil where the table has none.
  private borrowing func run(
    of entry: UInt64
  ) throws(ImageError) -> (key: UInt64, value: [UInt8])? {
    var found: (key: UInt64, value: [UInt8])?
    try forEach(.ids, from: IdRun.half(of: entry)) { key, value in
      found = (key, value.copy())
      return false
    }
    return found
  }
}
