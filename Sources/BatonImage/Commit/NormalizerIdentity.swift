import BatonPlan

/// Which record an object is: its key, by its key fields or its place, and what else names it (R1, R5).
extension Normalizer {
  /// The touched record of the object the reader stands before.
  mutating func identify<Store: NormalizerStore & ~Copyable>(
    _ reader: JSONReader, _ store: inout Store, shape: Shape, field: ShapeField, place: Place
  ) throws(ImageError) -> Int {
    let asked = askedId
    askedId = .none
    let type = try typeNumber(of: shape, &store)
    let start = changes.bytes.count
    if let keyFields = shape.keyFields {
      changes.bytes.append(0)
      if let id = try appendKey(reader, shape: shape, keyFields: keyFields) {
        let index = try touch(
          &store, start: start, isPath: false, type: type, asked: text(of: asked, unlike: id),
          id: id)
        if let naturalKey, !naturalKey.isEmpty {
          findings.naturalKeys.append((naturalKey, changes.touched[index].number))
        }
        return index
      }
      changes.bytes.removeSubrange(start...)
    }
    changes.bytes.append(1)
    changes.bytes.append(u32: place.parent)
    changes.bytes.append(u32: try number(ofSlot: place.slot, &store))
    changes.bytes.append(u32: field.composite.isAbstract == true ? type : 0)
    for position in place.indexBase..<indexes.count {
      changes.bytes.append(u32: indexes[position])
    }
    return try touch(&store, start: start, isPath: true, type: type, asked: nil, id: 0..<0)
  }

  /// The text of the id that was asked for, where another one was answered.
  ///
  /// Inlined, as a call that borrows the normalizer copies it.
  @inline(__always)
  private mutating func text(of asked: AskedId, unlike id: Range<Int>) -> [UInt8]? {
    switch asked {
    case .none: return nil
    case .text(let text): return text.span.isEqual(to: changes.bytes.span(id)) ? nil : text
    case .listed(let index):
      isAskedId = findings.isText(changes.bytes.span(id), ofAsked: index)
      return isAskedId ? nil : Array(findings.ids[index].asked.utf8)
    }
  }

  /// Appends a record key of the object's key fields to the bytes; where the last value lies in
  /// them, or nil when a value is null, empty, no scalar or absent.
  private mutating func appendKey(
    _ reader: JSONReader, shape: Shape, keyFields: [Int]
  ) throws(ImageError) -> Range<Int>? {
    if identity.scope == .global, keyFields.count == 1 {
      // A lone global id is its key.
      let start = changes.bytes.count
      guard try appendValue(of: keyFields[0], shape, in: reader), changes.bytes.count > start else {
        return nil
      }
      guard changes.bytes.count - start <= IdentityLimits.maximumIdCount else {
        throw .limit("an id of \(changes.bytes.count - start) bytes")
      }
      return start..<changes.bytes.count
    }
    if identity.scope == .type {
      guard !shape.type.isEmpty else { return nil }
      changes.bytes.append(contentsOf: shape.typeBytes)
      changes.bytes.append(UInt8(ascii: ":"))
    }
    var last = 0..<0
    for (position, keyField) in keyFields.enumerated() {
      if position > 0 { changes.bytes.append(UInt8(ascii: ":")) }
      let start = changes.bytes.count
      guard try appendValue(of: keyField, shape, in: reader) else { return nil }
      guard changes.bytes.count > start else { return nil }
      last = start..<changes.bytes.count
      if keyFields.count > 1 { escapePart(from: start) }
    }
    guard changes.bytes.count - last.lowerBound <= IdentityLimits.maximumIdCount else {
      throw .limit("an id of \(changes.bytes.count - last.lowerBound) bytes")
    }
    return last
  }

  /// Appends the scalar an object has under a key; false when it has none.
  private mutating func appendValue(
    of field: Int, _ shape: Shape, in reader: JSONReader
  ) throws(ImageError) -> Bool {
    var ahead = reader
    // Servers answer in document order: the value mostly stands where the last object had it.
    if ahead.find(shape.steps[field].expected, at: shape.keyPlace) {
      return try appendValue(&ahead)
    }
    let key = shape.fields[field].key
    guard try ahead.enterObject() else { return false }
    var place = 0
    repeat {
      let found = try ahead.key()
      if key.matches(found, in: ahead.bytes) {
        shape.keyPlace = place
        return try appendValue(&ahead)
      }
      ahead.leap()
      place += 1
    } while try ahead.nextMember()
    return false
  }

  /// Appends the scalar the reader stands before; false when there is none.
  @inline(__always)
  private mutating func appendValue(_ reader: inout JSONReader) throws(ImageError) -> Bool {
    switch reader.character {
    case UInt8(ascii: "\""):
      try reader.string().appendDecoded(from: reader.bytes, to: &changes.bytes)
      return true
    case UInt8(ascii: "{"), UInt8(ascii: "["): return false
    default:
      let scalar = try reader.scalar()
      guard scalar.kind != .null else { return false }
      changes.bytes.append(reader.bytes.extracting(scalar.start..<scalar.end))
      return true
    }
  }

  /// Escapes a part of a composite key in place: Docs/Format.md section 8.
  private mutating func escapePart(from start: Int) {
    let part = changes.bytes.copy(start..<changes.bytes.count)
    guard part.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\\") }) else {
      return
    }
    changes.bytes.removeSubrange(start...)
    for byte in part {
      if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "\\") {
        changes.bytes.append(UInt8(ascii: "\\"))
      }
      changes.bytes.append(byte)
    }
  }

  /// The touched record whose kind byte and key are the bytes from `start`, which are dropped when
  /// it was touched before; `asked` is the id that was asked for where that is another.
  mutating func touch<Store: NormalizerStore & ~Copyable>(
    _ store: inout Store, start: Int, isPath: Bool, type: UInt32, asked: [UInt8]?, id: Range<Int>
  ) throws(ImageError) -> Int {
    let key = start + 1..<changes.bytes.count
    let hash = hash(changes.bytes.span(start..<changes.bytes.count))
    if let asked { try noteAlias(&store, asked: asked, id: id, key: key, hash: hash) }
    if let index = changes.index(hash: hash, key: key, isPath: isPath) {
      changes.bytes.removeSubrange(start...)
      if type != 0 { changes.setType(type, of: index) }
      return index
    }
    let found = try store.record(
      hash: hash, key: changes.bytes.span(key), isPath: isPath)
    if let found {
      if found.isAlias { sawAlias = true }
      if sawAlias, let index = changes.index(number: found.number) {
        changes.bytes.removeSubrange(start...)
        if type != 0 { changes.setType(type, of: index) }
        return index
      }
    }
    let number = if let found { found.number } else { try store.newRecord() }
    return changes.append(
      ChangeSet.Touched(
        number: number, isNew: found == nil, isPath: isPath, type: type, hash: hash, key: key))
  }

  /// An id was asked for and another came back: the record has both from now on (R5).
  ///
  /// A record known by the old id alone takes the new one at once, so that the answer lands in it.
  private mutating func noteAlias<Store: NormalizerStore & ~Copyable>(
    _ store: inout Store, asked: [UInt8], id: Range<Int>, key: Range<Int>, hash: UInt64
  ) throws(ImageError) {
    // A service that answers out of order names another asked id, not another name of this one.
    let answered = changes.bytes.copy(id)
    if findings.ids.contains(where: { $0.asked.utf8.elementsEqual(answered) }) { return }
    let oldKey = changes.bytes.copy(key.lowerBound..<id.lowerBound) + asked
    try alias(&store, oldKey, to: changes.bytes.copy(key))
  }

  /// Notes that two ids name one record.
  mutating func alias<Store: NormalizerStore & ~Copyable>(
    _ store: inout Store, _ old: [UInt8], to new: [UInt8]
  ) throws(ImageError) {
    let oldHash = keyHash(old.span, isPath: false)
    let newHash = keyHash(new.span, isPath: false)
    if !isTouched(oldHash, newHash),
      let known = try store.record(hash: oldHash, key: old.span, isPath: false),
      !known.isAlias, try store.record(hash: newHash, key: new.span, isPath: false) == nil
    {
      try store.rekey(known.number, to: new.span)
    }
    findings.aliasPairs.append((old, new))
  }

  private func isTouched(_ hash: UInt64, _ other: UInt64) -> Bool {
    for index in 0..<changes.touched.count {
      let found = changes.touched[index].hash
      if found == hash || found == other { return true }
    }
    return false
  }
}

/// Limits of ids: Docs/Format.md section 8.
enum IdentityLimits {
  static let maximumIdCount = 0xFF_FFFF
}
