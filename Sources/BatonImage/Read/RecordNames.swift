/// Records by the names people read and write: Docs/Format.md section 8.
extension RecordSource where Self: ~Copyable {
  /// The record's key as text: its id, or the path it was found at. A path that leads through a
  /// record that was given up begins with that one's number, as `record 7`.
  ///
  /// Throws `damaged` for a path that is none, `limit` for one that no response can lead through.
  package borrowing func keyText(of number: UInt32) throws(ImageError) -> String {
    var tail = ""
    var current = number
    for _ in 0..<RootNames.maximumDepth {
      if let root = RootNames.text(of: current) { return root + tail }
      guard let row = try row(current) else { return "record \(current)" + tail }
      if let target = try row.target(), target != current {
        guard let moved = try self.row(target), !moved.flags.contains(.pathKey) else {
          throw .damaged(Damage("record \(current)", "it moved to a record without an id"))
        }
        return moved.key.text() + tail
      }
      guard row.flags.contains(.pathKey) else { return row.key.text() + tail }
      guard let path = PathKey(row.key), path.parent < current, path.parent > 0 else {
        throw .damaged(Damage("record \(current)", "its path is none"))
      }
      tail = try text(ofStep: path) + tail
      current = path.parent
    }
    throw .limit("the path of record \(number) has more than \(RootNames.maximumDepth) steps")
  }

  /// What a path adds to its parent's text.
  borrowing func text(ofStep path: PathKey) throws(ImageError) -> String {
    var step = ":" + (try name(path.field))
    for index in path.indexes { step += ":\(index)" }
    if path.type != 0 { step += ":" + (try name(path.type)) }
    return step
  }

  /// The record that a key text names: a root, an id or an alias, or a path; nil when there is none.
  ///
  /// An id may hold colons, so each prefix that names a record is tried as the start of a path.
  package borrowing func number(ofRecord text: String) throws(ImageError) -> UInt32? {
    let bytes = Array(text.utf8)
    var starts: [(end: Int, number: UInt32)] = []
    for end in RootNames.stepEnds(of: bytes).prefix(RootNames.maximumSteps) + [bytes.count] {
      let prefix = Array(bytes[..<end])
      if let number = try number(ofIdOrRoot: prefix) {
        starts.append((end, number))
        continue
      }
      for start in starts.reversed() {
        let step = Array(bytes[(start.end + 1)..<end])
        if let number = try number(ofStep: step, below: start.number) {
          starts.append((end, number))
          break
        }
      }
    }
    guard let last = starts.last, last.end == bytes.count else { return nil }
    return last.number
  }

  private borrowing func number(ofIdOrRoot key: [UInt8]) throws(ImageError) -> UInt32? {
    if let root = RootNames.number(of: String(decoding: key, as: UTF8.self)) { return root }
    guard let number = try number(ofId: key) else { return nil }
    return try resolved(number)
  }

  /// The record at one step of a path: a storage key, list indexes, and maybe a type.
  private borrowing func number(
    ofStep bytes: [UInt8], below parent: UInt32
  ) throws(ImageError) -> UInt32? {
    var parts: [String] = []
    var start = 0
    for end in RootNames.stepEnds(of: bytes) + [bytes.count] {
      parts.append(String(decoding: bytes[start..<end], as: UTF8.self))
      start = end + 1
    }
    guard let field = try number(ofName: parts[0], .storageKey) else { return nil }
    var path = PathKey(parent: parent, field: field, type: 0, indexes: [])
    for part in parts.dropFirst() {
      if path.type == 0, let index = UInt32(part) {
        path.indexes.append(index)
      } else if path.type == 0, let type = try number(ofName: part, .type) {
        path.type = type
      } else {
        return nil
      }
    }
    var key: [UInt8] = []
    path.append(to: &key)
    return try number(ofKey: key.span, isPath: true, hash: keyHash(key.span, isPath: true))
  }
}

/// The names of the roots, and where the steps of a path end.
enum RootNames {
  /// How many steps of a key text are looked at.
  static let maximumSteps = 128
  /// How many steps a path has at most: a response nests no deeper.
  static let maximumDepth = JSONReader.maximumDepth

  static func text(of number: UInt32) -> String? {
    switch number {
    case RowLayout.queryRoot: "client:root"
    case RowLayout.mutationRoot: "client:root:mutation"
    case RowLayout.subscriptionRoot: "client:root:subscription"
    default: nil
    }
  }

  static func number(of text: String) -> UInt32? {
    (RowLayout.queryRoot...RowLayout.subscriptionRoot).first { self.text(of: $0) == text }
  }

  /// The colons of a path that stand outside parentheses and strings.
  static func stepEnds(of bytes: [UInt8]) -> [Int] {
    var ends: [Int] = []
    var depth = 0
    var isString = false
    var isEscaped = false
    for (index, byte) in bytes.enumerated() {
      if isEscaped {
        isEscaped = false
      } else if isString {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") { isString = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isString = depth > 0
        case UInt8(ascii: "("): depth += 1
        case UInt8(ascii: ")"): depth = max(0, depth - 1)
        case UInt8(ascii: ":") where depth == 0: ends.append(index)
        default: break
        }
      }
    }
    return ends
  }
}

/// Names of records beside their keys.
package struct OtherNames: Sendable {
  package struct Key: Sendable {
    package var text: String
    package var id: String
    package var isLive: Bool
  }

  /// The natural keys, sorted.
  package var keys: [Key] = []
  /// The aliases, sorted.
  package var aliases: [(from: String, to: String)] = []
}

extension RecordSource where Self: ~Copyable {
  /// Every natural key and alias with the id it leads to.
  package borrowing func otherNames() throws(ImageError) -> OtherNames {
    var kept: [KeptNaturalKey] = []
    try forEachNaturalKey { kept.append($0) }
    var aliases: [(key: [UInt8], number: UInt32)] = []
    try forEach(.aliases, from: 0) { (_, value) throws(ImageError) in
      try Entries.forEach(value) { payload in
        if payload.count > 4 {
          aliases.append((payload.extracting(droppingFirst: 4).copy(), payload.u32(at: 0)))
        }
        return true
      }
      return true
    }
    var names = OtherNames()
    for key in kept {
      names.keys.append(
        .init(
          text: String(decoding: key.text, as: UTF8.self), id: try keyText(of: key.number),
          isLive: key.isLive))
    }
    for alias in aliases {
      names.aliases.append(
        (String(decoding: alias.key, as: UTF8.self), try keyText(of: alias.number)))
    }
    names.keys.sort { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    names.aliases.sort { $0.from.utf8.lexicographicallyPrecedes($1.from.utf8) }
    return names
  }

  /// The record a key text names when it is neither deleted nor evicted; nil otherwise.
  package borrowing func liveRecord(_ text: String) throws(ImageError) -> UInt32? {
    guard let number = try number(ofRecord: text), let row = try row(number),
      !row.flags.contains(.deleted)
    else { return nil }
    return number
  }
}
