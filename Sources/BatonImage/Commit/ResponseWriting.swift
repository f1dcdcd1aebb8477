import BatonPlan

/// Committing one response, whole or in parts, within a session.
struct ResponseWriter: ~Copyable {
  let binding: PlanBinding
  let identity: IdentityRules
  /// Deferred parts that were announced: their id, and where they go.
  private var pending: [String: [JSONPath]] = [:]
  /// What list lookups were answered with, for the parts that go there.
  private var elements = LookupElements()
  /// Whether nothing was committed, as something behind the data says how to read them: the response
  /// is to be written once more, in another transaction.
  private(set) var isToReadAgain = false
  /// Whether any part had data.
  private(set) var hasData = false
  /// What to look at when the same bytes come again; nil when a second commit of them would do more
  /// than find every field as it is.
  private(set) var effect: AnswerEffect?
  /// Whether something transient was met: what names the operation is not kept then.
  private(set) var sawTransient = false

  init(binding: PlanBinding, identity: IdentityRules) {
    self.binding = binding
    self.identity = identity
  }

  /// Commits the only document of a response.
  ///
  /// Data that come first are read before it is known what follows them, where that was nothing so far.
  /// Something that matters sets `isToReadAgain`.
  mutating func write(
    only indexer: borrowing JSONIndexer, to session: inout CommitSession,
    reusing changes: inout ChangeSet
  ) throws(ImageError) {
    guard binding.plan.kind == .query, !binding.sawTrailer else {
      return try write(indexer, to: &session, reusing: &changes)
    }
    var reader = indexer.reader
    var envelope = try Envelope(&reader, upToData: true)
    guard envelope.isOpen else { return try write(indexer, to: &session, reusing: &changes) }
    var normalizer = try normalizer(nil, reader, &session, &changes)
    try normalizer.root(&reader, &session)
    try envelope.readRest(&reader)
    guard reader.isAtEnd else { throw reader.problem("something follows the response") }
    if envelope.hasOthers {
      binding.sawTrailer = true
      isToReadAgain = true
    } else {
      try apply(normalizer, to: &session)
    }
    changes = normalizer.takeChanges()
  }

  /// Commits a document: a whole response, or a part of one.
  mutating func write(
    _ indexer: borrowing JSONIndexer, to session: inout CommitSession,
    reusing changes: inout ChangeSet
  ) throws(ImageError) {
    var reader = indexer.reader
    let envelope = try Envelope(&reader)
    guard reader.isAtEnd else { throw reader.problem("something follows the response") }
    if let member = envelope.pending { try readPending(reader.at(member), member) }
    if let member = envelope.incremental {
      try writeItems(reader.at(member), member, to: &session, reusing: &changes)
    } else if envelope.path != nil {
      try writeItem(envelope, reader, to: &session, reusing: &changes)
      return
    }
    if let member = envelope.completed { try readCompleted(reader.at(member), member, &session) }
    guard envelope.incremental == nil || envelope.data != nil else { return }
    if envelope.data == nil, envelope.errors == nil, envelope.completed != nil { return }
    try writeWhole(envelope, reader, to: &session, reusing: &changes)
  }

  /// Commits the data of a whole response, or the first part of one.
  private mutating func writeWhole(
    _ envelope: Envelope, _ reader: JSONReader, to session: inout CommitSession,
    reusing changes: inout ChangeSet
  ) throws(ImageError) {
    var normalizer = try normalizer(envelope.errors, reader, &session, &changes)
    guard let member = envelope.data, reader.at(member).character != UInt8(ascii: "n") else {
      if let member = envelope.data {
        var data = reader.at(member)
        try data.skip()
      }
      guard !normalizer.errors.errors.isEmpty else {
        throw .response(ResponseProblem("it has neither data nor errors", offset: 0))
      }
      return
    }
    if let extensions = envelope.extensions {
      try noteWarnings(reader.at(extensions), extensions, &normalizer, &session)
    }
    var data = reader.at(member)
    try normalizer.root(&data, &session)
    try data.check(endOf: member)
    try apply(normalizer, to: &session)
    changes = normalizer.takeChanges()
  }

  private func normalizer(
    _ errors: Envelope.Member?, _ reader: JSONReader, _ session: inout CommitSession,
    _ changes: inout ChangeSet
  ) throws(ImageError) -> Normalizer {
    var taken = ChangeSet()
    swap(&taken, &changes)
    taken.removeAll()
    var normalizer = Normalizer(binding: binding, identity: identity, changes: taken)
    if let errors {
      var list = reader.at(errors)
      try normalizer.errors.read(&list)
      try list.check(endOf: errors)
      session.outcome.errors.append(contentsOf: normalizer.errors.errors)
    }
    return normalizer
  }

  /// Writes what a normalizer found, in the order that later steps need.
  private mutating func apply(
    _ normalizer: borrowing Normalizer, to session: inout CommitSession
  ) throws(ImageError) {
    hasData = true
    session.outcome.hasData = true
    if normalizer.findings.sawTransient || binding.hasTransient { sawTransient = true }
    let findings = normalizer.findings
    elements.add(findings.elements)
    var learned = false
    for fact in findings.memberships
    where try session.learn(
      type: fact.type, condition: fact.condition, isMember: fact.isMember)
    {
      learned = true
    }
    if learned { binding.forgetShapes() }
    let records = try session.apply(normalizer.changes)
    try session.alias(findings.aliasPairs)
    try session.keep(naturalKeys: findings.naturalKeys)
    try session.merge(pages: findings.merges)
    try session.edit(findings.edits, variables: binding.variables, identity: identity)
    if findings.hasListLookup { try session.keep(idsOf: findings) }
    effect =
      isRepeatable(normalizer) ? AnswerEffect(binding.listLookup, records: records, findings) : nil
  }

  /// Whether the response did nothing but write fields of records.
  private func isRepeatable(_ normalizer: borrowing Normalizer) -> Bool {
    binding.plan.kind == .query && !sawTransient && !normalizer.sawAlias
      && normalizer.errors.errors.isEmpty
      && normalizer.findings.aliasPairs.isEmpty && normalizer.findings.naturalKeys.isEmpty
      && normalizer.findings.merges.isEmpty && normalizer.findings.edits.isEmpty
      && normalizer.findings.ids.allSatisfy { $0.status == .ok }
  }

  // MARK: Warnings

  /// Reads the service's word that ids were replaced (`extensions.warnings`, R5).
  private func noteWarnings(
    _ extensions: JSONReader, _ member: Envelope.Member, _ normalizer: inout Normalizer,
    _ session: inout CommitSession
  ) throws(ImageError) {
    var whole = extensions
    try whole.skip()
    try whole.check(endOf: member)
    guard identity.scope == .global,
      var warnings = try JSONText.value(of: "warnings", in: extensions),
      warnings.character == UInt8(ascii: "["), try warnings.enterArray()
    else { return }
    repeat {
      if let data = try JSONText.value(of: "data", in: warnings),
        let old = try JSONText.member("legacy_global_id", of: data),
        let new = try JSONText.member("next_global_id", of: data), !old.isEmpty, !new.isEmpty,
        old != new
      {
        try normalizer.alias(&session, Array(old.utf8), to: Array(new.utf8))
      }
      warnings.leap()
    } while try warnings.nextElement()
  }

  // MARK: Deferred parts

  /// Reads the announcements of parts to come: `[{"id", "path", "label"}]`.
  private mutating func readPending(
    _ reader: JSONReader, _ member: Envelope.Member
  ) throws(ImageError) {
    var reader = reader
    if try reader.enterArray() {
      repeat {
        let id = try JSONText.member("id", of: reader) ?? ""
        if var path = try JSONText.value(of: "path", in: reader) {
          pending[id] = try JSONPath.read(&path)
        }
        try reader.skip()
      } while try reader.nextElement()
    }
    try reader.check(endOf: member)
  }

  /// Reads which parts are done; one that failed brings its errors.
  private func readCompleted(
    _ reader: JSONReader, _ member: Envelope.Member, _ session: inout CommitSession
  ) throws(ImageError) {
    var reader = reader
    if try reader.enterArray() {
      repeat {
        if var errors = try JSONText.value(of: "errors", in: reader) {
          var tree = ErrorTree()
          try tree.read(&errors)
          session.outcome.errors.append(contentsOf: tree.errors)
        }
        try reader.skip()
      } while try reader.nextElement()
    }
    try reader.check(endOf: member)
  }

  private mutating func writeItems(
    _ reader: JSONReader, _ member: Envelope.Member, to session: inout CommitSession,
    reusing changes: inout ChangeSet
  ) throws(ImageError) {
    var reader = reader
    if try reader.enterArray() {
      repeat {
        var item = reader
        let envelope = try Envelope(&item)
        reader.cursor = item.cursor
        try writeItem(envelope, item, to: &session, reusing: &changes)
      } while try reader.nextElement()
    }
    try reader.check(endOf: member)
  }

  /// Commits one deferred part at its place.
  private mutating func writeItem(
    _ envelope: Envelope, _ reader: JSONReader, to session: inout CommitSession,
    reusing changes: inout ChangeSet
  ) throws(ImageError) {
    if let items = envelope.items {
      throw reader.at(items).problem("parts of a streamed list are not supported")
    }
    var normalizer = try normalizer(envelope.errors, reader, &session, &changes)
    guard let member = envelope.data, reader.at(member).character != UInt8(ascii: "n") else {
      if let member = envelope.data {
        var data = reader.at(member)
        try data.skip()
      }
      return
    }
    let path = try path(of: envelope, reader)
    elements.settle()
    let place = try session.locate(path, binding: binding, elements: elements)
    var data = reader.at(member)
    try normalizer.part(&data, &session, place: place, path: path)
    try data.check(endOf: member)
    try apply(normalizer, to: &session)
    changes = normalizer.takeChanges()
  }

  /// The response path a part goes to: its own, or that of the announcement it names.
  private func path(
    of envelope: Envelope, _ reader: JSONReader
  ) throws(ImageError) -> [JSONPath] {
    var path: [JSONPath] = []
    if let id = envelope.id {
      var text = reader.at(id)
      let name = try JSONText.string(&text) ?? ""
      guard let announced = pending[name] else {
        throw reader.at(id).problem("the part \(name) was not announced")
      }
      path = announced
    } else if let member = envelope.path {
      var own = reader.at(member)
      path = try JSONPath.read(&own)
      try own.check(endOf: member)
    }
    if let member = envelope.subPath {
      var below = reader.at(member)
      path += try JSONPath.read(&below)
      try below.check(endOf: member)
    }
    return path
  }
}

/// One step of a response path.
enum JSONPath: Sendable, Equatable {
  case key([UInt8])
  case index(Int)

  /// Reads a path: a list of strings and integers.
  @_lifetime(reader: copy reader)
  static func read(_ reader: inout JSONReader) throws(ImageError) -> [JSONPath] {
    var path: [JSONPath] = []
    guard try reader.enterArray() else { return path }
    repeat {
      if reader.character == UInt8(ascii: "\"") {
        path.append(.key(JSONText.bytes(try reader.string(), in: reader.bytes)))
      } else {
        let token = try reader.scalar()
        guard let index = token.int(in: reader.bytes) else {
          throw reader.problem("a path is made of names and indexes")
        }
        path.append(.index(Int(index)))
      }
    } while try reader.nextElement()
    return path
  }

  var text: String {
    switch self {
    case .key(let bytes): String(decoding: bytes, as: UTF8.self)
    case .index(let index): String(index)
    }
  }
}
