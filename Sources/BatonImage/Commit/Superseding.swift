import BatonPlan

/// Natural keys that a record moved away from (R5): a subject that was renumbered or transferred is
/// not what its old key asks for.
///
/// A key is superseded when a field that bore the value of one of its last step's arguments changes,
/// or a link that led to the record the step hangs off, or when a key it goes through leads to another
/// record. A service that answers an old name with the renamed subject supersedes nothing, as no
/// field changed away from the argument.
extension CommitSession {
  /// Looks at a record that was just written and marks the keys it moved away from; those that take
  /// their place are kept once all records of the response are written.
  ///
  /// - Parameters:
  ///   - oldCells: The cells the record had before, of the fields that were written.
  ///   - changed: The fields whose cells are others now.
  mutating func supersedeKeys(
    of number: UInt32, _ oldCells: [UInt32: [UInt8]], changed: [UInt32]
  ) throws(ImageError) {
    let oldCells = oldCells.filter { changed.contains($0.key) }
    guard !oldCells.isEmpty else { return }
    for kept in try naturalKeys(of: number) where kept.isLive {
      let text = String(decoding: kept.text, as: UTF8.self)
      guard let key = try? NaturalKey(parsing: text), let last = key.steps.last else { continue }
      let parent = NaturalKey(steps: key.steps.dropLast())
      var moved = last
      let hasNewArgument = try update(&moved, of: number, oldCells)
      let newParent = try newParent(parent, of: number, oldCells)
      guard hasNewArgument || newParent != nil else { continue }
      try putKey(kept.text, number: number, isLive: false)
      successors.append(
        Successor(
          number: number, parent: parent, newParent: newParent, changed: changed, step: moved))
    }
  }

  /// Keeps the keys that took the place of superseded ones, the shorter first: a longer one may hang
  /// off it. Two subjects that change their keys with one another have both by then.
  mutating func keepSuccessors() throws(ImageError) {
    guard !successors.isEmpty else { return }
    let found = successors.sorted { $0.parent.steps.count < $1.parent.steps.count }
    successors = []
    for successor in found {
      let parents =
        if let newParent = successor.newParent {
          try liveKeys(of: newParent)
        } else {
          try self.parents(
            of: successor.number, insteadOf: successor.parent, successor.changed)
        }
      let keys = parents.map { NaturalKey(steps: $0.steps + [successor.step]) }
      try keep(naturalKeys: keys.map { (Array($0.text.utf8), successor.number) })
    }
  }

  /// Marks the keys that go through one of several names which lead to another record now: what they
  /// were asked for below the former one says nothing of this one. Linear in the keys, as names are
  /// seldom used again.
  ///
  /// - Parameter answered: The keys that the same answer leads to their records.
  mutating func supersedeKeys(
    below names: [[UInt8]], except answered: Set<[UInt8]>
  ) throws(ImageError) {
    let prefixes = names.map { $0 + [UInt8(ascii: "/")] }
    var stale: [KeptNaturalKey] = []
    try forEachNaturalKey { key in
      guard key.isLive, !answered.contains(key.text) else { return }
      if prefixes.contains(where: { key.text.starts(with: $0) }) { stale.append(key) }
    }
    for key in stale { try putKey(key.text, number: key.number, isLive: false) }
  }

  /// A key that takes the place of a superseded one.
  struct Successor {
    /// The record it leads to.
    var number: UInt32
    var parent: NaturalKey
    /// The record the last step hangs off now; nil when that is the same.
    var newParent: UInt32?
    /// The fields of the record that changed.
    var changed: [UInt32]
    var step: NaturalKey.Step
  }

  /// Puts the new values of fields into the arguments whose values they bore; whether there are any.
  private borrowing func update(
    _ step: inout NaturalKey.Step, of number: UInt32, _ oldCells: [UInt32: [UInt8]]
  ) throws(ImageError) -> Bool {
    var isMoved = false
    for index in step.arguments.indices {
      let argument = step.arguments[index]
      guard let field = try self.number(ofName: argument.name, .storageKey),
        let old = oldCells[field], try CellView(old.span).argumentValue == argument.value,
        let value = try cell(of: number, field: field)?.argumentValue
      else { continue }
      step.arguments[index].value = value
      isMoved = true
    }
    return isMoved
  }

  /// The record that a link leads to now which led to the parent; nil when none changed.
  private borrowing func newParent(
    _ parent: NaturalKey, of number: UInt32, _ oldCells: [UInt32: [UInt8]]
  ) throws(ImageError) -> UInt32? {
    guard !parent.steps.isEmpty, let kept = try naturalKey(Array(parent.text.utf8)) else {
      return nil
    }
    let parentNumber = try resolved(kept.number)
    for (field, old) in oldCells.sorted(by: { $0.key < $1.key }) {
      guard let oldLink = try CellView(old.span).link, try resolved(oldLink) == parentNumber,
        let newLink = try cell(of: number, field: field)?.link
      else { continue }
      let target = try resolved(newLink)
      if target != parentNumber { return target }
    }
    return nil
  }

  /// What a key of new arguments hangs off, when no link says that the record left its parent: a
  /// lookup may have told the number alone, and where the record is now comes with the answer that
  /// renumbers it.
  ///
  /// A record that came to link to another one of the parent's type, and doesn't link to the parent,
  /// is where that one is; where several do, nobody can tell, and there is no such key.
  private borrowing func parents(
    of number: UInt32, insteadOf parent: NaturalKey, _ changed: [UInt32]
  ) throws(ImageError) -> [NaturalKey] {
    guard !parent.steps.isEmpty, let kept = try naturalKey(Array(parent.text.utf8)) else {
      return [parent]
    }
    let parentNumber = try resolved(kept.number)
    guard let type = try row(parentNumber)?.type, type != 0 else { return [parent] }
    var others: Set<UInt32> = []
    for field in changed {
      guard let link = try cell(of: number, field: field)?.link else { continue }
      let target = try resolved(link)
      if target == parentNumber { return [parent] }
      // A record that this commit has yet to write has no row: it may be of the type.
      if let row = try row(target), row.type != type { continue }
      others.insert(target)
    }
    switch others.count {
    case 0: return [parent]
    case 1: return try liveKeys(of: others.first ?? parentNumber)
    default: return []
    }
  }

  /// The natural keys that lead to a record.
  private borrowing func liveKeys(of number: UInt32) throws(ImageError) -> [NaturalKey] {
    try naturalKeys(of: number).filter(\.isLive).compactMap {
      try? NaturalKey(parsing: String(decoding: $0.text, as: UTF8.self))
    }
  }
}

extension CellView {
  /// The value as an argument would hold it; nil for what is no scalar of an argument.
  var argumentValue: Value? {
    guard !isErrored else { return nil }
    switch kind {
    case .int: return int.map { .int($0) }
    case .string: return .string(payload.text())
    case .true: return .boolean(true)
    case .false: return .boolean(false)
    default: return nil
    }
  }
}
