import BatonPlan

/// Reads a plan's selections from a source into JSON, without a query.
struct SelectionReader {
  let binding: PlanBinding
  let identity: IdentityRules
  let memberships: TypeMemberships
  /// The most bytes of JSON: a hostile image could ask for more than any machine has.
  let maximumCount: Int
  private(set) var result = ReadResult()
  private var path: [PathStep] = []
  private var seenMissing: Set<Availability.MissingField> = []

  init(
    binding: PlanBinding, identity: IdentityRules, memberships: TypeMemberships,
    maximumCount: Int
  ) {
    self.binding = binding
    self.identity = identity
    self.memberships = memberships
    self.maximumCount = maximumCount
  }

  /// Reads a record by a group of selections; the JSON of an object.
  mutating func object<Source: RecordSource & ~Copyable>(
    _ number: UInt32, group: Int, in source: borrowing Source
  ) throws(ImageError) {
    guard result.data.count <= maximumCount else {
      throw .limit("the answer is longer than \(maximumCount) bytes")
    }
    guard let row = try source.row(number) else {
      throw .damaged(Damage("record \(number)", "it is missing"))
    }
    source.noteRead(of: number)
    let type = row.type == 0 ? "" : try source.name(row.type)
    let shape = binding.shape(of: group, type: Array(type.utf8).span, knowledge: memberships)
    if let trace = source.trace {
      if type.isEmpty { trace.noteUnsettled(number) }
      if !shape.openConditions.isEmpty { trace.noteOpen() }
    }
    result.data.append(UInt8(ascii: "{"))
    var isFirst = true
    for field in shape.fields {
      let start = result.data.count
      if !isFirst { result.data.append(UInt8(ascii: ",")) }
      let key = field.responseKey
      JSONWriter.append(string: key.span, to: &result.data)
      result.data.append(UInt8(ascii: ":"))
      path.append(.key(String(decoding: field.responseKey, as: UTF8.self)))
      let isThere = try value(field, of: number, type: shape.type, in: source)
      path.removeLast()
      if isThere { isFirst = false } else { result.data.removeSubrange(start...) }
    }
    result.data.append(UInt8(ascii: "}"))
  }

  /// Reads a field; false when it is left out.
  private mutating func value<Source: RecordSource & ~Copyable>(
    _ field: ShapeField, of number: UInt32, type: String, in source: borrowing Source
  ) throws(ImageError) -> Bool {
    if field.isTypename {
      guard !type.isEmpty else { return try miss(field, type, of: number, in: source) }
      CanonicalJSON.append(type, to: &result.data)
      return true
    }
    if let answered = try lookup(field, of: number, in: source) { return answered }
    for slot in [field.connectionSlot, field.slot].compactMap({ $0 }) {
      guard let name = try name(of: slot, in: source) else {
        source.trace?.note(number, key: binding.text(of: slot))
        continue
      }
      source.trace?.note(number, field: name)
      guard let cell = try source.cell(of: number, field: name) else { continue }
      return try self.cell(cell, field, of: number, in: source)
    }
    return try miss(field, type, of: number, in: source)
  }

  /// Notes a field the image never received.
  ///
  /// A client field is never waited for; nor is one under a condition that nothing can tell, as the
  /// record's own type is unknown.
  private mutating func miss<Source: RecordSource & ~Copyable>(
    _ field: ShapeField, _ type: String, of number: UInt32, in source: borrowing Source
  ) throws(ImageError) -> Bool {
    if !field.isClientField, !(field.isUncertain && type.isEmpty) {
      try noteMissing(field, of: number, in: source)
    }
    return false
  }

  /// Notes the path the reader stands at as missing, and the field of the record behind it.
  private mutating func noteMissing<Source: RecordSource & ~Copyable>(
    _ field: ShapeField, of number: UInt32, in source: borrowing Source
  ) throws(ImageError) {
    result.missing.append(path)
    let key = String(decoding: binding.text(of: field.slot), as: UTF8.self)
    noteMissing(.init(record: try source.keyText(of: number), field: key))
  }

  private mutating func noteMissing(_ field: Availability.MissingField) {
    if seenMissing.insert(field).inserted { result.missingFields.append(field) }
  }

  /// The name number of a slot's key; nil when the image doesn't know the key.
  private func name<Source: RecordSource & ~Copyable>(
    of slot: Int, in source: borrowing Source
  ) throws(ImageError) -> UInt32? {
    let known = binding.slots[slot].number
    if known != 0 { return known == .max ? nil : known }
    let text = String(decoding: binding.text(of: slot), as: UTF8.self)
    let number = try source.number(ofName: text, .storageKey)
    binding.slots[slot].number = number ?? .max
    return number
  }

  private mutating func cell<Source: RecordSource & ~Copyable>(
    _ cell: borrowing CellView, _ field: ShapeField, of number: UInt32, in source: borrowing Source
  ) throws(ImageError) -> Bool {
    let cell = copy cell
    if cell.hasErrors {
      for error in try FieldError.decode(cell.errors) {
        result.errors.append(ReadError(path: path, error: error))
      }
    }
    if cell.isErrored || cell.kind == .null {
      result.data.append(contentsOf: "null".utf8)
      return true
    }
    switch cell.kind {
    case .link:
      guard field.group >= 0, let link = cell.link else { throw mismatch() }
      return try self.link(link, field, of: number, in: source)
    case .links:
      guard field.group >= 0 else { throw mismatch() }
      result.data.append(UInt8(ascii: "["))
      for index in 0..<cell.linkCount {
        if index > 0 { result.data.append(UInt8(ascii: ",")) }
        try element(cell.link(at: index), at: index, field, of: number, in: source)
      }
      result.data.append(UInt8(ascii: "]"))
      return true
    case .list:
      try list(cell.payload, field, of: number, depth: 1, in: source)
      return true
    default:
      guard field.group < 0, JSONWriter.append(cell.kind, cell.payload, to: &result.data) else {
        throw mismatch()
      }
      return true
    }
  }

  private func mismatch() -> ImageError {
    let place = path.map(\.description).joined(separator: ".")
    return .damaged(Damage("field \(place)", "the cell is of another kind than the field"))
  }

  // MARK: Links

  /// Reads the record of a single link; false when it is left out.
  private mutating func link<Source: RecordSource & ~Copyable>(
    _ link: UInt32, _ field: ShapeField, of number: UInt32, in source: borrowing Source
  ) throws(ImageError) -> Bool {
    guard let target = try live(link, in: source) else {
      // A link to a deleted record is asked for again: its answer may be another record.
      try noteMissing(field, of: number, in: source)
      return false
    }
    try object(target, group: field.group, in: source)
    return true
  }

  /// The record a link means, when it has a row that is not deleted.
  private func live<Source: RecordSource & ~Copyable>(
    _ number: UInt32, in source: borrowing Source
  ) throws(ImageError) -> UInt32? {
    let target = try source.resolved(number)
    if let trace = source.trace {
      trace.note(number)
      trace.note(target)
    }
    guard let row = try source.row(target), !row.flags.contains(.deleted) else {
      source.trace?.noteUnsettled(target)
      return nil
    }
    return target
  }

  /// Reads an element of a list of links: null when it was null or deleted, null and missing when
  /// the image has no row of it.
  private mutating func element<Source: RecordSource & ~Copyable>(
    _ link: UInt32, at index: Int, _ field: ShapeField, of number: UInt32,
    in source: borrowing Source
  ) throws(ImageError) {
    path.append(.index(index))
    defer { path.removeLast() }
    if link != 0, let target = try live(link, in: source) {
      try object(target, group: field.group, in: source)
      return
    }
    if link != 0, try source.row(source.resolved(link)) == nil {
      try noteMissing(field, of: number, in: source)
    }
    result.data.append(contentsOf: "null".utf8)
  }

  /// Reads a nested list, or a list of scalars.
  private mutating func list<Source: RecordSource & ~Copyable>(
    _ payload: Span<UInt8>, _ field: ShapeField, of number: UInt32, depth: Int,
    in source: borrowing Source
  ) throws(ImageError) {
    guard depth <= CellKind.maximumDepth else { throw mismatch() }
    var reader = ByteReader(payload)
    result.data.append(UInt8(ascii: "["))
    var index = 0
    while !reader.isAtEnd {
      guard let kindByte = reader.byte(), let kind = CellKind(rawValue: kindByte),
        let part = reader.prefixed()
      else { throw mismatch() }
      if index > 0 { result.data.append(UInt8(ascii: ",")) }
      switch kind {
      case .list:
        path.append(.index(index))
        try list(part, field, of: number, depth: depth + 1, in: source)
        path.removeLast()
      case .link:
        guard field.group >= 0, part.count == 4 else { throw mismatch() }
        try element(part.u32(at: 0), at: index, field, of: number, in: source)
      default:
        guard JSONWriter.append(kind, part, to: &result.data) else { throw mismatch() }
      }
      index += 1
    }
    result.data.append(UInt8(ascii: "]"))
  }

  // MARK: Lookups

  /// Answers a field of the query root from the records it looks up; nil when it is read as any
  /// field.
  private mutating func lookup<Source: RecordSource & ~Copyable>(
    _ field: ShapeField, of number: UInt32, in source: borrowing Source
  ) throws(ImageError) -> Bool? {
    guard let lookup = field.lookup, field.group >= 0, number == RowLayout.queryRoot else {
      return nil
    }
    source.trace?.noteOpen()
    var values: [Value] = []
    for name in lookup.arguments {
      guard let argument = binding.slots[field.slot].arguments.first(where: { $0.name == name }),
        let value = StorageKey.value(of: argument, variables: binding.variables)
      else { return nil }
      values.append(value)
    }
    if values.count == 1, case .list(let ids) = values[0] {
      if identity.scope == .type, lookup.type == nil { return nil }
      try elements(ids, lookup, field, in: source)
      return true
    }
    if let slot = try name(of: field.slot, in: source),
      let cell = try source.cell(of: number, field: slot), !cell.isErrored
    {
      return nil
    }
    guard let key = key(lookup, values), let found = try source.number(ofId: key),
      let target = try live(found, in: source)
    else { return nil }
    try object(target, group: field.group, in: source)
    return true
  }

  /// The record key that a lookup's arguments give.
  private func key(_ lookup: Lookup, _ values: [Value]) -> [UInt8]? {
    var texts: [String] = []
    for value in values {
      guard let bytes = value.idBytes else { return nil }
      texts.append(String(decoding: bytes, as: UTF8.self))
    }
    return identity.key(type: lookup.type ?? "", values: texts)
  }

  private mutating func elements<Source: RecordSource & ~Copyable>(
    _ ids: [Value], _ lookup: Lookup, _ field: ShapeField, in source: borrowing Source
  ) throws(ImageError) {
    result.data.append(UInt8(ascii: "["))
    for (index, id) in ids.enumerated() {
      if index > 0 { result.data.append(UInt8(ascii: ",")) }
      path.append(.index(index))
      try element(of: id, lookup, field, in: source)
      path.removeLast()
    }
    result.data.append(UInt8(ascii: "]"))
  }

  private mutating func element<Source: RecordSource & ~Copyable>(
    of id: Value, _ lookup: Lookup, _ field: ShapeField, in source: borrowing Source
  ) throws(ImageError) {
    guard let key = key(lookup, [id]) else {
      result.data.append(contentsOf: "null".utf8)
      return
    }
    if let found = try source.number(ofId: key) {
      let target = try source.resolved(found)
      if let row = try source.row(target) {
        if row.flags.contains(.deleted) {
          result.data.append(contentsOf: "null".utf8)
        } else {
          try object(target, group: field.group, in: source)
        }
        return
      }
    }
    result.data.append(contentsOf: "null".utf8)
    guard let miss = try source.miss(of: key) else {
      result.missing.append(path)
      noteMissing(.init(record: String(decoding: key, as: UTF8.self), field: nil))
      return
    }
    for error in try FieldError.decode(miss.errors.span) {
      result.errors.append(ReadError(path: path, error: error))
    }
  }
}

/// What an image keeps of types no schema knows, in memory.
struct TypeMemberships: TypeKnowledge {
  private var answers: [String: Bool] = [:]

  init() {}

  init<Source: RecordSource & ~Copyable>(_ source: borrowing Source) throws(ImageError) {
    var pairs: [(UInt64, Bool)] = []
    try source.forEach(.types, from: 0) { key, value in
      pairs.append((key, value.count == 5 && value[4] == 1))
      return true
    }
    for (key, isMember) in pairs {
      let type = try source.name(UInt32(truncatingIfNeeded: key >> 32))
      let condition = try source.name(UInt32(truncatingIfNeeded: key))
      answers[type + ":" + condition] = isMember
    }
  }

  func satisfies(type: String, condition: String) -> Bool? {
    answers.isEmpty ? nil : answers[type + ":" + condition]
  }
}
