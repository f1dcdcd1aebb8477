import BatonPlan

/// The dump of records as JSON: key to record, a record a line.
extension RecordSource where Self: ~Copyable {
  /// Writes the records to `sink` in pieces, keys sorted; all of them, or those with the keys
  /// given.
  ///
  /// Throws `notFound` for a key that names no record.
  package borrowing func export(
    keys: [String] = [], to sink: ([UInt8]) throws(ImageError) -> Void
  ) throws(ImageError) {
    var records: [(key: String, number: UInt32)] = []
    if keys.isEmpty {
      records = try allRecords()
    } else {
      for key in keys {
        guard let number = try number(ofRecord: key) else {
          throw .notFound("there is no record \(key)")
        }
        records.append((try keyText(of: number), number))
      }
    }
    records.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    try sink(Array("{".utf8))
    for (index, record) in records.enumerated() {
      var line: [UInt8] = Array((index == 0 ? "\n  " : ",\n  ").utf8)
      CanonicalJSON.append(record.key, to: &line)
      line.append(contentsOf: ": ".utf8)
      try appendRecord(record.number, to: &line)
      try sink(line)
    }
    try sink(Array((records.isEmpty ? "}\n" : "\n}\n").utf8))
  }

  /// Every record that stands for itself, with its key. One with an id that reads like another's
  /// path gets the prefix `id:`.
  private borrowing func allRecords() throws(ImageError) -> [(key: String, number: UInt32)] {
    var numbers: [UInt32] = []
    try forEach(.records, from: 1) { (key, _) throws(ImageError) in
      numbers.append(UInt32(truncatingIfNeeded: key))
      return true
    }
    var records: [(key: String, number: UInt32)] = []
    var keys = ExportKeys()
    var seen: [String: Int] = [:]
    for number in numbers {
      guard let key = try keys.key(of: number, in: self) else { continue }
      if let other = seen[key] {
        let isPath = try row(number)?.flags.contains(.pathKey) ?? false
        let index = isPath ? other : records.count
        records.append((key, number))
        records[index].key = "id:" + key
      } else {
        records.append((key, number))
        seen[key] = records.count - 1
      }
    }
    return records
  }

  /// Appends a record as a JSON object on one line.
  package borrowing func appendRecord(
    _ number: UInt32, to line: inout [UInt8]
  ) throws(ImageError) {
    guard let row = try row(number) else {
      throw .damaged(Damage("record \(number)", "it is missing"))
    }
    if row.flags.contains(.deleted) {
      line.append(contentsOf: "null".utf8)
      return
    }
    line.append(UInt8(ascii: "{"))
    var members = ObjectMembers()
    if row.type != 0 {
      members.begin("__typename", &line)
      CanonicalJSON.append(try name(row.type), to: &line)
    }
    var errors: [(String, FieldError)] = []
    var stale: [(String, UInt32)] = []
    for field in try fields(of: number) {
      guard let cell = try cell(of: number, field: field.number) else { continue }
      members.begin(field.key, &line)
      if cell.hasErrors, let first = try FieldError.decode(cell.errors).first {
        errors.append((field.key, first))
      }
      if cell.isStale {
        stale.append((field.key, field.number))
        line.append(contentsOf: "null".utf8)
      } else {
        try appendValue(cell, to: &line)
      }
    }
    try appendErrors(errors, &members, &line)
    try appendStale(stale, of: number, &members, &line)
    line.append(UInt8(ascii: "}"))
  }

  /// The fields of a record with their storage keys, sorted by key.
  package borrowing func fields(
    of number: UInt32
  ) throws(ImageError) -> [(key: String, number: UInt32)] {
    var fields: [(key: String, number: UInt32)] = []
    for number in try fieldNumbers(of: number) { fields.append((try name(number), number)) }
    return fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  private borrowing func appendErrors(
    _ errors: [(String, FieldError)], _ members: inout ObjectMembers, _ line: inout [UInt8]
  ) throws(ImageError) {
    guard !errors.isEmpty else { return }
    members.begin("__errors", &line)
    line.append(UInt8(ascii: "{"))
    var inner = ObjectMembers()
    for (key, error) in errors {
      inner.begin(key, &line)
      line.append(contentsOf: "{\"message\": ".utf8)
      CanonicalJSON.append(error.message, to: &line)
      line.append(contentsOf: ", \"path\": ".utf8)
      CanonicalJSON.append(error.dottedPath, to: &line)
      line.append(UInt8(ascii: "}"))
    }
    line.append(UInt8(ascii: "}"))
  }

  private borrowing func appendStale(
    _ stale: [(String, UInt32)], of number: UInt32, _ members: inout ObjectMembers,
    _ line: inout [UInt8]
  ) throws(ImageError) {
    guard !stale.isEmpty else { return }
    members.begin("__stale", &line)
    line.append(UInt8(ascii: "{"))
    var inner = ObjectMembers()
    for (key, field) in stale {
      guard let cell = try cell(of: number, field: field) else { continue }
      inner.begin(key, &line)
      try appendValue(cell, to: &line)
    }
    line.append(UInt8(ascii: "}"))
  }

  // MARK: Values

  /// Appends a cell's value, whatever errors stand beside it.
  package borrowing func appendValue(
    _ cell: borrowing CellView, to line: inout [UInt8]
  ) throws(ImageError) {
    switch cell.kind {
    case .link:
      guard let link = cell.link else { throw Self.badCell }
      line.append(contentsOf: "{\"__ref\": ".utf8)
      try appendReference(link, to: &line)
      line.append(UInt8(ascii: "}"))
    case .links:
      line.append(contentsOf: "{\"__refs\": [".utf8)
      for index in 0..<cell.linkCount {
        if index > 0 { line.append(contentsOf: ", ".utf8) }
        try appendReference(cell.link(at: index), to: &line)
      }
      line.append(contentsOf: "]}".utf8)
    case .list:
      let hasLinks = try Self.hasLinks(cell.payload, depth: 0)
      if hasLinks { line.append(contentsOf: "{\"__refs\": ".utf8) }
      try appendElements(cell.payload, depth: 0, to: &line)
      if hasLinks { line.append(UInt8(ascii: "}")) }
    default: try Self.appendScalar(cell.kind, cell.payload, to: &line)
    }
  }

  private static var badCell: ImageError {
    .damaged(Damage("cell", "its payload has not the form of its kind"))
  }

  private borrowing func appendReference(
    _ number: UInt32, to line: inout [UInt8]
  ) throws(ImageError) {
    guard number != 0, try row(number) != nil else {
      line.append(contentsOf: "null".utf8)
      return
    }
    let name = try keyText(of: number)
    // Four bytes of a file can stand for a name of any length.
    guard name.utf8.count <= 256 || line.count <= 8 << 20 else {
      throw .limit("the names a record links to are too long")
    }
    CanonicalJSON.append(name, to: &line)
  }

  private static func hasLinks(_ payload: Span<UInt8>, depth: Int) throws(ImageError) -> Bool {
    guard depth <= CellKind.maximumDepth else { throw badCell }
    var reader = ByteReader(payload)
    while !reader.isAtEnd {
      guard let kind = reader.byte(), let part = reader.prefixed() else { throw badCell }
      if kind == CellKind.link.rawValue { return true }
      if kind == CellKind.list.rawValue, try hasLinks(part, depth: depth + 1) { return true }
    }
    return false
  }

  private borrowing func appendElements(
    _ payload: Span<UInt8>, depth: Int, to line: inout [UInt8]
  ) throws(ImageError) {
    guard depth <= CellKind.maximumDepth else { throw Self.badCell }
    var reader = ByteReader(payload)
    var isFirst = true
    line.append(UInt8(ascii: "["))
    while !reader.isAtEnd {
      guard let byte = reader.byte(), let kind = CellKind(rawValue: byte),
        let part = reader.prefixed()
      else { throw Self.badCell }
      if !isFirst { line.append(contentsOf: ", ".utf8) }
      isFirst = false
      switch kind {
      case .link:
        guard part.count == 4 else { throw Self.badCell }
        try appendReference(part.u32(at: 0), to: &line)
      case .list: try appendElements(part, depth: depth + 1, to: &line)
      default: try Self.appendScalar(kind, part, to: &line)
      }
    }
    line.append(UInt8(ascii: "]"))
  }

  /// Appends a scalar: a custom scalar as a string of its source text, a float with a fraction or
  /// an exponent.
  private static func appendScalar(
    _ kind: CellKind, _ payload: Span<UInt8>, to line: inout [UInt8]
  ) throws(ImageError) {
    switch kind {
    case .source: JSONWriter.append(string: payload, to: &line)
    case .float:
      guard payload.count >= 8 else { throw badCell }
      let number = Double(bitPattern: payload.u64(at: 0))
      if number.isFinite {
        line.append(contentsOf: number.description.utf8)
      } else {
        line.append(payload.extracting(droppingFirst: 8))
      }
    default:
      guard JSONWriter.append(kind, payload, to: &line) else { throw badCell }
    }
  }
}

/// Writes the members of a JSON object with commas between them.
struct ObjectMembers {
  private var isFirst = true

  mutating func begin(_ key: String, _ line: inout [UInt8]) {
    if !isFirst { line.append(contentsOf: ", ".utf8) }
    isFirst = false
    CanonicalJSON.append(key, to: &line)
    line.append(contentsOf: ": ".utf8)
  }
}
