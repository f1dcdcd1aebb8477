public import BatonPlan
internal import LMDB

/// When operations were fetched last, and forgetting that they were.
extension Image {
  /// How long ago an operation was fetched with these variables; nil when it never was, or was
  /// invalidated since.
  ///
  /// Throws `usage` when the variables don't fit the operation.
  public func age(
    of operation: Plan, variables: Variables = [:]
  ) throws(ImageError) -> Duration? {
    guard let time = try fetchTime(of: operation, variables: variables) else { return nil }
    return .milliseconds(max(0, WallClock.now - time))
  }

  /// When an operation was fetched last with these variables, in milliseconds since 1970.
  ///
  /// A fetch that changed nothing counts as well.
  public func fetchTime(
    of operation: Plan, variables: Variables = [:]
  ) throws(ImageError) -> Int64? {
    try snapshot().fetchTime(of: operation, try resolved(operation, variables), identity)
  }

  /// Forgets when an operation was fetched with these variables: what it brought stays, and counts as
  /// never fetched.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  public func invalidate(
    _ operation: Plan, variables: Variables = [:]
  ) throws(ImageError) {
    let variables = try resolved(operation, variables)
    let lookup = ListLookup.only(in: operation, identity)
    try quietly { (session) throws(ImageError) in
      if let lookup {
        try forgetFetches(of: operation, lookup, variables, in: &session)
      } else {
        try forgetFetch(of: OperationText(name: operation.name, variables: variables), in: &session)
      }
    }
  }

  /// Forgets when a list lookup was fetched with its ids, in memory and in the image.
  private func forgetFetches(
    of operation: Plan, _ lookup: ListLookup, _ variables: Variables,
    in session: inout CommitSession
  ) throws(ImageError) {
    let texts = ListFetchTexts(operation, lookup, variables)
    var records: [UInt32] = []
    for id in lookup.ids(in: variables) {
      if let record = try session.record(of: id, lookup, identity) { records.append(record) }
      try forgetFetch(of: texts.text(of: id), in: &session)
    }
    life.launch.forgetFetches(of: texts.operation, records)
    if let number = try session.number(of: texts.operation) {
      try session.forgetFetches(of: number, records)
    }
  }

  private func forgetFetch(
    of text: OperationText, in session: inout CommitSession
  ) throws(ImageError) {
    life.launch.forgetFetch(of: text)
    try session.forgetFetch(of: text)
  }

  /// Forgets when everything was fetched.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  public func invalidateAll() throws(ImageError) {
    try quietly { (session) throws(ImageError) in
      life.launch.forgetFetches()
      for table in [ImageTable.operations, .fetches] where try session.count(of: table) > 0 {
        try session.clear(table)
      }
    }
  }

  private func resolved(
    _ operation: Plan, _ given: Variables
  ) throws(ImageError) -> Variables {
    do { return try operation.resolvedVariables(given) } catch { throw .usage("\(error)") }
  }
}

extension CommitSession {
  fileprivate mutating func forgetFetch(of text: OperationText) throws(ImageError) {
    guard try fetch(ofText: text) != nil else { return }
    let hash = hash(text.bytes.span)
    let value = try Entries.replacing(in: try value(.operations, hash), with: nil) { old in
      old.count >= Fetch.textStart
        && old.extracting(droppingFirst: Fetch.textStart).isEqual(to: text.bytes.span)
    }
    try put(value, orDelete: .operations, hash)
  }

  /// Removes every entry of a table.
  mutating func clear(_ table: ImageTable) throws(ImageError) {
    do throws(LMDBError) { try transaction.clear(tables[table]) } catch {
      throw ImageError(error)
    }
  }
}
