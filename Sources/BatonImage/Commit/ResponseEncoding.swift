package import BatonPlan

/// A commit without an image: responses to encoded rows, in memory.
///
/// What of a commit is not the engine's and not merging: it is there to be measured.
package struct ResponseEncoding: ~Copyable {
  private let binding: PlanBinding
  private let identity: IdentityRules
  private var indexer: JSONIndexer
  private var changes = ChangeSet()
  private var scratch = MergeScratch()
  private var numbers = MemoryNumbers()

  package init(
    plan: Plan, variables: Variables, identity: IdentityRules = .global
  ) throws(ImageError) {
    self.identity = identity
    binding = PlanBinding(
      plan: plan, identity: identity,
      conditions: PlanBinding.conditions(of: plan, variables: variables))
    binding.begin(variables)
    indexer = try JSONIndexer()
  }

  /// Encodes the rows of a response's records, one after another; how many bytes they have.
  package mutating func encode(_ response: Span<UInt8>) throws(ImageError) -> Int {
    try indexer.index(response)
    try normalize()
    var total = 0
    for index in 0..<changes.touched.count {
      let record = changes.touched[index]
      try scratch.build(record, of: changes)
      total += scratch.row.count
    }
    return total
  }

  private mutating func normalize() throws(ImageError) {
    var taken = ChangeSet()
    swap(&taken, &changes)
    taken.removeAll()
    var given = MemoryNumbers()
    swap(&given, &numbers)
    var reader = indexer.reader
    var envelope = try Envelope(&reader, upToData: true)
    var normalizer = Normalizer(binding: binding, identity: identity, changes: taken)
    guard envelope.isOpen else {
      throw .response(ResponseProblem("it doesn't begin with data", offset: 0))
    }
    try normalizer.root(&reader, &given)
    try envelope.readRest(&reader)
    changes = normalizer.takeChanges()
    numbers = given
  }
}

extension MergeScratch {
  /// Builds the row of a record no image has.
  fileprivate mutating func build(
    _ record: ChangeSet.Touched, of changes: borrowing ChangeSet
  ) throws(ImageError) {
    begin()
    if !build(new: record, commit: 1, changes) {
      collect(record, of: changes)
      try merge(with: nil, changes, room: RowLayout.maximumCells, isSpilled: false)
      let none: [UInt8] = []
      build(
        type: record.type, commit: 1, flags: record.isPath ? .pathKey : [],
        key: changes.bytes.span(record.key), old: none.span, changes: changes)
    }
    row.seal(table: .records, key: UInt64(record.number))
  }
}

/// Numbers of names and records, given in memory.
private struct MemoryNumbers: NormalizerStore {
  private var names: [UInt64: UInt32] = [:]
  private var records = RecordNumbers()
  /// The record asked for last, which is the one a number is given to.
  private var asked: UInt64 = 0

  func satisfies(type: String, condition: String) -> Bool? { nil }

  mutating func name(_ text: Span<UInt8>, _ kind: NameKind) throws(ImageError) -> UInt32 {
    let hash = hash(text) ^ UInt64(kind.rawValue)
    if let number = names[hash] { return number }
    let number = NameKind.firstFree + UInt32(names.count)
    names[hash] = number
    return number
  }

  mutating func record(
    hash: UInt64, key: Span<UInt8>, isPath: Bool
  ) throws(ImageError) -> (number: UInt32, isAlias: Bool)? {
    asked = hash
    return records[hash].map { ($0, false) }
  }

  mutating func newRecord() throws(ImageError) -> UInt32 { records.add(asked) }

  func rekey(_ old: UInt32, to new: Span<UInt8>) throws(ImageError) {}
}

/// The numbers of records by the hashes of their keys, which are hashes enough.
private struct RecordNumbers {
  /// Open addressing, at most half of it in use; 0 for an empty slot. A power of two.
  private var slots: [UInt32] = Array(repeating: 0, count: 1024)
  /// The hashes, by number from the first on.
  private var hashes: [UInt64] = []

  subscript(hash: UInt64) -> UInt32? {
    let found = slots[slot(of: hash)]
    return found == 0 ? nil : found
  }

  mutating func add(_ hash: UInt64) -> UInt32 {
    hashes.append(hash)
    if hashes.count * 2 > slots.count {
      slots = Array(repeating: 0, count: slots.count * 2)
      for (index, hash) in hashes.dropLast().enumerated() {
        slots[slot(of: hash)] = RowLayout.firstRecord + UInt32(index)
      }
    }
    let number = RowLayout.firstRecord + UInt32(hashes.count - 1)
    slots[slot(of: hash)] = number
    return number
  }

  private func slot(of hash: UInt64) -> Int {
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0, hashes[Int(slots[slot] - RowLayout.firstRecord)] != hash {
      slot = (slot &+ 1) & mask
    }
    return slot
  }
}
