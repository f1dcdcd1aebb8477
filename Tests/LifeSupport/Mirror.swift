public import BatonImage

/// A copy of an image that is kept by what the journal says and by reading the fields it names, and
/// nothing else.
public struct Mirror: Equatable, Sendable {
  /// What is known of a record.
  public enum Record: Equatable, Sendable {
    /// The stored values by storage key.
    case fields([String: [UInt8]])
    case deleted
    case moved
  }

  /// The records by number.
  public private(set) var records: [UInt32: Record] = [:]
  /// The last commit that is in it.
  public private(set) var commit: UInt64 = 0

  /// A mirror of an empty image.
  public init() {}

  /// All that a snapshot holds.
  public init(reading snapshot: borrowing Snapshot) throws(ImageError) {
    commit = try snapshot.commit
    var numbers: [UInt32] = []
    try snapshot.forEach(.records, from: 1) { key, _ in
      numbers.append(UInt32(truncatingIfNeeded: key))
      return true
    }
    for number in numbers {
      guard let row = try snapshot.row(number), !row.flags.contains(.evicted) else { continue }
      if row.flags.contains(.deleted) {
        records[number] = .deleted
      } else if row.flags.contains(.moved) {
        records[number] = .moved
      } else {
        var fields: [String: [UInt8]] = [:]
        for field in try snapshot.fields(of: number) {
          fields[field.key] = try Self.value(of: number, field: field.number, in: snapshot)
        }
        // The roots are there before anything is known of them.
        if number >= RowLayout.firstRecord || !fields.isEmpty { records[number] = .fields(fields) }
      }
    }
  }

  /// Takes in a change, with a snapshot of the change's commit or a later one.
  public mutating func apply(
    _ change: Change, in snapshot: borrowing Snapshot
  ) throws(ImageError) {
    switch change.extent {
    case .unknown:
      self = try Mirror(reading: snapshot)
      commit = change.commit
      return
    case .cleared: records = [:]
    case .records: break
    }
    commit = change.commit
    for record in change.records { try apply(record, in: snapshot) }
  }

  private mutating func apply(
    _ change: RecordChange, in snapshot: borrowing Snapshot
  ) throws(ImageError) {
    var fields: [String: [UInt8]] = [:]
    if case .fields(let known)? = records[change.number] { fields = known }
    switch change.what {
    case .deleted: records[change.number] = .deleted
    case .moved: records[change.number] = .moved
    case .evicted:
      for field in change.fields { fields[field] = nil }
      records[change.number] = change.fields.isEmpty ? nil : .fields(fields)
    case .created, .changed:
      for field in change.fields {
        let number = try snapshot.number(ofName: field, .storageKey)
        fields[field] =
          if let number { try Self.value(of: change.number, field: number, in: snapshot) } else {
            nil
          }
      }
      records[change.number] = .fields(fields)
    }
    if change.number < RowLayout.firstRecord, records[change.number] == .fields([:]) {
      records[change.number] = nil
    }
  }

  private static func value(
    of number: UInt32, field: UInt32, in snapshot: borrowing Snapshot
  ) throws(ImageError) -> [UInt8]? {
    guard let cell = try snapshot.cell(of: number, field: field) else { return nil }
    let bytes = cell.bytes
    return bytes.indices.map { bytes[$0] }
  }
}
