/// Writes that no response brings.
extension Image {
  /// Runs a write that is committed, counted and told as a response is.
  @discardableResult
  func edit(
    _ body: (inout CommitSession) throws(ImageError) -> Void
  ) throws(ImageError) -> CommitOutcome {
    try transact { (_, session, _) throws(ImageError) in
      try body(&session)
      return ""
    }
  }

  /// Writes what is no change of a record: no commit is counted and nobody is told.
  func quietly(
    _ body: (inout CommitSession) throws(ImageError) -> Void
  ) throws(ImageError) {
    try writer.use { (_) throws(ImageError) in
      var session = try session()
      try body(&session)
      try session.finishQuietly()
    }
  }
}
