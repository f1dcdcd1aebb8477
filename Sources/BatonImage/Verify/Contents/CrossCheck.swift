/// Compares the tables that must say the same: by fingerprints, then pair by pair in the parts
/// that differ, so that each fault has a place.
extension Inspection {
  func checkReferences() {
    compare(
      .names, .nameids, links.names, links.nameids,
      hashes: { key, value, pair in pair(hash(value.extracting(4...)), key) },
      listed: { key, value, pair in
        for place in stride(from: 4, to: value.count, by: 4) {
          pair(key, UInt64(value.u32(at: place)))
        }
      })
    compare(
      .records, .ids, links.rows, links.ids,
      hashes: { key, value, pair in
        guard key >= UInt64(RowLayout.firstRecord), let number = UInt32(exactly: key),
          let row = try? RowView(value, number: number), !row.flags.contains(.moved)
        else { return }
        pair(IdRun.half(of: row.keyHash), key)
      },
      listed: { _, run, pair in
        for index in 0..<IdRun.count(of: run) {
          let entry = IdRun.entry(index, of: run)
          pair(IdRun.half(of: entry), entry & 0xFFFF_FFFF)
        }
      })
    compareNaturalKeys()
  }

  /// Tells a pair that a value holds.
  private typealias PairSink = (_ hash: UInt64, _ number: UInt64) -> Void

  /// Compares a table of numbered values with the one that lists their numbers by hash.
  private func compare(
    _ table: ImageTable, _ index: ImageTable, _ left: Fingerprint, _ right: Fingerprint,
    hashes: (UInt64, Span<UInt8>, PairSink) -> Void,
    listed list: (UInt64, Span<UInt8>, PairSink) -> Void
  ) {
    guard canCompare(table, index), left.differs(from: right) else { return }
    // Pairs of the parts that differ: few where little is wrong.
    var listed: Set<Pair> = []
    forEachAgain(index) { key, value in
      list(key, value.span) { hash, number in
        guard left.differs(from: right, at: hash), listed.count <= Self.maximumPairs else { return }
        listed.insert(Pair(hash: hash, number: number))
      }
    }
    if areTooMany(listed, table, index) { return }
    forEachAgain(table) { key, value in
      hashes(key, value.span) { hash, number in
        guard left.differs(from: right, at: hash) else { return }
        if listed.remove(Pair(hash: hash, number: number)) == nil {
          fault(
            Problem("\(index.name) \(hash) doesn't list \(number)"),
            in: table == .records ? "row \(key)" : "name \(key)", value)
        }
      }
    }
    faultRest(listed, of: index, "which \(table.name) doesn't have under that hash")
  }

  private func compareNaturalKeys() {
    let (left, right) = (links.keys, links.keysof)
    guard canCompare(.keys, .keysof), left.differs(from: right) else { return }
    var listed: Set<Pair> = []
    forEachAgain(.keysof) { key, value in
      for place in stride(from: 4, to: value.span.count, by: 8) {
        let hash = value.span.u64(at: place)
        guard listed.count <= Self.maximumPairs else { return }
        if left.differs(from: right, at: hash) { listed.insert(Pair(hash: hash, number: key)) }
      }
    }
    if areTooMany(listed, .keys, .keysof) { return }
    var met: Set<Pair> = []
    forEachAgain(.keys) { key, value in
      guard left.differs(from: right, at: key) else { return }
      met.removeAll(keepingCapacity: true)
      let problem = EntryList.problem(in: value.span) { entry in
        let pair = Pair(hash: key, number: UInt64(entry.u32(at: 0)))
        guard met.insert(pair).inserted, listed.remove(pair) == nil else { return nil }
        return Problem("keysof \(pair.number) doesn't list the hash")
      }
      fault(problem, in: "keys \(key)", value)
    }
    for pair in listed.sorted().prefix(VerificationReport.maximumFaults) {
      log.fault(
        "keysof \(pair.number)", at: place(of: pair.number, in: .keysof),
        "lists the hash \(pair.hash), under which keys has no entry of the record")
    }
  }

  private func faultRest(_ listed: Set<Pair>, of index: ImageTable, _ message: String) {
    for pair in listed.sorted().prefix(VerificationReport.maximumFaults) {
      log.fault(
        "\(index.name) \(pair.hash)", at: place(atLeast: pair.hash, in: index),
        "lists \(pair.number), \(message)")
    }
  }

  /// How many pairs are held at a time to look for the ones that differ.
  private static var maximumPairs: Int { 1 << 18 }

  /// Whether there are more than are held; then the tables are at fault as they stand.
  private func areTooMany(
    _ listed: Set<Pair>, _ left: ImageTable, _ right: ImageTable
  ) -> Bool {
    guard listed.count > Self.maximumPairs else { return false }
    log.fault(
      "tables \(left.name) and \(right.name)", at: nil, "they differ in too much to list")
    return true
  }

  private func canCompare(_ left: ImageTable, _ right: ImageTable) -> Bool {
    if whole.contains(left), whole.contains(right) { return true }
    log.note(
      "tables \(left.name) and \(right.name)", "not compared, because one of them is damaged")
    return false
  }

  /// Goes through a table whose pages were found to be right once more.
  private func forEachAgain(
    _ table: ImageTable, _ body: (_ key: UInt64, _ value: StoredValue) -> Void
  ) {
    guard let tree = tables[table] else { return }
    do throws(ImageError) {
      var cursor = try TreeCursor<UInt64>(tree, from: 0, in: file, of: meta)
      while let (key, step) = try cursor.next() {
        body(key, try file.value(at: step, of: meta))
      }
    } catch {
      log.fault(error, in: "table \(table.name)")
    }
  }
}

/// A hash and a number that two tables must both hold.
private struct Pair: Hashable, Comparable {
  var hash: UInt64
  var number: UInt64

  static func < (left: Pair, right: Pair) -> Bool {
    (left.hash, left.number) < (right.hash, right.number)
  }
}
