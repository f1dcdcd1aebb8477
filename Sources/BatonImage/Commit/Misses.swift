/// Ids that were asked for and answered null (R4): Docs/Format.md section 10.
extension CommitSession {
  /// Keeps what came back for the ids of a list lookup.
  mutating func keep(idsOf findings: ResponseFindings) throws(ImageError) {
    if outcome.ids == nil {
      outcome.ids = findings.ids
    } else {
      outcome.ids?.append(contentsOf: findings.ids)
    }
    answered.ofIds.reserveCapacity(answered.ofIds.count + findings.asked.count)
    // Of each id the first miss that no answer further on ends: a miss that was written and taken back
    // would be so in every commit of the same response.
    var open: [[UInt8]: Int] = [:]
    for index in findings.asked.indices {
      if findings.asked[index].isKey {
        answered.ofIds.append(findings.asked[index].record)
      } else {
        try note(findings.asked[index].record, answeredTo: findings.key(ofAsked: index))
      }
      if findings.ids[index].status != .ok {
        let id = findings.key(ofAsked: index)
        if open[id] == nil { open[id] = index }
      } else if hasMisses || !missed.isEmpty || !open.isEmpty {
        let id = findings.key(ofAsked: index)
        try forgetMisses(of: id)
        guard !open.isEmpty else { continue }
        open[id] = nil
        if let key = try currentKey(of: id) { open[key] = nil }
      }
    }
    for index in open.values.sorted() { try countMiss(index, in: findings) }
  }

  /// Ends the misses of an id that was answered, and of the id its record has now.
  mutating func forgetMisses(of id: [UInt8]) throws(ImageError) {
    guard hasMisses || !missed.isEmpty else { return }
    try forgetMiss(id)
    if let key = try currentKey(of: id), key != id { try forgetMiss(key) }
  }

  /// The id key that the record with an id has now; nil when there is none.
  private borrowing func currentKey(of id: [UInt8]) throws(ImageError) -> [UInt8]? {
    guard let number = try number(ofId: id), let row = try row(try resolved(number)),
      !row.flags.contains(.pathKey)
    else { return nil }
    return row.key.copy()
  }

  private mutating func forgetMiss(_ id: [UInt8]) throws(ImageError) {
    guard try miss(of: id) != nil else { return }
    let hash = hash(id.span)
    let value = try Entries.replacing(in: try value(.misses, hash), with: nil) { payload in
      Miss(payload)?.id == id
    }
    try put(value, orDelete: .misses, hash)
  }

  private mutating func countMiss(
    _ index: Int, in findings: ResponseFindings
  ) throws(ImageError) {
    let id = findings.key(ofAsked: index)
    guard !id.isEmpty else { return }
    var miss =
      try miss(of: id) ?? Miss(count: 0, kind: .null, first: now, last: now, id: id, errors: [])
    // One answer is one miss, however often it names the id.
    guard !(miss.count > 0 && missed.contains(id)) else { return }
    missed.insert(id)
    miss.count = miss.count == .max ? .max : miss.count + 1
    miss.kind = Miss.Kind(findings.ids[index].status)
    miss.last = now
    miss.errors = findings.asked[index].errors ?? []
    let hash = hash(id.span)
    let value = try Entries.replacing(in: try value(.misses, hash), with: miss.encoded) {
      Miss($0)?.id == id
    }
    try put(value, orDelete: .misses, hash)
  }
}

/// An id that has no answer, and how often it had none.
package struct Miss: Sendable, Equatable {
  package enum Kind: UInt8, Sendable {
    case null = 1
    case notFound
    case forbidden
    case error

    init(_ status: IdOutcome.Status) {
      switch status {
      case .notFound: self = .notFound
      case .forbidden: self = .forbidden
      case .error: self = .error
      case .ok, .null: self = .null
      }
    }
  }

  package var count: UInt32
  package var kind: Kind
  /// The times of the first and the last of the answers, in milliseconds since 1970.
  package var first: Int64
  package var last: Int64
  package var id: [UInt8]
  /// An errors block, or empty.
  package var errors: [UInt8]

  static let idStart = 25

  init(count: UInt32, kind: Kind, first: Int64, last: Int64, id: [UInt8], errors: [UInt8]) {
    self.count = count
    self.kind = kind
    self.first = first
    self.last = last
    self.id = id
    self.errors = errors
  }

  /// Decodes an entry's payload; nil when it has not an entry's form.
  init?(_ payload: Span<UInt8>) {
    guard payload.count >= Self.idStart, let kind = Kind(rawValue: payload[4]) else { return nil }
    let idCount = Int(payload.u32(at: 21))
    guard idCount <= payload.count - Self.idStart else { return nil }
    count = payload.u32(at: 0)
    self.kind = kind
    first = Int64(bitPattern: payload.u64(at: 5))
    last = Int64(bitPattern: payload.u64(at: 13))
    id = payload.extracting(Self.idStart..<Self.idStart + idCount).copy()
    errors = payload.extracting(droppingFirst: Self.idStart + idCount).copy()
  }

  var encoded: [UInt8] {
    var payload: [UInt8] = []
    payload.append(u32: count)
    payload.append(kind.rawValue)
    payload.append(u64: UInt64(bitPattern: first))
    payload.append(u64: UInt64(bitPattern: last))
    payload.append(u32: UInt32(id.count))
    payload.append(contentsOf: id)
    payload.append(contentsOf: errors)
    return payload
  }
}

extension RecordSource where Self: ~Copyable {
  /// What is kept of an id that was answered null; nil when it never was, or has an answer since.
  package borrowing func miss(of id: [UInt8]) throws(ImageError) -> Miss? {
    guard let entries = try value(.misses, hash(id.span)) else { return nil }
    var found: Miss?
    try Entries.forEach(entries) { payload in
      guard let miss = Miss(payload), miss.id == id else { return true }
      found = miss
      return false
    }
    return found
  }
}
