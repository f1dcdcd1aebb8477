import BatonPlan

/// Natural keys that a record moved away from (R5): a subject that was renumbered or transferred is
/// not what its old key asks for.
///
/// A key is superseded when a field that bore the value of one of its last step's arguments changes,
/// or a link that led to the record the step hangs off. A service that answers an old name with the
/// renamed subject supersedes nothing, as no field changed away from the argument.
extension CommitSession {
  /// Looks at a record whose new row is about to be written; what its keys are to become.
  borrowing func supersession(
    of number: UInt32, old: borrowing RowView, new: borrowing RowView, changed: [UInt32]
  ) throws(ImageError) -> [Supersession] {
    var found: [Supersession] = []
    for kept in try naturalKeys(of: number) where kept.isLive {
      let text = String(decoding: kept.text, as: UTF8.self)
      guard let key = try? NaturalKey(parsing: text), let last = key.steps.last else { continue }
      let parent = NaturalKey(steps: key.steps.dropLast())
      var moved = last
      let hasNewArgument = try update(&moved, old, new, changed)
      let newParent = try newParent(parent, old, new, changed)
      guard hasNewArgument || newParent != nil else { continue }
      var successors: [NaturalKey] = []
      if let newParent {
        for parentKey in try naturalKeys(of: newParent) where parentKey.isLive {
          let text = String(decoding: parentKey.text, as: UTF8.self)
          if let key = try? NaturalKey(parsing: text) {
            successors.append(NaturalKey(steps: key.steps + [moved]))
          }
        }
      } else {
        successors = [NaturalKey(steps: parent.steps + [moved])]
      }
      found.append(
        Supersession(text: kept.text, successors: successors.map { Array($0.text.utf8) }))
    }
    return found
  }

  /// Puts the new values of fields into the arguments whose values they bore; whether there are any.
  private borrowing func update(
    _ step: inout NaturalKey.Step, _ old: borrowing RowView, _ new: borrowing RowView,
    _ changed: [UInt32]
  ) throws(ImageError) -> Bool {
    var isMoved = false
    for index in step.arguments.indices {
      let argument = step.arguments[index]
      guard let field = try number(ofName: argument.name, .storageKey), changed.contains(field),
        let oldIndex = old.index(of: field), let newIndex = new.index(of: field),
        try old.cell(at: oldIndex).argumentValue == argument.value,
        let value = try new.cell(at: newIndex).argumentValue
      else { continue }
      step.arguments[index].value = value
      isMoved = true
    }
    return isMoved
  }

  /// The record that a link leads to now which led to the parent; nil when none changed.
  private borrowing func newParent(
    _ parent: NaturalKey, _ old: borrowing RowView, _ new: borrowing RowView, _ changed: [UInt32]
  ) throws(ImageError) -> UInt32? {
    guard !parent.steps.isEmpty, let kept = try naturalKey(Array(parent.text.utf8)) else {
      return nil
    }
    let parentNumber = try resolved(kept.number)
    for field in changed {
      guard let oldIndex = old.index(of: field), let newIndex = new.index(of: field),
        let oldLink = try old.cell(at: oldIndex).link,
        let newLink = try new.cell(at: newIndex).link, try resolved(oldLink) == parentNumber
      else { continue }
      let target = try resolved(newLink)
      if target != parentNumber { return target }
    }
    return nil
  }

  /// Marks keys as superseded and keeps the keys that took their place.
  mutating func write(
    _ supersessions: [Supersession], of number: UInt32
  ) throws(ImageError) {
    for supersession in supersessions {
      try putKey(supersession.text, number: number, isLive: false)
      try keep(naturalKeys: supersession.successors.map { ($0, number) })
    }
  }
}

/// A natural key that is to be superseded, and the keys in its place.
struct Supersession {
  var text: [UInt8]
  var successors: [[UInt8]]
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
