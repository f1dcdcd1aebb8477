internal import LMDB

extension Image {
  /// Removes everything the image holds: records, pinned ones too, names, natural keys, aliases,
  /// fetch times and the journal, whose only entry says so. The file stays open and keeps its size
  /// and its identity.
  ///
  /// It is one transaction: a reader sees all of it or nothing. Observers are told that their records
  /// are missing. Removed bytes may be in the file still until their pages are used again; to be rid
  /// of them, close the image and remove the file.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  @discardableResult
  public func removeAll() throws(ImageError) -> CommitOutcome {
    let outcome = try transactAlone { (state, session, _) throws(ImageError) in
      life.launch.forgetAll()
      state.forgetNumbers()
      try session.removeAll()
      return ""
    }
    settle()
    return outcome
  }
}

extension CommitSession {
  fileprivate mutating func removeAll() throws(ImageError) {
    for table in ImageTable.allCases where table != .meta { try clear(table) }
    do throws(LMDBError) {
      try ImageMaking.writeRoots(&transaction, tables)
    } catch {
      throw ImageError(error)
    }
    state.oldestJournal = 0
    journal.note(RowLayout.queryRoot, .cleared)
  }
}
