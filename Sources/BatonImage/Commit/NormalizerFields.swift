import BatonPlan

/// Reading the fields of objects: links, lists of links, and what stands beside them.
extension Normalizer {
  /// Reads the value of a field into the touched record `index`.
  @_lifetime(reader: copy reader)
  mutating func field<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store, field: ShapeField, index: Int, node: Int
  ) throws(ImageError) {
    if field.lookup != nil, field.group >= 0,
      try lookup(&reader, &store, field: field, index: index, node: node)
    {
      return
    }
    if reader.character == UInt8(ascii: "n") {
      askedId = .none
      try null(&reader, &store, field: field, index: index, node: node)
      return
    }
    let start: Int
    if field.group >= 0 {
      enterKeyStep(field)
      guard let cell = try composite(&reader, &store, field: field, index: index, node: node) else {
        errors.drop(node)
        return
      }
      start = cell
    } else {
      start = changes.bytes.count
      try leaf(&reader, field: field)
    }
    try finish(&store, field: field, index: index, node: node, start: start)
  }

  /// Extends the natural key by a step, or ends it: every step has arguments, and none is a list.
  private mutating func enterKeyStep(_ field: ShapeField) {
    guard var key = naturalKey else { return }
    let text = binding.text(of: field.slot)
    guard field.isKeyStep, text.last == UInt8(ascii: ")") else {
      naturalKey = nil
      return
    }
    if !key.isEmpty { key.append(UInt8(ascii: "/")) }
    naturalKey = key + text
  }

  /// Writes the cell from `start`, with the errors beside it that no deeper field took.
  private mutating func finish<Store: NormalizerStore & ~Copyable>(
    _ store: inout Store, field: ShapeField, index: Int, node: Int, start: Int
  ) throws(ImageError) {
    if node != ErrorTree.none {
      let block = errors.take(node)
      if !block.isEmpty {
        let cell = changes.bytes.copy(start..<changes.bytes.count)
        changes.bytes.removeSubrange(start...)
        try CellEncoder.append(
          cell: cell.span, errors: block.span, isStale: false, to: &changes.bytes)
      }
    }
    let number = try number(ofSlot: field.slot, &store)
    changes.write(field: number, from: start, to: index)
  }

  /// Reads a null: the server's own, or one that an error covers.
  @_lifetime(reader: copy reader)
  private mutating func null<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store, field: ShapeField, index: Int, node: Int
  ) throws(ImageError) {
    guard try reader.scalar().kind == .null else { return }
    let block = errors.take(node)
    try writeNull(&store, slot: field.slot, index: index, errors: block)
    if let connection = field.connectionSlot {
      try writeNull(&store, slot: connection, index: index, errors: block)
    }
  }

  private mutating func writeNull<Store: NormalizerStore & ~Copyable>(
    _ store: inout Store, slot: Int, index: Int, errors block: [UInt8]
  ) throws(ImageError) {
    let start = changes.bytes.count
    let number = try number(ofSlot: slot, &store)
    if block.isEmpty {
      CellEncoder.appendNull(to: &changes.bytes)
      changes.write(field: number, from: start, to: index)
    } else {
      changes.bytes.append(contentsOf: block)
      changes.write(.coveredNull, field: number, from: start, to: index)
    }
  }

  // MARK: Links

  /// Reads an object or a list of objects; where its cell starts, or nil when nothing of the field
  /// is written.
  @_lifetime(reader: copy reader)
  private mutating func composite<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store, field: ShapeField, index: Int, node: Int
  ) throws(ImageError) -> Int? {
    let parent = changes.touched[index].number
    let place = Place(parent: parent, slot: field.slot, indexBase: indexes.count)
    switch reader.character {
    case UInt8(ascii: "{"):
      guard field.listDepth ?? 0 == 0 else { throw reader.problem("a list is expected") }
      let number = try object(&reader, &store, field: field, place: place, node: node)
      guard number != 0 else { return nil }
      if field.edit != nil { note(field, subject: .records([number])) }
      if field.connectionSlot != nil {
        try connect(&store, field: field, index: index, page: number)
      }
      let start = changes.bytes.count
      CellEncoder.append(link: number, to: &changes.bytes)
      return start
    case UInt8(ascii: "["):
      guard field.listDepth != 0 else { throw reader.problem("an object is expected, not a list") }
      naturalKey = nil
      return try list(&reader, &store, field: field, place: place, node: node)
    default:
      throw reader.problem("an object is expected, as the document selects fields of it")
    }
  }

  /// Reads a list of objects, nested or not; where its cell starts.
  @_lifetime(reader: copy reader)
  private mutating func list<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store, field: ShapeField, place: Place, node: Int
  ) throws(ImageError) -> Int? {
    let base = links.count
    defer { links.removeSubrange(base...) }
    var nested: [UInt8]?
    var position = 0
    var isTransient = false
    if try reader.enterArray() {
      repeat {
        let child = errors.child(of: node, index: position)
        indexes.append(UInt32(truncatingIfNeeded: position))
        do throws(ImageError) {
          try checkDepth(reader, field, depth: 1)
          if reader.character == UInt8(ascii: "[") {
            nested = nested ?? elements(ofLinks: base)
            let inner = try nestedList(
              &reader, &store, field: field, place: place, node: child, depth: 1, &isTransient)
            CellEncoder.appendElement(.list, payload: inner, to: &nested!)
          } else {
            let number = try element(&reader, &store, field: field, place: place, node: child)
            if number == nil { isTransient = true }
            links.append(number ?? 0)
            if nested != nil { CellEncoder.appendElement(link: number ?? 0, to: &nested!) }
          }
        } catch {
          throw error.under(Array(String(position).utf8))
        }
        indexes.removeLast()
        position += 1
      } while try reader.nextElement()
    }
    if isTransient { return nil }
    if field.edit != nil { note(field, subject: .records(links.copy(base..<links.count))) }
    let start = changes.bytes.count
    if let nested {
      changes.bytes.append(CellKind.list.rawValue)
      changes.bytes.append(contentsOf: nested)
    } else {
      changes.bytes.append(CellKind.links.rawValue)
      for index in base..<links.count { changes.bytes.append(u32: links[index]) }
    }
    return start
  }

  /// Checks that an element of a list stands as deep as the schema says.
  private func checkDepth(
    _ reader: JSONReader, _ field: ShapeField, depth: Int
  ) throws(ImageError) {
    guard let listDepth = field.listDepth else { return }
    switch reader.character {
    case UInt8(ascii: "[") where depth >= listDepth:
      throw reader.problem("an object is expected, not a list")
    case UInt8(ascii: "{") where depth < listDepth: throw reader.problem("a list is expected")
    default: break
    }
  }

  /// The elements read so far, in the form of a nested list.
  private func elements(ofLinks base: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in base..<links.count {
      CellEncoder.appendElement(link: links[index], to: &bytes)
    }
    return bytes
  }

  /// Reads an inner list of objects; its elements' bytes.
  @_lifetime(reader: copy reader)
  private mutating func nestedList<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store, field: ShapeField, place: Place, node: Int,
    depth: Int, _ isTransient: inout Bool
  ) throws(ImageError) -> [UInt8] {
    guard depth < CellKind.maximumDepth else { throw reader.problem("lists nest too deep") }
    var bytes: [UInt8] = []
    guard try reader.enterArray() else { return bytes }
    var position = 0
    repeat {
      let child = errors.child(of: node, index: position)
      indexes.append(UInt32(truncatingIfNeeded: position))
      do throws(ImageError) {
        try checkDepth(reader, field, depth: depth + 1)
        if reader.character == UInt8(ascii: "[") {
          let inner = try nestedList(
            &reader, &store, field: field, place: place, node: child, depth: depth + 1,
            &isTransient)
          CellEncoder.appendElement(.list, payload: inner, to: &bytes)
        } else {
          let number = try element(&reader, &store, field: field, place: place, node: child)
          if number == nil { isTransient = true }
          CellEncoder.appendElement(link: number ?? 0, to: &bytes)
        }
      } catch {
        throw error.under(Array(String(position).utf8))
      }
      indexes.removeLast()
      position += 1
    } while try reader.nextElement()
    return bytes
  }

  /// Reads an element: its record, 0 for null, nil for a transient record.
  @_lifetime(reader: copy reader)
  mutating func element<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store, field: ShapeField, place: Place, node: Int
  ) throws(ImageError) -> UInt32? {
    switch reader.character {
    case UInt8(ascii: "{"):
      let number = try object(&reader, &store, field: field, place: place, node: node)
      return number == 0 ? nil : number
    case UInt8(ascii: "n"):
      guard try reader.scalar().kind == .null else { return 0 }
      return 0
    default:
      throw reader.problem("an object is expected, as the document selects fields of it")
    }
  }

  // MARK: Connections and edits

  /// The touched record at a place without indexes, of a type nothing says.
  private mutating func touchPath<Store: NormalizerStore & ~Copyable>(
    _ store: inout Store, parent: UInt32, slot: Int
  ) throws(ImageError) -> Int {
    let start = changes.bytes.count
    changes.bytes.append(1)
    changes.bytes.append(u32: parent)
    changes.bytes.append(u32: try number(ofSlot: slot, &store))
    changes.bytes.append(u32: 0)
    return try touch(&store, start: start, isPath: true, type: 0, asked: nil, id: 0..<0)
  }

  /// Links the record to its connection and notes the page to merge into it.
  private mutating func connect<Store: NormalizerStore & ~Copyable>(
    _ store: inout Store, field: ShapeField, index: Int, page: UInt32
  ) throws(ImageError) {
    guard let slot = field.connectionSlot else { return }
    let parent = changes.touched[index].number
    let connection = try touchPath(&store, parent: parent, slot: slot)
    let number = changes.touched[connection].number
    let start = changes.bytes.count
    CellEncoder.append(link: number, to: &changes.bytes)
    changes.write(field: try self.number(ofSlot: slot, &store), from: start, to: index)
    findings.merges.append(
      ConnectionMerge(connection: number, page: page, mode: mergeMode(of: field)))
  }

  private func mergeMode(of field: ShapeField) -> ConnectionMerge.Mode {
    for argument in binding.slots[field.slot].arguments {
      guard argument.name == "after" || argument.name == "before",
        let value = StorageKey.value(of: argument, variables: binding.variables),
        let cursor = value.idBytes
      else { continue }
      return argument.name == "after" ? .append(after: cursor) : .prepend(before: cursor)
    }
    return .replace
  }

  /// Notes an edge or record directive for after the records are written.
  mutating func note(_ field: ShapeField, subject: RecordEdit.Subject) {
    guard let directive = field.edit else { return }
    findings.edits.append(RecordEdit(directive: directive, subject: subject))
  }
}

extension Value {
  /// The text of an id or cursor given as a string or a number; nil for another value.
  var idBytes: [UInt8]? { idText.map { Array($0.utf8) } }

  var idText: String? {
    switch self {
    case .string(let text), .enumeration(let text): text
    case .int(let number): String(number)
    default: nil
    }
  }
}
