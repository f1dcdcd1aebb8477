import BatonImage
import BatonPlan

/// Reads raw values as rows, cells, names and lists, alone and as the tables of an image.
enum RowTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    var reader = InputReader(input)
    if reader.byte() & 1 == 0 {
      readAlone(reader.rest())
    } else {
      readTables(source(&reader))
    }
  }

  // MARK: Values alone

  private static func readAlone(_ bytes: [UInt8]) {
    attempt { () throws(ImageError) in
      let row = try RowView(bytes.span, number: 5)
      _ = (row.type, row.commit, row.flags, row.key.count)
      _ = PathKey(row.key)
      for index in 0..<row.cellCount {
        _ = row.index(of: row.field(at: index))
        attempt { () throws(ImageError) in try readCell(row.cell(at: index).bytes) }
      }
      _ = try row.target()
    }
    attempt { () throws(ImageError) in try readCell(bytes.span) }
    attempt { () throws(ImageError) in
      for error in try FieldError.decode(bytes.span) { _ = error.dottedPath }
    }
    attempt { () throws(ImageError) in _ = try ImageCounters(bytes.span) }
    attempt { () throws(ImageError) in _ = try Header(bytes.span).identityRules() }
    _ = IdentityRules.values(ofJoined: bytes)
  }

  private static func readCell(_ bytes: Span<UInt8>) throws(ImageError) {
    let cell = try CellView(bytes)
    _ = (cell.int, cell.float, cell.link, cell.isErrored)
    for index in 0..<cell.linkCount { _ = cell.link(at: index) }
    var value: [UInt8] = []
    attempt { () throws(ImageError) in try MemorySource().appendValue(cell, to: &value) }
    _ = try FieldError.decode(cell.errors)
  }

  private static func attempt(_ body: () throws(ImageError) -> Void) {
    do throws(ImageError) { try body() } catch { _ = error.description }
  }

  // MARK: Tables

  /// A table, a key and a value again and again, to the input's end.
  private static func source(_ reader: inout InputReader) -> MemorySource {
    var source = MemorySource()
    while !reader.isAtEnd {
      let table = ImageTable.allCases[reader.index(below: ImageTable.allCases.count)]
      var key = UInt64(reader.byte())
      if table == .cells { key = key << 32 | UInt64(reader.byte()) }
      let count = Int(reader.byte())
      source.put(table, key, [0, 0, 0, 0] + reader.bytes(upTo: count))
    }
    return source
  }

  private static func readTables(_ source: MemorySource) {
    attempt { () throws(ImageError) in
      var count = 0
      try source.export { (part) throws(ImageError) in
        count += part.count
        if count > 1 << 20 { throw .limit("a long dump") }
      }
    }
    attempt { () throws(ImageError) in _ = try source.otherNames() }
    attempt { () throws(ImageError) in _ = try source.counters() }
    for key in source.keys(of: .records) {
      let number = UInt32(truncatingIfNeeded: key)
      var name = ""
      attempt { () throws(ImageError) in name = try source.keyText(of: number) }
      attempt { () throws(ImageError) in _ = try source.card(name) }
      attempt { () throws(ImageError) in _ = try source.liveRecord(name) }
      attempt { () throws(ImageError) in
        _ = try source.read(
          fragment: TrialPlans.row, of: number, variables: [:], identity: .global,
          maximumCount: 1 << 16)
      }
      attempt { () throws(ImageError) in _ = try source.miss(of: Array(name.utf8)) }
    }
    for plan in [TrialPlans.load, TrialPlans.refresh] {
      attempt { () throws(ImageError) in
        _ = try source.read(
          plan, variables: TrialPlans.variables(of: plan), identity: .global,
          maximumCount: 1 << 16)
      }
    }
    attempt { () throws(ImageError) in
      _ = try source.number(ofNaturalKey: #"repository(name:"w",owner:"o")"#)
    }
  }
}
