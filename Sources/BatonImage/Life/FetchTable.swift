/// Fetch times of list lookups that can be handed from the launch to the transaction that writes
/// them: by number those of records, by text those of ids that have none.
@safe
final class FetchTable: @unchecked Sendable {
  // SAFETY (Sendable): it is changed under the lock of the launch that has it, until it is taken to
  // be written, and only read from then on.
  var texts = FetchTexts()
  var records = RecordFetches()

  var count: Int { texts.count + records.count }
  var isEmpty: Bool { texts.isEmpty && records.isEmpty }

  /// Takes over the times that are not here.
  func addMissing(from other: FetchTable) {
    texts.addMissing(from: other.texts)
    records.addMissing(from: other.records)
  }
}
