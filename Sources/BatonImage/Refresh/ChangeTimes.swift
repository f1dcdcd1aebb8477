/// When records' fields last changed, as far back as the journal goes.
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
    guard let value = try snapshot.value(.journal, commit) else { return nil }
    let entry = try JournalEntry(value, commit: commit)
    let records = entry.changes.filter { !$0.fields.isEmpty }.map(\.record)
    return Commit(time: entry.time, records: Set(records))
  }
}
