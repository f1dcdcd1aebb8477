import BatonImage

extension ImageFixture {
  /// An image with something of everything: each kind of cell, path keys, spilled cells, aliases,
  /// natural keys, moved and deleted rows, operations, fetches, misses, stamps and a journal. `extra`
  /// further records make it larger.
  package static func sample(extra: Int = 0) -> ImageFixture {
    var image = ImageFixture()
    for (number, name) in [(1, "Query"), (2, "Mutation"), (3, "Subscription")] {
      _ = image.addName(.type, name, number: UInt32(number))
    }
    let issue = image.addName(.type, "Issue")
    let fields = ["id", "title", "number", "labels(first:10)", "author", "nodes"].map {
      image.addName(.storageKey, $0)
    }
    image.addRow(
      type: 1, flags: [.pathKey], key: [],
      cells: [(fields[5], link(.links, [4, 0, 5]))], number: 1, isListed: false)
    for root in [2, 3] as [UInt32] {
      image.addRow(type: root, flags: [.pathKey], key: [], cells: [], number: root, isListed: false)
    }
    image.addRow(
      type: issue, flags: [.hasAliases, .hasNaturalKeys], key: Array("I_1".utf8),
      cells: [
        (fields[0], cell(.string, Array("I_1".utf8))),
        (fields[1], errorCell(.string, flags: CellKind.stale, Array("Crash at start".utf8))),
        (fields[2], cell(.int, [0x39, 0x30])),
        (fields[3], link(.link, [6])),
        (fields[4], errorCell(.null, flags: 0, [])),
      ])
    image.addRow(type: issue, key: Array("I_2".utf8), cells: scalarCells(fields))
    image.addRow(type: 0, flags: [.pathKey], key: path(4, fields[3], 0, []), cells: [])
    image.addRow(type: issue, flags: [.deleted], key: Array("I_3".utf8), cells: [])
    image.addRow(
      type: issue, flags: [.moved], key: Array("I_4".utf8),
      cells: [(0, link(.link, [4]))], isListed: false)
    image.addRow(
      type: issue, flags: [.pathKey, .evicted], key: path(6, fields[5], issue, [3, 1]), cells: [])
    image.addSpilled(issue)
    image.addRest(fields, issue: issue)
    image.addMore(extra, fields, issue)
    image.finish()
    return image
  }

  private static func scalarCells(_ fields: [UInt32]) -> [(field: UInt32, cell: [UInt8])] {
    var float: [UInt8] = []
    float.append(u64: (1.5).bitPattern)
    let inner = element(.int, [7]) + element(.null, []) + element(.string, Array("x".utf8))
    return [
      (fields[0], cell(.float, float)),
      (fields[1], cell(.float, float + Array("1.50".utf8))),
      (fields[2], cell(.true)),
      (fields[3], cell(.source, Array(#"{"a":1}"#.utf8))),
      (fields[4], cell(.list, element(.list, inner) + element(.false, []))),
      (fields[5], cell(.null)),
    ]
  }

  private mutating func addSpilled(_ type: UInt32) {
    let wide = (0..<66).map { addName(.storageKey, "wide\($0)") }
    let number = addRow(
      type: type, flags: [.spilled], key: Array("I_wide".utf8),
      cells: wide.prefix(64).map { ($0, Self.cell(.true)) })
    for field in wide.suffix(2) {
      put(.cells, UInt64(number) << 32 | UInt64(field), [0, 0, 0, 0] + Self.cell(.string, [65]))
    }
  }

  /// Aliases, natural keys, operations, fetches, misses, types, stamps and the journal.
  private mutating func addRest(_ fields: [UInt32], issue: UInt32) {
    let alias = Array("MDU6SXNzdWUx".utf8)
    var entry: [UInt8] = []
    entry.append(u32: 4)
    appendEntry(.aliases, hash(alias.span), entry + alias)

    let natural = Array(#"repository(name:"w",owner:"o")/issue(number:7)"#.utf8)
    entry.append(1)
    entry.append(u64: 5)
    appendEntry(.keys, hash(natural.span), entry + natural)
    var hashes: [UInt8] = [0, 0, 0, 0]
    hashes.append(u64: hash(natural.span))
    put(.keysof, 4, hashes)

    let operation = Array("RefreshRowsQuery\0{\"ids\":[\"I_1\"]}".utf8)
    entry = []
    entry.append(u64: 1_700_000_000_000)
    entry.append(u64: 6)
    appendEntry(.operations, hash(operation.span), entry + operation)

    let refresh = addName(.operation, "RefreshRowsQuery\0ids\0{\"ids\":[]}")
    var groups: [UInt8] = [0, 0, 0, 0]
    // The records 4 and 7 at one time, 5 later.
    for (time, records) in [(1_700_000_000_000, 0x90), (1_700_000_000_100, 0x20)]
      as [(UInt64, UInt64)]
    {
      groups.append(u64: time)
      groups.append(u64: records)
    }
    put(.fetches, UInt64(refresh) << 32, groups)

    let missing = Array("I_404".utf8)
    entry = []
    entry.append(u32: 2)
    entry.append(2)
    entry.append(u64: 1_700_000_000_000)
    entry.append(u64: 1_700_000_000_100)
    entry.append(u32: UInt32(missing.count))
    appendEntry(
      .misses, hash(missing.span), entry + missing + Self.errors(["no", "[]", "NOT_FOUND", "{}"]))

    put(.types, UInt64(issue) << 32 | 1, [0, 0, 0, 0, 1])
    put(.stamps, 0, [UInt8](repeating: 0, count: 4 + 1024))
    oldestJournal = 8
    for commit in UInt64(8)...9 {
      var value: [UInt8] = [0, 0, 0, 0]
      value.append(u64: 1_700_000_000_000)
      value.append(u16: 4)
      value += Array("Load".utf8)
      value += [3, 4, 0, 1, 2, UInt8(fields[0]), 1, 1, 0, 3, 0, 1, 1]
      put(.journal, commit, value)
    }
  }

  private mutating func addMore(_ count: Int, _ fields: [UInt32], _ issue: UInt32) {
    for index in 0..<count {
      let id = Array("I_extra_\(index)".utf8)
      let title = [UInt8](repeating: 97, count: index % 50 == 7 ? 9000 : 40 + index % 90)
      addRow(
        type: issue, key: id,
        cells: [
          (fields[0], Self.cell(.string, id)), (fields[1], Self.cell(.string, title)),
          (fields[2], Self.cell(.int, [UInt8(index % 100)])),
        ])
    }
  }
}
