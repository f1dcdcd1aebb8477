internal import LMDB

extension Image {
  /// Keeps a record from being evicted, until it is unpinned or deleted for good.
  ///
  /// - Parameter id: the record's id, an alias, or its key.
  /// - Throws: `notFound` when the image has no such record.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  public func pin(_ id: String) throws(ImageError) {
    try edit { (session) throws(ImageError) in
      try session.flag(try session.pinnable(id), .pinned)
    }
  }

  /// Lets a record be evicted again.
  ///
  /// Throws `notFound` when the image has no such record.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  public func unpin(_ id: String) throws(ImageError) {
    try edit { (session) throws(ImageError) in
      try session.unflag(try session.pinnable(id), .pinned)
    }
  }
}

extension CommitSession {
  fileprivate borrowing func pinnable(_ id: String) throws(ImageError) -> UInt32 {
    guard let number = try number(ofRecord: id), number >= RowLayout.firstRecord,
      try row(number) != nil
    else { throw .notFound("there is no record \(id)") }
    return number
  }

  /// Takes a flag from a record's row.
  mutating func unflag(_ number: UInt32, _ flag: RowFlags) throws(ImageError) {
    guard var draft = try draft(number), draft.flags.contains(flag) else { return }
    draft.flags.remove(flag)
    draft.commit = state.commit + 1
    try putRow(draft.encoded(number: number), number)
  }
}
