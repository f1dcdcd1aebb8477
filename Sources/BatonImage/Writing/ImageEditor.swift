import BatonPlan
import Synchronization

/// Writes to an image without a document: what `Image.write` gives its closure.
///
/// Records are named by their ids or by their places, fields by their storage keys, as a response's
/// are. Nothing is in the image before the closure returns.
public struct ImageEditor: ~Copyable {
  /// A record of one write.
  public struct Record: Sendable, Hashable {
    let number: UInt32
    /// The write it is of.
    let write: UInt64
  }

  private var session: CommitSession
  private let write: UInt64
  private var changes = ChangeSet()
  /// The touched records, by number.
  private var indexes: [UInt32: Int] = [:]

  init(_ session: consuming CommitSession) {
    write = Self.writes.wrappingAdd(1, ordering: .relaxed).newValue
    self.session = session
  }

  private static let writes = Atomic<UInt64>(0)

  /// Gives the session back with everything written to it.
  consuming func finish() throws(ImageError) -> CommitSession {
    try apply()
    return session
  }

  // MARK: Records

  /// The root of queries.
  public var query: Record { root(RowLayout.queryRoot) }
  /// The root of mutations, whose fields are keyed by their names alone and are for this launch.
  public var mutation: Record { root(RowLayout.mutationRoot) }
  public var subscription: Record { root(RowLayout.subscriptionRoot) }

  private func root(_ number: UInt32) -> Record {
    Record(number: number, write: write)
  }

  /// The record with an id, made when there is none or it was deleted; a new one has its key field.
  ///
  /// - Parameters:
  ///   - id: the value of its key field, or an alias.
  ///   - type: its concrete type; empty where that isn't known.
  /// - Throws: `usage` when the identity rules give no key, or the type is transient.
  public mutating func record(
    _ id: String, type: String = ""
  ) throws(ImageError) -> Record {
    try record([id], type: type)
  }

  /// The record with the values of several key fields, in their order.
  public mutating func record(
    _ values: [String], type: String = ""
  ) throws(ImageError) -> Record {
    let number = try typeNumber(type)
    let fields = session.identity.keyFields(of: type)
    guard fields.count == values.count,
      let key = session.identity.key(type: type, values: values)
    else {
      throw .usage(
        "the identity rules give no key for \(values.count) values of the type '\(type)'")
    }
    guard key.count <= IdentityLimits.maximumIdCount else {
      throw .limit("an id of \(key.count) bytes")
    }
    let (index, isNew) = try touch([0] + key, type: number)
    let record = self.record(at: index)
    let lacksKey = if isNew { true } else { try isGone(record) }
    if lacksKey {
      for (field, value) in zip(fields, values) { try set(field, to: .string(value), on: record) }
    }
    return record
  }

  /// The record at a place, which has no id of its own; made when there is none.
  ///
  /// - Parameters:
  ///   - field: the storage key it is linked from.
  ///   - parent: the record that has the field.
  ///   - indexes: its place in the field's list, outermost list first; empty for a single link.
  ///   - type: its concrete type; empty where that isn't known.
  ///   - isOfAbstractField: whether the field's type is an interface or union: the type is part of
  ///     the place then.
  public mutating func record(
    at field: String, of parent: Record, indexes: [Int] = [], type: String = "",
    isOfAbstractField: Bool = false
  ) throws(ImageError) -> Record {
    let typeNumber = try typeNumber(type)
    var path = PathKey(
      parent: try number(of: parent), field: try fieldNumber(field, of: parent),
      type: isOfAbstractField ? typeNumber : 0, indexes: [])
    for index in indexes {
      guard let index = UInt32(exactly: index) else {
        throw .usage("\(index) is no place in a list")
      }
      path.indexes.append(index)
    }
    var key: [UInt8] = [1]
    path.append(to: &key)
    return record(at: try touch(key, type: typeNumber).index)
  }

  /// A record that is there, by its key: an id, an alias, or a path as exports show it; nil when there
  /// is none, or it was deleted.
  public mutating func existing(_ key: String) throws(ImageError) -> Record? {
    try apply()
    guard let number = try session.liveRecord(key) else { return nil }
    return Record(number: number, write: write)
  }

  // MARK: Fields

  /// Sets a field.
  ///
  /// - Parameters:
  ///   - key: the field's storage key, `title` or `labels(first:10)`; arguments in any order.
  ///   - errors: what a response said of the field beside its value.
  /// - Throws: `usage` when the key or the value is none, or the field is transient.
  public mutating func set(
    _ key: String, to value: EditedValue, errors: [FieldError] = [], on record: Record
  ) throws(ImageError) {
    let field = try fieldNumber(key, of: record)
    let write = write
    let encoder = EditedValueEncoder { (record) throws(ImageError) in
      guard record.write == write else { throw Self.otherWrite }
      return record.number
    }
    var cell: [UInt8] = []
    try encoder.append(value, to: &cell)
    let index = try touch(record)
    let start = changes.bytes.count
    if errors.isEmpty {
      changes.bytes.append(contentsOf: cell)
    } else {
      let block = try block(errors)
      try CellEncoder.append(
        cell: cell.span, errors: block.span, isStale: false, to: &changes.bytes)
    }
    changes.write(field: field, from: start, to: index)
  }

  /// Makes a field null under errors, as a response does: its last good value is kept beside them.
  public mutating func fail(
    _ key: String, with errors: [FieldError], on record: Record
  ) throws(ImageError) {
    guard !errors.isEmpty else { throw .usage("a field fails with at least one error") }
    let field = try fieldNumber(key, of: record)
    let block = try block(errors)
    let index = try touch(record)
    let start = changes.bytes.count
    changes.bytes.append(contentsOf: block)
    changes.write(.coveredNull, field: field, from: start, to: index)
  }

  /// Forgets a field: it is missing from then on, as if it had never come.
  public mutating func clear(_ key: String, of record: Record) throws(ImageError) {
    let number = try number(of: record)
    let field = try fieldNumber(key, of: record)
    try apply()
    let removed = try session.removeFields([field], of: number)
    if !removed.isEmpty { session.journal.note(number, .changed, fields: removed) }
  }

  private func block(_ errors: [FieldError]) throws(ImageError) -> [UInt8] {
    var check = try JSONCheck()
    var block: [UInt8] = []
    for error in errors {
      let texts = [error.pathText, error.extensionsText].filter { !$0.isEmpty }
      for text in texts where !check.isValue(Array(text.utf8).span) {
        throw .usage("an error's path or extensions are no JSON")
      }
      error.append(to: &block)
    }
    return block
  }

  // MARK: Life and names

  /// Deletes a record: its fields go, links to it lead to nothing, lists keep its place.
  public mutating func delete(_ record: Record) throws(ImageError) {
    let number = try number(ofNonRoot: record)
    try apply()
    try session.deleteRecord(number)
  }

  /// Makes another id lead to a record. A record that has the id becomes part of this one.
  ///
  /// Throws `usage` when the record has no id itself.
  public mutating func addAlias(_ id: String, to record: Record) throws(ImageError) {
    let number = try number(ofNonRoot: record)
    try apply()
    guard let (key, type) = try idKey(of: number) else {
      throw .usage("a record that is named by its place has no other id")
    }
    guard let alias = session.identity.key(type: type, values: [id]) else {
      throw .usage("the identity rules give no key for the alias")
    }
    try session.alias([(old: alias, new: key)])
  }

  /// Makes a natural key lead to a record.
  ///
  /// - Parameter key: the path of fields with arguments that leads to the record from the root of
  ///   queries, `repository(name:"w",owner:"o")/issue(number:7)`.
  /// - Throws: `usage` when the text is no natural key, or the record has no id.
  public mutating func addNaturalKey(
    _ key: String, to record: Record
  ) throws(ImageError) {
    let number = try number(ofNonRoot: record)
    let parsed: NaturalKey
    do { parsed = try NaturalKey(parsing: key) } catch { throw .usage("\(key): \(error)") }
    let isTransient = parsed.steps.first.map {
      session.identity.transientFields.contains("Query.\($0.name)")
    }
    guard parsed.steps.allSatisfy({ !$0.arguments.isEmpty }), isTransient == false,
      session.identity.lookup(of: parsed.steps[0].name) == nil
    else { throw .usage("\(key): each step has arguments, and the first is no lookup") }
    try apply()
    guard try idKey(of: number) != nil else {
      throw .usage("a record that is named by its place has no natural key")
    }
    try session.keep(naturalKeys: [(Array(parsed.text.utf8), number)])
  }

  /// Keeps a record from being evicted.
  public mutating func pin(_ record: Record) throws(ImageError) {
    let number = try number(ofNonRoot: record)
    try apply()
    try session.flag(number, .pinned)
  }

  /// Lets a record be evicted again.
  public mutating func unpin(_ record: Record) throws(ImageError) {
    let number = try number(ofNonRoot: record)
    try apply()
    try session.unflag(number, .pinned)
  }

  // MARK: Numbers

  private static var otherWrite: ImageError { .usage("the record is of another write") }

  private func number(of record: Record) throws(ImageError) -> UInt32 {
    guard record.write == write else { throw Self.otherWrite }
    return record.number
  }

  private func number(ofNonRoot record: Record) throws(ImageError) -> UInt32 {
    let number = try number(of: record)
    guard number >= RowLayout.firstRecord else {
      throw .usage("the roots can't be deleted, named or pinned")
    }
    return number
  }

  /// Whether a record has no fields any more: it was deleted, or gave them up.
  private borrowing func isGone(_ record: Record) throws(ImageError) -> Bool {
    guard let row = try session.row(record.number) else { return false }
    return !row.flags.isDisjoint(with: [.deleted, .evicted])
  }

  private func record(at index: Int) -> Record {
    Record(number: changes.touched[index].number, write: write)
  }

  /// The id key of a record's row and its type's name; nil for a record without an id.
  private borrowing func idKey(
    of number: UInt32
  ) throws(ImageError) -> (key: [UInt8], type: String)? {
    guard let row = try session.row(number), !row.flags.contains(.pathKey) else { return nil }
    return (row.key.copy(), try session.typeName(row.type))
  }

  private mutating func typeNumber(_ type: String) throws(ImageError) -> UInt32 {
    if type.isEmpty { return 0 }
    guard GraphQLName.isName(type) else { throw .usage("'\(type)' is no type's name") }
    guard !session.identity.transientTypes.contains(type) else {
      throw .usage("records of the type \(type) are never written")
    }
    return try session.name(Array(type.utf8).span, .type)
  }

  /// The name number of a field's storage key, in canonical form.
  private mutating func fieldNumber(
    _ key: String, of record: Record
  ) throws(ImageError) -> UInt32 {
    let number = try number(of: record)
    let parsed: NaturalKey
    do { parsed = try NaturalKey(parsing: key) } catch { throw .usage("\(key): \(error)") }
    guard parsed.steps.count == 1, parsed.steps[0].name != "__typename" else {
      throw .usage("\(key) is no storage key of a field")
    }
    let type = try session.typeName(type(of: number))
    guard !session.identity.transientFields.contains("\(type).\(parsed.steps[0].name)") else {
      throw .usage("the field \(parsed.steps[0].name) of \(type) is never written")
    }
    return try session.name(Array(parsed.text.utf8).span, .storageKey)
  }

  private borrowing func type(of number: UInt32) throws(ImageError) -> UInt32 {
    if let index = indexes[number], changes.touched[index].type != 0 {
      return changes.touched[index].type
    }
    return try session.row(number)?.type ?? 0
  }

  // MARK: The change set

  /// Merges what was set so far.
  private mutating func apply() throws(ImageError) {
    guard !changes.touched.isEmpty else { return }
    try session.apply(changes)
    changes.removeAll()
    indexes.removeAll()
  }

  /// The touched record with a kind byte and a key, made when there is none.
  private mutating func touch(
    _ key: [UInt8], type: UInt32
  ) throws(ImageError) -> (index: Int, isNew: Bool) {
    let isPath = key[0] == 1
    let hash = hash(key.span)
    let start = changes.bytes.count
    changes.bytes.append(contentsOf: key)
    let range = start + 1..<changes.bytes.count
    if let index = changes.index(hash: hash, key: range, isPath: isPath) {
      changes.bytes.removeSubrange(start...)
      if type != 0 { changes.setType(type, of: index) }
      return (index, false)
    }
    guard let found = try session.record(hash: hash, key: key.span.extracting(1...), isPath: isPath)
    else {
      let number = try session.newRecord()
      indexes[number] = changes.append(
        ChangeSet.Touched(
          number: number, isNew: true, isPath: isPath, type: type, hash: hash, key: range))
      return (changes.touched.count - 1, true)
    }
    changes.bytes.removeSubrange(start...)
    let index = try touch(Record(number: found.number, write: write))
    if type != 0 { changes.setType(type, of: index) }
    return (index, false)
  }

  /// The touched record of one that is there.
  private mutating func touch(_ record: Record) throws(ImageError) -> Int {
    let number = try number(of: record)
    if let index = indexes[number] { return index }
    guard let draft = try session.draft(number) else {
      throw .usage("the record is not there any more")
    }
    let kind: UInt8 = draft.flags.contains(.pathKey) ? 1 : 0
    let key = [kind] + draft.key
    let start = changes.bytes.count
    changes.bytes.append(contentsOf: key)
    let isRoot = number < RowLayout.firstRecord
    let index = changes.append(
      ChangeSet.Touched(
        number: number, isNew: false, isPath: kind == 1, type: draft.type,
        hash: isRoot ? UInt64(number) : hash(key.span), key: start + 1..<changes.bytes.count))
    indexes[number] = index
    return index
  }
}

/// The grammar of GraphQL's names.
enum GraphQLName {
  static func isName(_ text: String) -> Bool {
    var isFirst = true
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "_"):
        break
      case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
      default: return false
      }
      isFirst = false
    }
    return !isFirst
  }
}
