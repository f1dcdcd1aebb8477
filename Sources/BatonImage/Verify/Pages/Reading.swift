extension PageFile {
  /// Runs `body` on a snapshot of the newest state, again on a newer one when a writer moved on so
  /// far meanwhile that pages of the first may have been used again.
  ///
  /// The engine uses a page again no sooner than two commits after the one that freed it, so what
  /// was read of a state holds if the newest state is at most one later when the reading ends.
  /// Whatever `body` found or threw from older pages is dropped; it must have no effect that a
  /// second run would repeat. Throws what `body` throws, `busy` when each attempt was overtaken.
  package func reading<Result>(
    attempts: Int = 8, _ body: (inout PageSnapshot) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    for attempt in 0..<max(1, attempts) {
      let isNewer = try newestTransaction() != newest.transaction
      if attempt > 0 || isNewer { try refresh() }
      let transaction = newest.transaction
      let failure: ImageError
      do throws(ImageError) {
        var snapshot = try PageSnapshot(self)
        let result = try body(&snapshot)
        if try isStanding(transaction) { return result }
        continue
      } catch {
        failure = error
      }
      if try isStanding(transaction) { throw failure }
    }
    throw .busy("the image was written to faster than it could be read")
  }

  /// Whether pages of the state of `transaction` can't have been written to yet.
  func isStanding(_ transaction: UInt64) throws(ImageError) -> Bool {
    let now = try newestTransaction()
    return now >= transaction && now - transaction <= 1
  }
}
