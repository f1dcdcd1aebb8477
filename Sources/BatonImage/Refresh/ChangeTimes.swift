/// When records' fields last changed, as far back as the journal goes: Docs/Format.md section 12.
struct ChangeTimes {
  private var commits: [UInt64: Commit?] = [:]

  private struct Commit {
    var time: Int64
    /// The records of which fields were written.
    var records: Set<UInt32>
  }

  /// The time of a row's last commit in milliseconds since 1970; nil when the journal no longer has
  /// it, or when it changed no field of the record.
  mutating func time(
    of number: UInt32, commit: UInt64, in snapshot: borrowing Snapshot
  ) throws(ImageError) -> Int64? {
    if commits[commit] == nil { commits[commit] = .some(try read(commit, in: snapshot)) }
    guard case .some(.some(let found)) = commits[commit], found.records.contains(number) else {
      return nil
    }
    return found.time
  }

  private func read(
    _ commit: UInt64, in snapshot: borrowing Snapshot
  ) throws(ImageError) -> Commit? {
    guard let value = try snapshot.value(.journal, commit), value.count >= 14 else { return nil }
    let nameCount = Int(value.u16(at: 12))
    guard nameCount <= value.count - 14 else { throw Self.cut(commit) }
    var found = Commit(time: Int64(bitPattern: value.u64(at: 4)), records: [])
    var reader = ByteReader(value, at: 14 + nameCount)
    guard let count = reader.varint() else { throw Self.cut(commit) }
    var number: UInt32 = 0
    // A count that lies ends with the bytes: each turn reads at least one.
    for _ in 0..<count {
      guard let step = reader.varint(), reader.byte() != nil, let fields = reader.varint() else {
        throw Self.cut(commit)
      }
      number &+= UInt32(truncatingIfNeeded: step)
      if fields > 0 { found.records.insert(number) }
      for _ in 0..<fields {
        guard reader.varint() != nil else { throw Self.cut(commit) }
      }
    }
    return found
  }

  private static func cut(_ commit: UInt64) -> ImageError {
    .damaged(Damage("journal \(commit)", "it is cut"))
  }
}
