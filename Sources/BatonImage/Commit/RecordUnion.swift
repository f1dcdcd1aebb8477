/// Making two records one (R5): what the one knew goes to the other where the other has nothing.
extension CommitSession {
  /// Moves a record with an id into another: its fields where the other has none, what was found
  /// below it, its aliases, natural keys and pin. Links to it lead to the other from then on.
  mutating func unite(_ source: UInt32, into target: UInt32) throws(ImageError) {
    guard let from = try draft(source), try row(target) != nil else { return }
    if !from.flags.contains(.deleted) {
      var union = RecordUnion(source, target)
      try union.arrange(in: &self)
      try union.carry(in: &self)
      for number in union.below { try remove(number) }
    }
    try unindex(source, key: from.key)
    try putAlias(from.key, target)
    if from.flags.contains(.hasAliases) {
      try moveAliases(of: source, to: target)
      try redirectMoved(from: source, to: target)
    }
    if from.flags.contains(.hasNaturalKeys) { try moveNaturalKeys(of: source, to: target) }
    if from.flags.contains(.spilled) { try dropSpilled(source) }
    guard var into = try draft(target) else { return }
    into.flags.formUnion(from.flags.intersection([.pinned, .hasNaturalKeys]))
    into.flags.insert(.hasAliases)
    into.commit = state.commit + 1
    try putRow(into.encoded(number: target), target)
    try putMoved(from, source, to: target)
    journal.note(source, .moved)
    journal.note(target, .changed)
  }

  /// Leaves a row that leads to the record another one became.
  private mutating func putMoved(
    _ from: RowDraft, _ source: UInt32, to target: UInt32
  ) throws(ImageError) {
    var stub = RowDraft(
      type: from.type, commit: state.commit + 1, flags: [.moved], key: from.key)
    var link: [UInt8] = []
    CellEncoder.append(link: target, to: &link)
    stub.cells = [(0, link)]
    try putRow(stub.encoded(number: source), source)
  }

  /// Leads the records that became the source to the target, so that no way is longer than a step.
  /// Linear in the records, as unions of unions are rare.
  private mutating func redirectMoved(
    from source: UInt32, to target: UInt32
  ) throws(ImageError) {
    var moved: [UInt32] = []
    try forEach(.records, from: UInt64(RowLayout.firstRecord)) { (key, value) throws(ImageError) in
      let number = UInt32(truncatingIfNeeded: key)
      if try RowView(value, number: number).target() == source { moved.append(number) }
      return true
    }
    for number in moved {
      guard let stub = try draft(number) else { continue }
      try putMoved(stub, number, to: target)
    }
  }

  /// Removes the row of a record that nothing links to any more.
  private mutating func remove(_ number: UInt32) throws(ImageError) {
    guard let draft = try draft(number) else { return }
    try unindex(number, key: draft.key, isPath: true)
    try dropSpilled(number)
    try delete(.records, UInt64(number))
    journal.note(number, .deleted, fields: draft.cells.map(\.field))
  }

  /// The record at a path; nil when there is none.
  borrowing func number(at path: PathKey) throws(ImageError) -> UInt32? {
    var key: [UInt8] = []
    path.append(to: &key)
    return try number(ofKey: key.span, isPath: true, hash: keyHash(key.span, isPath: true))
  }
}

/// Which records become which when two are made one: the two themselves, and what hung below the
/// one at the same places below the other.
private struct RecordUnion: ~Copyable {
  /// Each record with the one that takes it over; nil where the other has something else there.
  private var pairs: [(from: UInt32, to: UInt32?)]
  private var successors: [UInt32: UInt32] = [:]
  private var known: Set<UInt32>
  private var edit = GraphEdit()

  init(_ source: UInt32, _ target: UInt32) {
    pairs = [(source, target)]
    successors[source] = target
    known = [source]
  }

  /// The records below the source, none of which is needed afterwards.
  var below: [UInt32] { pairs.dropFirst().map(\.from) }

  /// Finds what hangs below the source, and gives each its place below the target.
  mutating func arrange(in session: inout CommitSession) throws(ImageError) {
    var next = 0
    while next < pairs.count {
      let (from, to) = pairs[next]
      next += 1
      for field in try session.fieldNumbers(of: from) {
        for (child, path) in try children(of: from, field, in: session)
        where known.insert(child).inserted {
          let successor = try successor(of: child, path, below: to, field, in: &session)
          pairs.append((child, successor))
          if let successor { successors[child] = successor }
        }
      }
    }
  }

  /// The records a field links to that were found at this place.
  private func children(
    of parent: UInt32, _ field: UInt32, in session: borrowing CommitSession
  ) throws(ImageError) -> [(UInt32, PathKey)] {
    var children: [(UInt32, PathKey)] = []
    for number in try session.links(of: parent, in: field) {
      guard let row = try session.row(number), row.flags.contains(.pathKey),
        let path = PathKey(row.key), path.parent == parent
      else { continue }
      children.append((number, path))
    }
    return children
  }

  private mutating func successor(
    of child: UInt32, _ path: PathKey, below parent: UInt32?, _ field: UInt32,
    in session: inout CommitSession
  ) throws(ImageError) -> UInt32? {
    guard let parent else { return nil }
    var place = path
    place.parent = parent
    if try session.cell(of: parent, field: field) == nil {
      let type = try session.row(child)?.type ?? 0
      return try edit.touch(path: place, type: type, in: &session).number
    }
    guard let twin = try session.number(at: place) else { return nil }
    return try session.links(of: parent, in: field).contains(twin) ? twin : nil
  }

  /// Writes the fields that the successors lack, their links led to the successors.
  mutating func carry(in session: inout CommitSession) throws(ImageError) {
    for (from, to) in pairs {
      guard let to else { continue }
      let index = try edit.touch(to, in: session)
      for field in try session.fieldNumbers(of: from) {
        guard try session.cell(of: to, field: field) == nil,
          let cell = try session.cell(of: from, field: field)
        else { continue }
        var bytes = cell.bytes.copy()
        for offset in try CellLinks.offsets(in: cell) {
          guard let successor = successors[cell.bytes.u32(at: offset)] else { continue }
          bytes.store(u32: successor, at: offset)
        }
        edit.set(field, cell: bytes.span, on: index)
      }
    }
    try session.apply(edit.changes)
  }
}

extension CommitSession {
  /// The records a field links to, in order.
  fileprivate borrowing func links(
    of number: UInt32, in field: UInt32
  ) throws(ImageError) -> [UInt32] {
    guard let cell = try cell(of: number, field: field) else { return [] }
    return try CellLinks.offsets(in: cell).map { cell.bytes.u32(at: $0) }
  }
}
