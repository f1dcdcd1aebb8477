/// What an image holds, as it is shown to a person.
package struct ImageSummary: Sendable {
  /// A table's size.
  package struct Table: Sendable {
    package var name: String
    package var entries: UInt64
    package var pages: UInt64
  }

  /// The records of one type.
  package struct TypeUse: Sendable {
    /// Empty where no response said the type.
    package var name: String
    package var records: UInt64
    /// Bytes of the rows and of the cells outside them.
    package var bytes: UInt64
  }

  /// One of the largest records.
  package struct Large: Sendable {
    package var key: String
    package var type: String
    package var bytes: UInt64
  }

  /// An operation that was fetched, and when last; of a list lookup, with one of its ids.
  package struct Fetched: Sendable {
    package var operation: String
    /// The variables as JSON.
    package var variables: String
    /// Milliseconds since 1970.
    package var time: Int64
  }

  package var header: Header
  package var counters: ImageCounters
  package var fileBytes: UInt64
  package var mapBytes: UInt64
  package var pages: UInt64
  package var freePages: UInt64 = 0
  package var tables: [Table] = []
  /// The types, those with the most bytes first.
  package var types: [TypeUse] = []
  package var largest: [Large] = []
  /// Rows with each flag, by the flag's name.
  package var flags: [String: UInt64] = [:]
  package var liveKeys: UInt64 = 0
  package var supersededKeys: UInt64 = 0
  package var aliases: UInt64 = 0
  package var operations: UInt64 = 0
  /// The operations fetched last, the newest first.
  package var latest: [Fetched] = []
  package var misses: UInt64 = 0
  /// The ids that were answered null most often.
  package var mostMissed: [Miss] = []
  /// The readers the engine's lock file lists; nil where it can't be told.
  package var readers: [ReaderSlot]?

  /// How many of the largest, latest and most missed are listed.
  package static let listed = 10

  /// Entries of all tables of a name.
  package func entries(of table: ImageTable) -> UInt64 {
    tables.first { $0.name == table.name }?.entries ?? 0
  }
}

extension UntrustedImage {
  /// Counts what the image holds.
  ///
  /// Time is linear in the file; memory is a few words a type and a spilled record. Throws `damaged`
  /// at the first place that can't be read.
  package func summary() throws(ImageError) -> ImageSummary {
    var summary = try file.reading { (snapshot) throws(ImageError) in
      try self.count(&snapshot)
    }
    summary.readers = ReaderSlot.all(beside: path)
    return summary
  }

  private func count(_ snapshot: inout PageSnapshot) throws(ImageError) -> ImageSummary {
    let meta = snapshot.meta
    var summary = ImageSummary(
      header: header, counters: try snapshot.counters(), fileBytes: file.length,
      mapBytes: meta.mapSize, pages: meta.lastPage + 1)
    summary.freePages = try file.freePages(of: meta)
    for table in ImageTable.allCases {
      let tree = try file.tree(of: table, in: meta) ?? .empty
      summary.tables.append(
        .init(
          name: table.name, entries: tree.entries,
          pages: tree.branchPages &+ tree.leafPages &+ tree.overflowPages))
    }
    try summary.countRecords(&snapshot)
    try summary.countNames(snapshot)
    try summary.countOperations(&snapshot)
    try summary.countMisses(snapshot)
    return summary
  }
}

extension PageFile {
  /// How many pages the tree of free pages lists: Docs/Format.md section 18.
  ///
  /// Reads no list whole, so that lists that overlap cost no more than those that don't.
  fileprivate func freePages(of meta: EngineMeta) throws(ImageError) -> UInt64 {
    var cursor = try TreeCursor<UInt64>(meta.free, from: 0, in: self, of: meta)
    var free: UInt64 = 0
    while let (_, step) = try cursor.next() {
      let node = step.node
      let count: UInt64
      if node.flags == NodeLayout.overflow, node.size >= 8 {
        let run = try overflowRun(step.page.overflowPage(node), count: 8, of: meta)
        count = run.bytes.span.u64(at: PageLayout.size)
      } else if node.flags == 0, node.size >= 8 {
        count = step.page.bytes.span.u64(at: step.page.inlineData(node).lowerBound)
      } else {
        throw .page(step.page.number, size: pageSize, "a list of free pages that is none")
      }
      guard count <= UInt64(node.size) / 8 - 1 else {
        throw .page(
          step.page.number, size: pageSize, "\(count) free pages in \(node.size) bytes",
          at: node.offset)
      }
      free += count
    }
    return free
  }
}

extension ImageSummary {
  fileprivate mutating func countRecords(
    _ snapshot: inout PageSnapshot
  ) throws(ImageError) {
    var spilled: [UInt32: UInt64] = [:]
    try snapshot.forEach(.cells, from: 0) { key, value in
      spilled[UInt32(truncatingIfNeeded: key >> 32), default: 0] += UInt64(value.count)
      return true
    }
    var uses: [UInt32: (records: UInt64, bytes: UInt64)] = [:]
    var flagged: [UInt16: UInt64] = [:]
    var largest = Ranking<(number: UInt32, type: UInt32, bytes: UInt64)>(Self.listed) {
      $0.bytes > $1.bytes
    }
    try snapshot.forEach(.records, from: 1) { (key, value) throws(ImageError) in
      let number = UInt32(truncatingIfNeeded: key)
      let row = try RowView(value, number: number)
      let bytes = UInt64(value.count) + (spilled[number] ?? 0)
      uses[row.type, default: (0, 0)].records += 1
      uses[row.type, default: (0, 0)].bytes += bytes
      flagged[row.flags.rawValue, default: 0] += 1
      largest.insert((number, row.type, bytes))
      return true
    }
    for (number, use) in uses {
      types.append(
        .init(name: try snapshot.typeName(number), records: use.records, bytes: use.bytes))
      snapshot.releasePages()
    }
    types.sort { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
    for large in largest.elements {
      self.largest.append(
        Large(
          key: try snapshot.keyText(of: large.number), type: try snapshot.typeName(large.type),
          bytes: large.bytes))
    }
    for (flags, count) in flagged {
      for name in RowFlags(rawValue: flags).names { self.flags[name, default: 0] += count }
    }
  }

  fileprivate mutating func countNames(_ snapshot: borrowing PageSnapshot) throws(ImageError) {
    var live: UInt64 = 0
    var superseded: UInt64 = 0
    try snapshot.forEachNaturalKey { key in
      if key.isLive { live += 1 } else { superseded += 1 }
    }
    liveKeys = live
    supersededKeys = superseded
    var aliases: UInt64 = 0
    try snapshot.forEach(.aliases, from: 0) { (_, value) throws(ImageError) in
      try Entries.forEach(value) { _ in
        aliases += 1
        return true
      }
      return true
    }
    self.aliases = aliases
  }

  fileprivate mutating func countMisses(_ snapshot: borrowing PageSnapshot) throws(ImageError) {
    var count: UInt64 = 0
    var most = Ranking<Miss>(Self.listed) { $0.count > $1.count }
    try snapshot.forEach(.misses, from: 0) { (_, value) throws(ImageError) in
      try Entries.forEach(value) { payload in
        count += 1
        if let miss = Miss(payload) { most.insert(miss) }
        return true
      }
      return true
    }
    misses = count
    mostMissed = most.elements
  }
}

extension RecordSource where Self: ~Copyable {
  /// The image's counters. Throws `damaged` when there are none.
  package borrowing func counters() throws(ImageError) -> ImageCounters {
    guard let state = try value(.meta, MetaKey.state) else {
      throw .damaged(Damage("state", "it is missing"))
    }
    return try ImageCounters(state)
  }

  /// The text of a type's name; empty for 0, which no response named.
  package borrowing func typeName(_ number: UInt32) throws(ImageError) -> String {
    number == 0 ? "" : try name(number)
  }
}

extension RowFlags {
  /// The names of the flags that are set, as Docs/Format.md section 6 has them.
  package var names: [String] {
    let all = [
      "pathKey", "deleted", "spilled", "hasNaturalKeys", "hasAliases", "moved", "evicted",
      "pinned",
    ]
    return all.enumerated().filter { rawValue & 1 << UInt16($0.offset) != 0 }.map(\.element)
  }
}
