import BatonImage

/// What a commit did to one record of the reference store, as the journal tells it.
struct RecordChange: Equatable {
  var what: BatonImage.RecordChange.What
  var fields: Set<String>

  /// What differs between two states of the store.
  static func changes(
    from before: [String: ReferenceStore.Record], to after: [String: ReferenceStore.Record]
  ) -> [String: RecordChange] {
    var changes: [String: RecordChange] = [:]
    for (key, record) in after {
      guard let old = before[key] else {
        changes[key] = RecordChange(what: .created, fields: Set(record.cells.keys))
        continue
      }
      let fields = Set(record.cells.filter { old.cells[$0.key] != $0.value }.keys)
      if !fields.isEmpty || old.type != record.type {
        changes[key] = RecordChange(what: .changed, fields: fields)
      }
    }
    return changes
  }

  /// The change as lines, one a field.
  func lines(of key: String) -> [String] {
    fields.isEmpty ? ["\(what) \(key)"] : fields.map { "\(what) \(key) / \($0)" }
  }
}
