/// Natural keys in the image (R5): Docs/Format.md section 9.
extension CommitSession {
  /// Keeps which record each natural key leads to; of equal ones the last counts.
  mutating func keep(naturalKeys: [(text: [UInt8], number: UInt32)]) throws(ImageError) {
    let naturalKeys = naturalKeys.lastOfEqual { $0.text }
    var reused: [[UInt8]] = []
    for key in naturalKeys where try keep(key.text, try resolved(key.number)) {
      reused.append(key.text)
    }
    guard !reused.isEmpty else { return }
    try supersedeKeys(below: reused, except: Set(naturalKeys.map(\.text)))
  }

  /// Keeps which record a natural key leads to; whether it led to another one before.
  private mutating func keep(_ text: [UInt8], _ number: UInt32) throws(ImageError) -> Bool {
    let hash = hash(text.span)
    let known = try naturalKey(text)
    if let known, known.number == number, known.isLive { return false }
    try putKey(text, number: number, isLive: true)
    let isReused = known.map { $0.number != number } ?? false
    if let known, isReused { try removeHash(hash, of: known.number) }
    try addHash(hash, of: number)
    try flag(number, .hasNaturalKeys)
    return isReused
  }

  /// Writes the entry of a natural key.
  mutating func putKey(_ text: [UInt8], number: UInt32, isLive: Bool) throws(ImageError) {
    var payload: [UInt8] = []
    payload.append(u32: number)
    payload.append(isLive ? NaturalKeyLayout.live : NaturalKeyLayout.superseded)
    payload.append(u64: state.commit + 1)
    payload.append(contentsOf: text)
    let hash = hash(text.span)
    let value = try Entries.replacing(in: try value(.keys, hash), with: payload) { old in
      old.count >= NaturalKeyLayout.text
        && old.extracting(droppingFirst: NaturalKeyLayout.text).isEqual(to: text.span)
    }
    try put(value, orDelete: .keys, hash)
  }

  mutating func addHash(_ hash: UInt64, of number: UInt32) throws(ImageError) {
    var hashes = Set(HashList.hashes(try value(.keysof, UInt64(number))))
    guard hashes.insert(hash).inserted else { return }
    try put(HashList.encode(hashes), orDelete: .keysof, UInt64(number))
  }

  mutating func removeHash(_ hash: UInt64, of number: UInt32) throws(ImageError) {
    // Another text with the same hash may lead to the record still.
    let texts = try naturalKeys(of: number).filter { BatonImage.hash($0.text.span) == hash }
    guard texts.isEmpty else { return }
    let hashes = HashList.hashes(try value(.keysof, UInt64(number))).filter { $0 != hash }
    try put(HashList.encode(hashes), orDelete: .keysof, UInt64(number))
    if hashes.isEmpty { try clear(.hasNaturalKeys, of: number) }
  }

  /// Leads the natural keys of one record to another.
  mutating func moveNaturalKeys(of source: UInt32, to target: UInt32) throws(ImageError) {
    for key in try naturalKeys(of: source) {
      try putKey(key.text, number: target, isLive: key.isLive)
      try addHash(hash(key.text.span), of: target)
    }
    try delete(.keysof, UInt64(source))
  }
}

/// The layout of a natural key's entry.
enum NaturalKeyLayout {
  static let number = 0
  static let keyState = 4
  static let commit = 5
  static let text = 13

  static let live: UInt8 = 1
  static let superseded: UInt8 = 2
}

/// A natural key as the image keeps it.
package struct KeptNaturalKey: Sendable, Equatable {
  package var text: [UInt8]
  package var number: UInt32
  /// False when the record moved away from the key.
  package var isLive: Bool
  /// The commit that answered the key last.
  package var commit: UInt64

  init?(_ payload: Span<UInt8>) {
    guard payload.count > NaturalKeyLayout.text else { return nil }
    number = payload.u32(at: NaturalKeyLayout.number)
    isLive = payload[NaturalKeyLayout.keyState] == NaturalKeyLayout.live
    commit = payload.u64(at: NaturalKeyLayout.commit)
    text = payload.extracting(droppingFirst: NaturalKeyLayout.text).copy()
  }
}

extension RecordSource where Self: ~Copyable {
  /// What the image keeps of a natural key in canonical form; nil when it is unknown.
  package borrowing func naturalKey(_ text: [UInt8]) throws(ImageError) -> KeptNaturalKey? {
    guard let entries = try value(.keys, hash(text.span)),
      let payload = try Entries.payload(in: entries, text: text.span, at: NaturalKeyLayout.text)
    else { return nil }
    return KeptNaturalKey(payload)
  }

  /// The natural keys that lead to a record, in the order of their hashes.
  package borrowing func naturalKeys(of number: UInt32) throws(ImageError) -> [KeptNaturalKey] {
    var keys: [KeptNaturalKey] = []
    for hash in HashList.hashes(try value(.keysof, UInt64(number))) {
      guard let entries = try value(.keys, hash) else { continue }
      try Entries.forEach(entries) { payload in
        if let key = KeptNaturalKey(payload), key.number == number { keys.append(key) }
        return true
      }
    }
    return keys
  }

  /// Every natural key, in the order of their hashes.
  package borrowing func forEachNaturalKey(
    _ body: (KeptNaturalKey) throws(ImageError) -> Void
  ) throws(ImageError) {
    try forEach(.keys, from: 0) { (_, value) throws(ImageError) in
      try Entries.forEach(value) { (payload) throws(ImageError) in
        if let key = KeptNaturalKey(payload) { try body(key) }
        return true
      }
      return true
    }
  }
}
