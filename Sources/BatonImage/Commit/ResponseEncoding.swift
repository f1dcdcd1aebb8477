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
      scratch.collect(record, of: changes)
      scratch.build(record, of: changes)
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
    let envelope = try Envelope(&reader)
    var normalizer = Normalizer(binding: binding, identity: identity, changes: taken)
    guard let member = envelope.data else {
      throw .response(ResponseProblem("it has no data", offset: 0))
    }
    var data = reader.at(member)
    try normalizer.root(&data, &given)
    changes = normalizer.takeChanges()
    numbers = given
  }
}

extension MergeScratch {
  /// Builds the row of a record no image has, of the writes collected.
  fileprivate mutating func build(
    _ record: ChangeSet.Touched, of changes: borrowing ChangeSet
  ) {
    begin()
    for position in 0..<pending.count {
      let write = changes.writes[Int(pending[position].write)]
      cells.append(Cell(field: write.field, source: .response, range: write.bytes))
    }
    let none: [UInt8] = []
    build(
      type: record.type, commit: 1, flags: record.isPath ? .pathKey : [],
      key: changes.bytes.span(record.key), old: none.span, changes: changes)
    row.seal(table: .records, key: UInt64(record.number))
  }
}

/// Numbers of names and records, given in memory.
private struct MemoryNumbers: NormalizerStore {
  private var names: [UInt64: UInt32] = [:]
  private var records: [UInt64: UInt32] = [:]
  private var nextRecord = RowLayout.firstRecord
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

  mutating func newRecord() throws(ImageError) -> UInt32 {
    defer { nextRecord += 1 }
    records[asked] = nextRecord
    return nextRecord
  }

  func rekey(_ old: UInt32, to new: Span<UInt8>) throws(ImageError) {}
}
