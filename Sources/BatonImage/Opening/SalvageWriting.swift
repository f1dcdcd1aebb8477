import BatonPlan
internal import LMDB

/// Filling a fresh image with the sound values of a damaged file.
///
/// Values keep their numbers. What only refers to others is built anew (`ids`, `nameids`, `keysof`,
/// flags of rows), what refers to something lost is left out, and the journal begins again.
struct SalvageWriting {
  private let environment: Environment
  let tables: ImageTables
  /// The newest state, and the one before where its meta page is sound.
  private let sources: [Salvage]
  private(set) var header: Header
  var report = SalvageReport()
  var state = ImageCounters()
  private var kinds: [UInt32: NameKind] = [:]
  /// The rows copied, by number.
  var rows: [UInt32: RowFlags] = [:]
  var spilled: Set<UInt32> = []
  var aliased: Set<UInt32> = []
  var keyed: [UInt32: [UInt64]] = [:]

  init(
    _ environment: Environment, _ pages: PageFile, _ options: Image.Options
  ) throws(ImageError) {
    self.environment = environment
    var sources = [try Salvage(pages)]
    if let before = try? Salvage(pages, previous: true) { sources.append(before) }
    self.sources = sources
    let (tables, pageSize) = try engine { () throws(LMDBError) in
      let names = ImageTable.allCases.map(\.name)
      return (
        ImageTables(try environment.openTables(names, creating: true)),
        UInt32(try environment.statistics().pageSize)
      )
    }
    self.tables = tables
    let identity = options.identity ?? .global
    header = Header(
      pageSize: pageSize, schemaDigest: options.schemaDigest, created: WallClock.now,
      imageId: ImageMaking.randomId(), identity: identity.canonicalText,
      lookups: identity.canonicalLookups, account: options.account)
  }

  /// Copies everything. Throws what the engine throws, and `incompatible` for another identity.
  mutating func run() throws(ImageError) {
    try copyMeta()
    try inTransaction { (copy, transaction) throws(ImageError) in
      try copy.copyNames(&transaction)
    }
    try inTransaction { (copy, transaction) throws(ImageError) in
      try copy.copyRows(&transaction)
    }
    try inTransaction { (copy, transaction) throws(ImageError) in
      try copy.copyCells(&transaction)
      try copy.copyAliases(&transaction)
      try copy.copyNaturalKeys(&transaction)
      try copy.copyTheRest(&transaction)
    }
    try inTransaction { (copy, transaction) throws(ImageError) in
      try copy.finishRows(&transaction)
      try copy.finish(&transaction)
    }
    for source in sources.prefix(1) { report.losses = source.faults + report.losses }
    report.losses = Array(report.losses.prefix(VerificationReport.maximumFaults))
    report.lossCount += sources[0].faultCount
  }

  private mutating func inTransaction(
    _ body: (inout SalvageWriting, inout WriteTransaction) throws(ImageError) -> Void
  ) throws(ImageError) {
    var transaction = try engine { () throws(LMDBError) in try environment.write() }
    try body(&self, &transaction)
    do throws(LMDBError) { try transaction.commit() } catch { throw ImageError(error) }
  }

  // MARK: Values

  private func has(
    _ table: ImageTable, _ key: UInt64, _ transaction: inout WriteTransaction
  ) throws(ImageError) -> Bool {
    do throws(LMDBError) {
      return try transaction.value(at: key, in: tables[table]) != nil
    } catch {
      throw ImageError(error)
    }
  }

  func put(
    _ value: [UInt8], _ table: ImageTable, _ key: UInt64, _ transaction: inout WriteTransaction
  ) throws(ImageError) {
    var value = value
    value.seal(table: table, key: key)
    do throws(LMDBError) {
      try transaction.put(value.span, at: key, in: tables[table])
    } catch {
      throw ImageError(error)
    }
  }

  func copied(
    _ table: ImageTable, _ key: UInt64, _ transaction: inout WriteTransaction
  ) throws(ImageError) -> [UInt8]? {
    do throws(LMDBError) {
      guard let value = try transaction.value(at: key, in: tables[table]) else { return nil }
      return value.copy()
    } catch {
      throw ImageError(error)
    }
  }

  /// Puts what `made` makes of each value that no earlier source had; nil is a loss.
  mutating func copy(
    _ table: ImageTable, _ transaction: inout WriteTransaction,
    _ made: (
      inout SalvageWriting, _ key: UInt64, _ value: Span<UInt8>, inout WriteTransaction
    ) throws(ImageError) -> [UInt8]?
  ) throws(ImageError) {
    for source in sources {
      try source.forEach(table) { (key, value) throws(ImageError) in
        if try has(table, key, &transaction) { return }
        if let value = try made(&self, key, value, &transaction) {
          try put(value, table, key, &transaction)
        }
      }
    }
  }

  mutating func lose(_ structure: String, _ message: String) {
    report.lossCount += 1
    guard report.losses.count < VerificationReport.maximumFaults else { return }
    report.losses.append(Damage(structure, message))
  }

  // MARK: Header and state

  private mutating func copyMeta() throws(ImageError) {
    var headers: [Header] = []
    var states: [ImageCounters] = []
    for source in sources {
      try source.forEach(.meta) { (key, value) throws(ImageError) in
        if key == MetaKey.header { headers.append(try Header(value)) }
        if key == MetaKey.state, let state = try? ImageCounters(value) { states.append(state) }
      }
    }
    if var found = headers.first {
      // Another file: what was said of the old one's states doesn't hold for this one's.
      found.imageId = header.imageId
      found.pageSize = header.pageSize
      header = found
    } else {
      lose("header", "it is missing; the image was made anew")
    }
    for found in states {
      state.commit = max(state.commit, found.commit)
      state.time = max(state.time, found.time)
      state.nextRecord = max(state.nextRecord, found.nextRecord)
      state.nextName = max(state.nextName, found.nextName)
      state.generation = max(state.generation, found.generation)
    }
    if states.isEmpty { lose("state", "it is missing; it was built from what is there") }
  }

  // MARK: Names

  private mutating func copyNames(_ transaction: inout WriteTransaction) throws(ImageError) {
    for (index, name) in ImageMaking.roots.enumerated() {
      let number = UInt32(index + 1)
      do throws(LMDBError) {
        try ImageMaking.writeRoot(number, name, &transaction, tables)
      } catch {
        throw ImageError(error)
      }
      kinds[number] = .type
    }
    try copy(.names, &transaction) { (copy, key, value, transaction) throws(ImageError) in
      guard let number = UInt32(exactly: key), number >= NameKind.firstFree,
        number <= NameKind.maximumCount, value.count > 5, let kind = NameKind(rawValue: value[4])
      else { return nil }
      let hash = hash(value.extracting(4...))
      let list = try copy.copied(.nameids, hash, &transaction)
      if let list = NumberList.adding(number, to: list?.span) {
        try copy.put(list, .nameids, hash, &transaction)
      }
      copy.kinds[number] = kind
      copy.state.nextName = max(copy.state.nextName, number + 1)
      return value.copy()
    }
  }

  func isName(_ number: UInt32, _ kind: NameKind) -> Bool { kinds[number] == kind }

  // MARK: What stands for itself

  private mutating func copyTheRest(_ transaction: inout WriteTransaction) throws(ImageError) {
    try copy(.types, &transaction) { (copy, key, value, _) throws(ImageError) in
      let names = [UInt32(key >> 32), UInt32(truncatingIfNeeded: key)]
      return names.allSatisfy { copy.isName($0, .type) } ? value.copy() : nil
    }
    for table in [ImageTable.operations, .misses, .stamps] {
      try copy(table, &transaction) { (copy, _, value, _) throws(ImageError) in
        if table == .operations {
          try Entries.forEach(value) { (entry) throws(ImageError) in
            if entry.count > 16 { copy.state.commit = max(copy.state.commit, entry.u64(at: 8)) }
            return true
          }
        }
        return value.copy()
      }
    }
    try copyFetches(&transaction)
  }

  // MARK: The end

  /// Sets the flags of rows by what was found, and drops rows that moved to nothing.
  private mutating func finishRows(_ transaction: inout WriteTransaction) throws(ImageError) {
    for (number, flags) in rows.sorted(by: { $0.key < $1.key }) {
      var wanted = flags
      if spilled.contains(number) { wanted.insert(.spilled) }
      if aliased.contains(number) { wanted.insert(.hasAliases) }
      if keyed[number] != nil { wanted.insert(.hasNaturalKeys) }
      guard wanted != flags || flags.contains(.moved),
        let row = try copied(.records, UInt64(number), &transaction)
      else { continue }
      var draft = try RowDraft(RowView(row.span, number: number))
      if flags.contains(.moved) {
        let target = try RowView(row.span, number: number).target()
        guard let target, let found = rows[target],
          found.isDisjoint(with: [.moved, .pathKey])
        else {
          lose("row \(number)", "the record it moved to is lost")
          try drop(number, &transaction)
          continue
        }
      }
      draft.flags = wanted
      try put(draft.encoded(number: number), .records, UInt64(number), &transaction)
    }
  }

  /// Takes a row out, with the natural keys that lead to it.
  private mutating func drop(
    _ number: UInt32, _ transaction: inout WriteTransaction
  ) throws(ImageError) {
    for hash in keyed[number] ?? [] {
      let value = try copied(.keys, hash, &transaction)
      let left = try Entries.replacing(in: value?.span, with: nil) { $0.u32(at: 0) == number }
      if let left {
        try put(left, .keys, hash, &transaction)
      } else {
        try delete(.keys, hash, &transaction)
      }
    }
    try delete(.keysof, UInt64(number), &transaction)
    try delete(.records, UInt64(number), &transaction)
    rows[number] = nil
  }

  private func delete(
    _ table: ImageTable, _ key: UInt64, _ transaction: inout WriteTransaction
  ) throws(ImageError) {
    do throws(LMDBError) { try transaction.delete(at: key, in: tables[table]) } catch {
      throw ImageError(error)
    }
  }

  private mutating func finish(_ transaction: inout WriteTransaction) throws(ImageError) {
    report.records = rows.count
    state.nextRecord = min(state.nextRecord, 1 << 32)
    state.oldestJournal = 0
    try put(header.encoded(), .meta, MetaKey.header, &transaction)
    try put(state.encoded(), .meta, MetaKey.state, &transaction)
  }
}
