/// What a read touched: an observer is told of commits that change any of it.
///
/// Used by the one thread that reads.
package final class ReadTrace {
  /// The records that were read or linked to.
  private(set) var records: Set<UInt32> = []
  /// Record number << 32 | field number.
  private var fields: Set<UInt64> = []
  /// Storage keys that the image had no name for, by the record they were looked for in.
  private var unknownKeys: [UInt32: Set<[UInt8]>] = [:]
  /// Records any change of which matters: those of unknown type, and those that are gone, which any
  /// field brings back.
  private var unsettled: Set<UInt32> = []
  /// Whether the read depended on more than records: on which ids are there, or on what is known of
  /// types. Any commit may matter then.
  private(set) var isOpen = false

  init() {}

  /// The read depends on the record's being there.
  func note(_ record: UInt32) {
    records.insert(record)
  }

  func note(_ record: UInt32, field: UInt32) {
    fields.insert(UInt64(record) << 32 | UInt64(field))
  }

  /// A field was looked for under a key that the image has no name for.
  func note(_ record: UInt32, key: [UInt8]) {
    unknownKeys[record, default: []].insert(key)
  }

  /// Any change of the record matters.
  func noteUnsettled(_ record: UInt32) {
    records.insert(record)
    unsettled.insert(record)
  }

  func noteOpen() {
    isOpen = true
  }

  /// Whether a change of a record concerns the read; `name` gives the text of a name number.
  func isTouched(
    by change: JournalEntry.Change, name: (UInt32) throws(ImageError) -> [UInt8]?
  ) throws(ImageError) -> Bool {
    guard records.contains(change.record) else { return false }
    switch change.what {
    case .cleared, .created, .deleted, .moved: return true
    // What was given up is missing and no less true.
    case .evicted: return false
    case .changed: break
    }
    if change.fields.isEmpty || unsettled.contains(change.record) { return true }
    let record = UInt64(change.record) << 32
    if change.fields.contains(where: { fields.contains(record | UInt64($0)) }) { return true }
    guard let keys = unknownKeys[change.record] else { return false }
    for field in change.fields {
      if let text = try name(field), keys.contains(text) { return true }
    }
    return false
  }
}
