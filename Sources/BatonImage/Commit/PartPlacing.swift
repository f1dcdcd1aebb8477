import BatonPlan

/// Where a deferred part goes.
struct PartPlace {
  var record: UInt32
  /// The group of the selections its object is read by.
  var group: Int
}

/// The records that the list lookups of a response were answered with.
struct LookupElements {
  private var numbers: [Int: [Int: UInt32]] = [:]
  /// What `numbers` doesn't have yet: most responses come in one part, and nobody looks them up.
  private var added: [[(slot: Int, index: Int, number: UInt32)]] = []

  mutating func add(_ elements: [(slot: Int, index: Int, number: UInt32)]) {
    if !elements.isEmpty { added.append(elements) }
  }

  /// Makes what was added found.
  mutating func settle() {
    for elements in added {
      for element in elements {
        numbers[element.slot, default: [:]][element.index] = element.number
      }
    }
    added.removeAll()
  }

  /// What was found at a place, of what was settled.
  subscript(slot: Int, index: Int) -> UInt32? { numbers[slot]?[index] }
}

extension CommitSession {
  /// Follows a response path from the query root through the plan and the records.
  ///
  /// Throws `response` with the path when it leads to no record.
  mutating func locate(
    _ path: [JSONPath], binding: PlanBinding, elements: LookupElements
  ) throws(ImageError) -> PartPlace {
    var place = PartPlace(record: root(of: binding.plan.kind), group: PlanBinding.rootGroup)
    var position = 0
    while position < path.count {
      let next = try step(path, &position, from: place, binding, elements)
      guard let next else {
        let text = path.map(\.text).joined(separator: ".")
        throw .response(ResponseProblem("a part for a place that is not there", path: text))
      }
      place = next
    }
    return place
  }

  private func root(of kind: Plan.Kind) -> UInt32 {
    switch kind {
    case .mutation: RowLayout.mutationRoot
    case .subscription: RowLayout.subscriptionRoot
    default: RowLayout.queryRoot
    }
  }

  /// Follows a field and the list indexes behind it.
  private mutating func step(
    _ path: [JSONPath], _ position: inout Int, from place: PartPlace, _ binding: PlanBinding,
    _ elements: LookupElements
  ) throws(ImageError) -> PartPlace? {
    guard case .key(let key) = path[position] else { return nil }
    position += 1
    var indexes: [Int] = []
    while position < path.count, case .index(let index) = path[position] {
      indexes.append(index)
      position += 1
    }
    let type = try typeName(of: place.record)
    let shape = binding.shape(of: place.group, type: Array(type.utf8).span, knowledge: self)
    var expected = 0
    guard let index = shape.index(of: key.span, expected: &expected) else { return nil }
    let field = shape.fields[index]
    guard field.group >= 0 else { return nil }
    if field.lookup != nil, let number = try lookedUp(field, indexes, binding, elements) {
      return PartPlace(record: number, group: field.group)
    }
    let text = binding.text(of: field.slot)
    guard let name = try number(ofName: String(decoding: text, as: UTF8.self), .storageKey),
      let number = try link(of: place.record, field: name, at: indexes)
    else { return nil }
    return PartPlace(record: try resolved(number), group: field.group)
  }

  private borrowing func typeName(of number: UInt32) throws(ImageError) -> String {
    guard let row = try row(number), row.type != 0 else { return "" }
    return try name(row.type)
  }

  /// The record an element of a list lookup names.
  private borrowing func lookedUp(
    _ field: ShapeField, _ indexes: [Int], _ binding: PlanBinding, _ elements: LookupElements
  ) throws(ImageError) -> UInt32? {
    if indexes.count == 1, let number = elements[field.slot, indexes[0]] {
      return try resolved(number)
    }
    guard let lookup = field.lookup, indexes.count == 1,
      let argument = binding.slots[field.slot].arguments.first(where: {
        $0.name == lookup.arguments[0]
      }),
      case .list(let ids)? = StorageKey.value(of: argument, variables: binding.variables),
      ids.indices.contains(indexes[0]), let id = ids[indexes[0]].idBytes,
      let number = try number(ofId: id)
    else { return nil }
    return try resolved(number)
  }

  /// The record a field links to, directly or in a list, nested or not.
  borrowing func link(
    of number: UInt32, field: UInt32, at indexes: [Int]
  ) throws(ImageError) -> UInt32? {
    guard let cell = try cell(of: number, field: field) else { return nil }
    switch (cell.kind, indexes.count) {
    case (.link, 0): return cell.link
    case (.links, 1):
      guard indexes[0] >= 0, indexes[0] < cell.linkCount else { return nil }
      let link = cell.link(at: indexes[0])
      return link == 0 ? nil : link
    case (.list, 1...): return try Self.link(in: cell.payload, at: indexes[...])
    default: return nil
    }
  }

  /// The link at a place of a nested list.
  private static func link(
    in elements: Span<UInt8>, at indexes: ArraySlice<Int>
  ) throws(ImageError) -> UInt32? {
    var reader = ByteReader(elements)
    var position = 0
    while let kind = reader.byte(), let part = reader.prefixed() {
      defer { position += 1 }
      guard position == indexes.first else { continue }
      if indexes.count > 1 {
        guard kind == CellKind.list.rawValue else { return nil }
        return try link(in: part, at: indexes.dropFirst())
      }
      return kind == CellKind.link.rawValue && part.count == 4 ? part.u32(at: 0) : nil
    }
    return nil
  }
}

extension Normalizer {
  /// Reads a deferred part into the record it belongs to.
  @_lifetime(reader: copy reader)
  mutating func part(
    _ reader: inout JSONReader, _ session: inout CommitSession, place: PartPlace, path: [JSONPath]
  ) throws(ImageError) {
    var node = errors.root
    for step in path {
      switch step {
      case .key(let key): node = errors.child(of: node, key: key.span)
      case .index(let index): node = errors.child(of: node, index: index)
      }
    }
    let index = try changes.touch(existing: place.record, in: session)
    let type = changes.touched[index].type
    let name = type == 0 ? "" : try session.name(type)
    let shape = binding.shape(of: place.group, type: Array(name.utf8).span, knowledge: session)
    try members(&reader, &session, shape: shape, index: index, node: node)
  }
}

extension RecordSource where Self: ~Copyable {
  /// The cell of a record's field, in its row or spilled; nil when the field is missing.
  @_lifetime(borrow self)
  package borrowing func cell(
    of number: UInt32, field: UInt32
  ) throws(ImageError) -> CellView? {
    guard let row = try row(number) else { return nil }
    if let index = row.index(of: field) { return try row.cell(at: index) }
    guard row.flags.contains(.spilled),
      let value = try value(.cells, UInt64(number) << 32 | UInt64(field))
    else { return nil }
    return try CellView(value.extracting(droppingFirst: 4))
  }
}
