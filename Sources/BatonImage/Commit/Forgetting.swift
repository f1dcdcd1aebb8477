import BatonPlan
internal import LMDB

extension Image {
  /// Deletes a record: its fields go, links to it lead to nothing, its natural keys still lead to
  /// its id.
  ///
  /// - Parameter id: The record's key or an alias; under the identity scope `type`, `Type:id`.
  /// - Returns: The number of the commit; nil when there is no such record.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  @discardableResult
  public func forget(id: String) throws(ImageError) -> UInt64? {
    try forget { (session) throws(ImageError) in
      guard let known = try session.number(ofId: Array(id.utf8)) else { return }
      try session.deleteRecord(try session.resolved(known))
    }
  }

  /// Forgets a natural key: from then on its subject is unknown until it is discovered again.
  ///
  /// - Parameter naturalKey: The key, its arguments in any order.
  /// - Returns: The number of the commit; nil when there is no such key.
  /// - Throws: `usage`, with the byte offset, when the text is no natural key.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  @discardableResult
  public func forget(naturalKey text: String) throws(ImageError) -> UInt64? {
    let key: NaturalKey
    do { key = try NaturalKey(parsing: text) } catch { throw .usage("\(text): \(error)") }
    return try forget { (session) throws(ImageError) in
      try session.forget(naturalKey: Array(key.text.utf8))
    }
  }

  /// Commits what `body` wrote; nil when it wrote nothing.
  private func forget(
    _ body: (inout CommitSession) throws(ImageError) -> Void
  ) throws(ImageError) -> UInt64? {
    let outcome = try transact { (_, session, _) throws(ImageError) in
      try body(&session)
      return ""
    }
    return outcome.pagesWritten > 0 ? outcome.commit : nil
  }
}

extension CommitSession {
  /// Drops the entry of a natural key, and the record's word of it.
  fileprivate mutating func forget(naturalKey text: [UInt8]) throws(ImageError) {
    guard let known = try naturalKey(text) else { return }
    let hash = hash(text.span)
    let value = try Entries.replacing(in: try value(.keys, hash), with: nil) { old in
      KeptNaturalKey(old)?.text == text
    }
    try put(value, orDelete: .keys, hash)
    try removeHash(hash, of: known.number)
    journal.note(known.number, .changed)
    guard try self.value(.keysof, UInt64(known.number)) == nil else { return }
    guard var draft = try draft(known.number) else { return }
    draft.flags.remove(.hasNaturalKeys)
    draft.commit = state.commit + 1
    try putRow(draft.encoded(number: known.number), known.number)
  }
}
