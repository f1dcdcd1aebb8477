import BatonPlan
internal import LMDB

/// Filling a fresh image with the sound values of a damaged file.
///
/// Values keep their numbers. What only refers to others is built anew (`ids`, `nameids`, `keysof`,
/// flags of rows), what refers to something lost is left out, and the journal begins again.
struct SalvageWriting {
  private let environment: Environment
  private let tables: ImageTables
  /// The newest state, and the one before where its meta page is sound.
  private let sources: [Salvage]
  private(set) var header: Header
  private(set) var report = SalvageReport()
  private var state = ImageCounters()
  private var kinds: [UInt32: NameKind] = [:]
  /// The rows copied, by number.
  private var rows: [UInt32: RowFlags] = [:]
  private var spilled: Set<UInt32> = []
  private var aliased: Set<UInt32> = []
  private var keyed: [UInt32: [UInt64]] = [:]

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

  private func put(
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

  private func copied(
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
  private mutating func copy(
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

  private mutating func lose(_ structure: String, _ message: String) {
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

  private func isName(_ number: UInt32, _ kind: NameKind) -> Bool { kinds[number] == kind }

  // MARK: Rows

  private mutating func copyRows(_ transaction: inout WriteTransaction) throws(ImageError) {
    for number in 1...UInt32(ImageMaking.roots.count) {
      do throws(LMDBError) {
        try transaction.delete(at: UInt64(number), in: tables[.records])
      } catch {
        throw ImageError(error)
      }
    }
    try copy(.records, &transaction) { (copy, key, value, transaction) throws(ImageError) in
      guard let number = UInt32(exactly: key), number >= 1,
        let draft = try copy.draft(of: value, number)
      else {
        copy.lose("row \(key)", "what it refers to is lost")
        return nil
      }
      if number >= RowLayout.firstRecord, !draft.flags.contains(.moved) {
        guard try copy.index(draft, number, &transaction) else { return nil }
      }
      copy.rows[number] = draft.flags
      copy.state.commit = max(copy.state.commit, draft.commit)
      copy.state.nextRecord = max(copy.state.nextRecord, UInt64(number) + 1)
      return draft.encoded(number: number)
    }
    for (index, name) in ImageMaking.roots.enumerated() where rows[UInt32(index + 1)] == nil {
      let number = UInt32(index + 1)
      let root = RowDraft(type: number, commit: 0, flags: [.pathKey], key: [])
      try put(root.encoded(number: number), .records, UInt64(number), &transaction)
      rows[number] = root.flags
      lose("row \(number)", "the root of type \(name) is lost")
    }
  }

  /// A row with what is still known of it; nil when it can't be a record any more.
  private mutating func draft(
    of value: Span<UInt8>, _ number: UInt32
  ) throws(ImageError) -> RowDraft? {
    guard let row = try? RowView(value, number: number) else { return nil }
    guard var draft = try? RowDraft(row), draft.flags.isSubset(of: .known) else { return nil }
    draft.flags.subtract([.spilled, .hasAliases, .hasNaturalKeys])
    if draft.type != 0, !isName(draft.type, .type) { draft.type = 0 }
    if number < RowLayout.firstRecord {
      guard draft.flags.contains(.pathKey), draft.key.isEmpty else { return nil }
    } else if draft.flags.contains(.pathKey) {
      guard let path = PathKey(draft.key.span), path.parent >= 1, path.parent < number,
        isName(path.field, .storageKey), path.type == 0 || isName(path.type, .type)
      else { return nil }
    } else if draft.key.isEmpty {
      return nil
    }
    if draft.flags.contains(.moved) { return draft }
    let count = draft.cells.count
    draft.cells.removeAll { !isName($0.field, .storageKey) }
    for _ in draft.cells.count..<count { lose("row \(number)", "a field whose name is lost") }
    for cell in draft.cells { try noteLinks(of: cell.bytes.span) }
    return draft
  }

  /// Numbers that are linked to were given, whether their rows are left or not.
  private mutating func noteLinks(of bytes: Span<UInt8>) throws(ImageError) {
    let cell = try CellView(bytes)
    for offset in try CellLinks.offsets(in: cell) {
      state.nextRecord = max(state.nextRecord, UInt64(bytes.u32(at: offset)) + 1)
    }
  }

  /// Enters a row in `ids`; false when a row with its key was copied before.
  private func index(
    _ draft: RowDraft, _ number: UInt32, _ transaction: inout WriteTransaction
  ) throws(ImageError) -> Bool {
    var text: [UInt8] = [draft.flags.contains(.pathKey) ? 1 : 0]
    text += draft.key
    let hash = hash(text.span)
    let list = try copied(.ids, hash, &transaction)
    for other in NumberList.numbers(list?.span) {
      guard let row = try copied(.records, UInt64(other), &transaction) else { continue }
      let view = try RowView(row.span, number: other)
      let isPath = view.flags.contains(.pathKey) == draft.flags.contains(.pathKey)
      if isPath, view.key.isEqual(to: draft.key.span) { return false }
    }
    if let list = NumberList.adding(number, to: list?.span) {
      try put(list, .ids, hash, &transaction)
    }
    return true
  }

  private mutating func copyCells(_ transaction: inout WriteTransaction) throws(ImageError) {
    try copy(.cells, &transaction) { (copy, key, value, transaction) throws(ImageError) in
      let number = UInt32(truncatingIfNeeded: key >> 32)
      let field = UInt32(truncatingIfNeeded: key)
      guard let flags = copy.rows[number], flags.isDisjoint(with: [.moved, .deleted]),
        copy.isName(field, .storageKey), value.count > 4,
        let row = try copy.copied(.records, UInt64(number), &transaction),
        try RowView(row.span, number: number).index(of: field) == nil
      else {
        copy.lose("cell \(field) of record \(number)", "its row or its name is lost")
        return nil
      }
      try copy.noteLinks(of: value.extracting(4...))
      copy.spilled.insert(number)
      return value.copy()
    }
  }

  // MARK: Ids and keys

  private mutating func copyAliases(_ transaction: inout WriteTransaction) throws(ImageError) {
    try copy(.aliases, &transaction) { (copy, key, value, _) throws(ImageError) in
      try copy.entries(of: value, "aliases \(key)") { copy, entry in
        guard entry.count > 4, let flags = copy.rows[entry.u32(at: 0)], !flags.contains(.moved)
        else { return false }
        copy.aliased.insert(entry.u32(at: 0))
        copy.report.aliases += 1
        return true
      }
    }
  }

  private mutating func copyNaturalKeys(_ transaction: inout WriteTransaction) throws(ImageError) {
    try copy(.keys, &transaction) { (copy, key, value, _) throws(ImageError) in
      try copy.entries(of: value, "keys \(key)") { copy, entry in
        guard entry.count > 13, copy.rows[entry.u32(at: 0)] != nil else { return false }
        if copy.keyed[entry.u32(at: 0)]?.contains(key) != true {
          copy.keyed[entry.u32(at: 0), default: []].append(key)
        }
        copy.state.commit = max(copy.state.commit, entry.u64(at: 5))
        copy.report.keys += 1
        return true
      }
    }
    for (number, hashes) in keyed {
      if let list = HashList.encode(hashes) {
        try put(list, .keysof, UInt64(number), &transaction)
      }
    }
  }

  /// A value with the entries that `isKept` keeps; nil when none is.
  private mutating func entries(
    of value: Span<UInt8>, _ structure: String,
    _ isKept: (inout SalvageWriting, Span<UInt8>) -> Bool
  ) throws(ImageError) -> [UInt8]? {
    var kept: [UInt8] = [0, 0, 0, 0]
    try Entries.forEach(value) { (entry) throws(ImageError) in
      guard isKept(&self, entry) else {
        lose(structure, "the record it leads to is lost")
        return true
      }
      kept.append(u32: UInt32(entry.count))
      kept.append(entry)
      return true
    }
    return kept.count > 4 ? kept : nil
  }

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
