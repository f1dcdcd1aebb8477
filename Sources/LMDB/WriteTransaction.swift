/// The one writer: what it writes is seen by itself, and by others from its commit on.
///
/// It ends once: by `commit()`, which consumes it, or by an abort when it goes out of scope, on the
/// thread that began it. Bytes it answered can't be held across a call that writes. After an error
/// in the middle the engine takes no more writes in it; let it go.
@safe
public struct WriteTransaction: ~Copyable {
  @usableFromInline let raw: RawTransaction
  @usableFromInline let core: EnvironmentCore
  private var hasEnded = false
  /// The place in the table that is used in order, if one is.
  private let near = NearCursor()
  /// Where its writes are taken down, if they are.
  private let record: WriteRecord?

  /// Whether something was written: without it a commit writes no page.
  public private(set) var hasWritten = false

  init(_ raw: RawTransaction, of core: EnvironmentCore, into record: WriteRecord? = nil) {
    self.raw = raw
    self.core = core
    self.record = record
    record?.begin(raw.id)
  }

  deinit {
    // In a forked child lock and file are the parent's.
    guard !hasEnded, !core.isForked else { return }
    core.abortWrite(raw)
  }

  /// The number the commit will have.
  public var id: Int { raw.id }

  // MARK: Reading

  /// The value at `key`, in place, or nil.
  @inlinable @_lifetime(borrow self)
  public func value(at key: UInt64, in table: Table) throws(LMDBError) -> Span<UInt8>? {
    try core.check(table)
    // SAFETY: the bytes are in the map or in a dirty page, which stay as they are until the next
    // write; the span borrows self, and each write needs it whole.
    guard let bytes = unsafe try raw.get(key, table: table.handle) else { return nil }
    return unsafe _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
  }

  /// Keeps the place of the last entry used in `table`, for `nearValue` and for puts.
  ///
  /// One table at a time: another's place is given up.
  public mutating func keepPlace(in table: Table) throws(LMDBError) {
    try core.check(table)
    if near.isIn(table.handle) { return }
    try near.open(in: raw, table: table.handle)
  }

  /// The value at `key` of the table whose place is kept, in place, or nil.
  ///
  /// Near the entry used last it costs a search in one page. `table` has to be that of `keepPlace`.
  @_lifetime(borrow self)
  public func nearValue(at key: UInt64, in table: Table) throws(LMDBError) -> Span<UInt8>? {
    try core.check(table)
    guard near.isIn(table.handle) else { return try value(at: key, in: table) }
    // SAFETY: as for `value`.
    guard let bytes = unsafe try near.get(key) else { return nil }
    return unsafe _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
  }

  /// The entry with the lowest key at `key` or above, in place, or nil.
  @_lifetime(borrow self)
  public func entry(atLeast key: UInt64, in table: Table) throws(LMDBError) -> Cursor.Entry? {
    var cursor = try cursor(in: table)
    return try cursor.seek(atLeast: key)
  }

  /// A cursor over `table`, before its first entry.
  @_lifetime(borrow self)
  public func cursor(in table: Table) throws(LMDBError) -> Cursor {
    try core.check(table)
    // SAFETY: the cursor borrows self, and closes before a write or the end.
    return unsafe _overrideLifetime(
      Cursor(try raw.openCursor(table: table.handle), of: core), borrowing: self)
  }

  /// The size and shape of `table`.
  public func statistics(of table: Table) throws(LMDBError) -> Table.Statistics {
    try core.check(table)
    return Table.Statistics(try raw.statistics(of: table.handle))
  }

  // MARK: Writing

  /// Sets the value at `key`.
  ///
  /// `appending` is faster where the key is above all others, and throws `keyExists` where it isn't.
  public mutating func put(
    _ value: Span<UInt8>, at key: UInt64, in table: Table, appending: Bool = false
  ) throws(LMDBError) {
    try core.check(table)
    hasWritten = true
    let flags = appending ? RawTransaction.append : 0
    if near.isIn(table.handle) {
      try near.put(value, at: key, flags: flags)
    } else {
      try raw.put(value, at: key, table: table.handle, flags: flags)
    }
    record?.note(.put, table: table.handle, key: key, value: value)
  }

  /// Makes room for a value of `count` bytes at `key`, all zero, to be written in place.
  @_lifetime(&self)
  public mutating func reserve(
    count: Int, at key: UInt64, in table: Table, appending: Bool = false
  ) throws(LMDBError) -> MutableSpan<UInt8> {
    precondition(count >= 0, "a value has no negative size")
    try core.check(table)
    hasWritten = true
    record?.leave()
    // SAFETY: the room is in a dirty page, which stays as it is until the next write; the span holds
    // self exclusively. Zeroed, so that no byte of the heap reaches the file.
    let room = unsafe try raw.reserve(
      count: count, at: key, table: table.handle, flags: appending ? RawTransaction.append : 0)
    unsafe room.initialize(repeating: 0)
    let span = unsafe MutableSpan(_unsafeElements: room)
    return unsafe _overrideLifetime(span, mutating: &self)
  }

  /// Removes the entry at `key`; whether there was one.
  @discardableResult
  public mutating func delete(at key: UInt64, in table: Table) throws(LMDBError) -> Bool {
    try core.check(table)
    if near.isIn(table.handle) { near.close() }
    let found = try raw.delete(key, table: table.handle)
    if found {
      hasWritten = true
      record?.note(.delete, table: table.handle, key: key)
    }
    return found
  }

  /// Removes all entries of `table`, which stays.
  public mutating func clear(_ table: Table) throws(LMDBError) {
    try core.check(table)
    hasWritten = true
    if near.isIn(table.handle) { near.close() }
    try raw.clear(table: table.handle)
    record?.note(.clear, table: table.handle, key: 0)
  }

  // MARK: Its end

  /// Makes what was written the newest commit; where it throws, nothing of it was.
  ///
  /// `work` runs right behind it, before another writer of any process can begin.
  @available(*, noasync, message: "a write transaction belongs to a thread")
  public consuming func commit(then work: () -> Void = {}) throws(LMDBError) {
    let core = core
    try finish { (raw) throws(LMDBError) in
      do throws(LMDBError) {
        try raw.commit()
      } catch {
        throw core.explain(error)
      }
      work()
    }
  }

  /// Ends with `work`, which commits or aborts, whatever it throws.
  consuming func finish<Result>(
    _ work: (RawTransaction) throws(LMDBError) -> Result
  ) throws(LMDBError) -> Result {
    if core.isForked { throw LMDBError(.forked, in: .commit) }
    hasEnded = true
    // The engine frees the cursors of a transaction with it.
    near.forget()
    let (core, raw) = (core, raw)
    return try core.endWrite { () throws(LMDBError) in try work(raw) }
  }
}
