import BatonPlan

/// Natural keys to records, from any source.
extension RecordSource where Self: ~Copyable {
  /// The record that a natural key leads to; nil when the key is unknown or superseded.
  ///
  /// The arguments may stand in any order. Throws `usage` when the text is no natural key.
  package borrowing func number(ofNaturalKey text: String) throws(ImageError) -> UInt32? {
    let key: NaturalKey
    do { key = try NaturalKey(parsing: text) } catch {
      throw .usage("\(text): \(error)")
    }
    guard let kept = try naturalKey(Array(key.text.utf8)), kept.isLive else { return nil }
    return try resolved(kept.number)
  }
}

extension Snapshot {
  /// The id of the record that a natural key leads to; nil when the key is unknown or superseded.
  ///
  /// Under the identity scope `type` it is the record's key, `Type:id`. The arguments may stand in
  /// any order. Throws `usage`, with the byte offset, when the text is no natural key.
  public borrowing func id(of naturalKey: String) throws(ImageError) -> String? {
    guard let number = try number(ofNaturalKey: naturalKey) else { return nil }
    return try keyText(of: number)
  }
}
