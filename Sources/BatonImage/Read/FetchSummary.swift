import BatonPlan

/// Counting fetch times, and listing the latest, for a person to look at.
extension ImageSummary {
  /// One of the latest times: of a text, or of the records of a list lookup.
  private struct Latest {
    var time: Int64
    var text: OperationText
    /// The name number of a list lookup's operation, and the records it answered then.
    var operation: UInt32 = 0
    var records: [UInt32] = []
  }

  /// Counts a time for each text and each record that has one, those of records that are gone too.
  mutating func countOperations(_ snapshot: inout PageSnapshot) throws(ImageError) {
    var count: UInt64 = 0
    var latest = Ranking<Latest>(Self.listed) { $0.time > $1.time }
    try snapshot.forEach(.operations, from: 0) { (_, value) throws(ImageError) in
      try Entries.forEach(value) { payload in
        count += 1
        if let fetch = Fetch(payload) { latest.insert(Latest(time: fetch.time, text: fetch.text)) }
        return true
      }
      return true
    }
    try snapshot.forEach(.fetches, from: 0) { key, value in
      guard let first = FetchBlock.firstRecord(ofKey: key) else { return true }
      for group in FetchBlock(value).groups {
        count += UInt64(group.records.nonzeroBitCount)
        latest.insert(
          Latest(
            time: group.time, text: OperationText([]),
            operation: FetchBlock.operation(ofKey: key),
            records: FetchBlock.numbers(group.records, from: first)))
      }
      return true
    }
    operations = count
    let isTyped = (try? header.identityRules())?.scope == .type
    var fetched: [Fetched] = []
    for found in latest.elements where fetched.count < Self.listed {
      if found.operation == 0 {
        fetched.append(Self.fetched(found.text.bytes, at: found.time))
      } else {
        fetched += try Self.fetched(found, Self.listed - fetched.count, isTyped, snapshot)
      }
    }
    self.latest = fetched
    snapshot.releasePages()
  }

  /// The name and the variables that a text is of.
  private static func fetched(_ text: [UInt8], at time: Int64) -> Fetched {
    let end = text.firstIndex(of: 0) ?? text.endIndex
    return Fetched(
      operation: String(decoding: text[..<end], as: UTF8.self),
      variables: String(decoding: text[end...].dropFirst(), as: UTF8.self), time: time)
  }

  /// The records that a list lookup answered at a time, each as if it had been asked for alone; those
  /// that have a row, at most `limit`.
  private static func fetched(
    _ latest: Latest, _ limit: Int, _ isTyped: Bool, _ snapshot: borrowing PageSnapshot
  ) throws(ImageError) -> [Fetched] {
    let text = try snapshot.name(latest.operation)
    let parts = text.split(separator: "\0", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw .damaged(Damage("name \(latest.operation)", "no operation's name"))
    }
    let json = Array(parts[2].utf8)
    guard case .object(let members)? = try? Value(json: json.span) else {
      throw .damaged(Damage("name \(latest.operation)", "its variables are no JSON object"))
    }
    var variables = Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    var fetched: [Fetched] = []
    for record in latest.records where fetched.count < limit {
      guard let row = try snapshot.row(record), !row.flags.contains(.pathKey) else { continue }
      let key = row.key.text()
      // Under the scope `type` the key is the type's name, a colon and the id.
      let id = isTyped ? String(key.drop { $0 != ":" }.dropFirst()) : key
      variables[String(parts[1])] = .list([.string(id)])
      fetched.append(
        Self.fetched(
          OperationText(name: String(parts[0]), variables: variables).bytes, at: latest.time))
    }
    return fetched
  }
}
