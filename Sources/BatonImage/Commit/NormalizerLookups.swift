import BatonPlan

/// Reading the fields of the query root that look records up by id (R4).
extension Normalizer {
  /// Reads a field of the query root that looks records up by id. False when it is to be read as
  /// any field.
  @_lifetime(reader: copy reader)
  mutating func lookup<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store, field: ShapeField, index: Int, node: Int
  ) throws(ImageError) -> Bool {
    guard let lookup = field.lookup, lookup.arguments.count == 1 else { return false }
    let slot = binding.slots[field.slot]
    let argument = slot.arguments.first { $0.name == lookup.arguments[0] }
    guard let argument,
      let value = StorageKey.value(of: argument, variables: binding.variables)
    else { return false }
    guard case .list(let ids) = value else {
      if identity.scope == .global || lookup.type != nil {
        askedId = value.idBytes.map { .text($0) } ?? .none
      }
      return false
    }
    // Under the scope `type` an id alone names no record.
    if identity.scope == .type, lookup.type == nil { return false }
    findings.hasListLookup = true
    let base = findings.asked.count
    findings.asked.reserveCapacity(base + ids.count)
    findings.ids.reserveCapacity(base + ids.count)
    for id in ids { ask(id, lookup) }
    naturalKey = nil
    guard reader.character == UInt8(ascii: "[") else {
      guard reader.character == UInt8(ascii: "n") else {
        throw reader.problem("a list is expected")
      }
      try nullLookup(&reader, from: base, node: node)
      return true
    }
    try lookupElements(&reader, &store, field: field, index: index, node: node, base: base)
    return true
  }

  /// Notes an id that was asked for, before anything came back for it.
  private mutating func ask(_ id: Value, _ lookup: Lookup) {
    let text = id.idText ?? ""
    findings.ids.append(IdOutcome(asked: text, id: nil, status: .null))
    // A lone global id is its key.
    let key =
      identity.scope == .global
      ? nil : identity.key(type: lookup.type ?? "", values: [text]) ?? []
    findings.asked.append(ResponseFindings.Asked(key: key))
  }

  /// A null where a list lookup's answers should be: each id has that outcome.
  @_lifetime(reader: copy reader)
  private mutating func nullLookup(
    _ reader: inout JSONReader, from base: Int, node: Int
  ) throws(ImageError) {
    try reader.skip()
    let error = errors.takeFirst(node)
    for index in base..<findings.asked.count { noteMiss(index, error) }
  }

  private mutating func noteMiss(_ index: Int, _ error: FieldError?) {
    guard index < findings.asked.count else { return }
    findings.ids[index].status = error.map { IdOutcome.Status(code: $0.code) } ?? .null
    var block: [UInt8]?
    if let error {
      var errors: [UInt8] = []
      error.append(to: &errors)
      block = errors
    }
    findings.asked[index].errors = block
  }

  @_lifetime(reader: copy reader)
  private mutating func lookupElements<Store: NormalizerStore & ~Copyable>(
    _ reader: inout JSONReader, _ store: inout Store, field: ShapeField, index: Int, node: Int,
    base: Int
  ) throws(ImageError) {
    let place = Place(
      parent: changes.touched[index].number, slot: field.slot, indexBase: indexes.count)
    guard try reader.enterArray() else { return }
    var position = 0
    repeat {
      let child = errors.child(of: node, index: position)
      let asked = base + position < findings.asked.count ? base + position : nil
      indexes.append(UInt32(truncatingIfNeeded: position))
      if let asked {
        askedId = .listed(asked)
        isAskedId = false
      }
      do throws(ImageError) {
        let number = try element(&reader, &store, field: field, place: place, node: child)
        askedId = .none
        if let number, number != 0 {
          findings.elements.append((field.slot, position, number))
        }
        if let asked {
          switch number {
          case 0: noteMiss(asked, errors.takeFirst(child))
          case nil: noteAnswer(asked, nil)
          default: noteAnswer(asked, lastObject)
          }
        }
      } catch {
        throw error.under(Array(String(position).utf8))
      }
      indexes.removeLast()
      position += 1
    } while try reader.nextElement()
  }

  /// An asked id was answered with a touched record; nil for a transient one.
  private mutating func noteAnswer(_ asked: Int, _ index: Int?) {
    findings.ids[asked].status = .ok
    guard let index else {
      findings.ids[asked].id = findings.ids[asked].asked
      return
    }
    let record = changes.touched[index]
    guard !record.isPath else { return }
    findings.asked[asked].record = record.number
    // Mostly the id is the key, and was compared when it was met.
    let isKey =
      isAskedId && !sawAlias && findings.asked[asked].key == nil
      && record.key.count == findings.ids[asked].asked.utf8.count
      || findings.isKey(changes.bytes.span(record.key), ofAsked: asked)
    findings.asked[asked].isKey = isKey
    // Mostly the id that was asked for, whose text is at hand.
    findings.ids[asked].id =
      isKey && identity.scope == .global
      ? findings.ids[asked].asked : changes.bytes.span(record.key).text()
  }
}

extension IdOutcome.Status {
  /// The status an error's code gives.
  init(code: String) {
    switch code {
    case "NOT_FOUND": self = .notFound
    case "FORBIDDEN": self = .forbidden
    default: self = .error
    }
  }
}
