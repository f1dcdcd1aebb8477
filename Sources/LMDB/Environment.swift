internal import Synchronization

/// An open file of tables.
///
/// Each `open` answers a handle of its own; handles over the same file share one environment of the
/// engine, whatever paths they were opened by. It may be used from all threads. Transactions keep
/// what they read alive by themselves: they may outlive the handle.
public final class Environment: Sendable {
  let core: EnvironmentCore
  private let file: OpenFile
  private let isReadOnly: Bool
  private let isClosed = Atomic<Bool>(false)

  init(_ file: OpenFile, isReadOnly: Bool) {
    core = file.core
    self.file = file
    self.isReadOnly = isReadOnly
  }

  deinit {
    guard !core.isForked, !isClosed.load(ordering: .acquiring) else { return }
    Registry.shared.locked { file.handles -= 1 }
  }

  /// Closes this handle; later calls through it throw `closed`.
  ///
  /// The last handle closes the file: it waits for the transactions of this process, at most
  /// `limit` (the options' where it is nil), then throws `transactionsRunning`. Called again it
  /// waits again; otherwise the file closes with the last transaction, once the handle is released.
  public func close(waitingAtMost limit: Duration? = nil) throws(LMDBError) {
    if core.isForked { throw LMDBError(.forked, in: .close) }
    let isLast = Registry.shared.locked {
      if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { file.handles -= 1 }
      return file.handles == 0 && core.startClosing()
    }
    if isLast { try core.finishClosing(waitingAtMost: limit) }
  }

  private func check(_ operation: LMDBError.Operation) throws(LMDBError) {
    if core.isForked { throw LMDBError(.forked, in: operation) }
    if isClosed.load(ordering: .acquiring) { throw LMDBError(.closed, in: operation) }
  }

  private func checkWriting(_ operation: LMDBError.Operation) throws(LMDBError) {
    try check(operation)
    if isReadOnly { throw LMDBError(.readOnly, in: operation) }
  }

  // MARK: Transactions

  /// Begins a reader of the newest commit.
  ///
  /// It blocks nobody but growing, and holds the pages of its commit: end it soon.
  public func read() throws(LMDBError) -> ReadTransaction {
    try check(.beginRead)
    return try core.beginRead()
  }

  /// Begins the one writer, on this thread, where it must end.
  ///
  /// A writer is waited for at most `limit`, without one as long as it takes; then
  /// `transactionsRunning` is thrown, or `busy` when it is one of another process. A thread that
  /// holds a writer is refused with `wouldDeadlock`. Where the file was removed or replaced,
  /// `fileRemoved` is thrown; where it was moved, from 50 ms later on.
  ///
  /// `record` takes down what it writes, unless the file system has no lock by which the writers of
  /// several processes take turns.
  @available(*, noasync, message: "a write transaction belongs to a thread")
  public func write(
    waitingAtMost limit: Duration? = nil, into record: WriteRecord? = nil
  ) throws(LMDBError) -> WriteTransaction {
    try checkWriting(.beginWrite)
    return try core.beginWrite(waitingAtMost: limit, into: record)
  }

  /// Holds the newest commit's pages, so that they aren't reused, until the pin ends.
  public func pin() throws(LMDBError) -> Pin {
    try check(.beginRead)
    return try core.pin()
  }

  // MARK: Tables

  /// The tables of these names, in this order.
  ///
  /// Tables that are there are opened by reading. Where one is missing, `creating` makes it in a
  /// transaction of its own, committed when this returns; without it, `notFound` is thrown. A table
  /// of another kind than ours is `incompatible`.
  public func openTables(_ names: [String], creating: Bool) throws(LMDBError) -> [Table] {
    if creating { try checkWriting(.openTable) } else { try check(.openTable) }
    return try core.openTables(names, creating: creating)
  }

  // MARK: Upkeep

  /// Flushes what was committed to the medium, whatever the options say.
  public func synchronize() throws(LMDBError) {
    try checkWriting(.synchronize)
    try core.running(.synchronize) { () throws(LMDBError) in
      try core.environment.synchronize()
      _ = Descriptor.flushMedium(core.environment.descriptor)
    }
  }

  /// Frees the slots of readers whose process died; how many there were.
  ///
  /// A full table of readers does this by itself. A dead reader holds its commit's pages until then.
  @discardableResult
  public func clearDeadReaders() throws(LMDBError) -> Int {
    try check(.checkReaders)
    return try core.running(.checkReaders) { () throws(LMDBError) in
      try core.environment.clearDeadReaders()
    }
  }

  /// Gives the map `size` bytes, or, where it is nil, twice what it has; never less than it has.
  ///
  /// For use after `mapFull`: end the transaction, grow, do the work again. New transactions wait,
  /// running ones are waited for at most `limit` (the options' where it is nil), then
  /// `transactionsRunning` is thrown. At its maximum it throws `mapAtMaximum`.
  public func grow(to size: Int? = nil, waitingAtMost limit: Duration? = nil) throws(LMDBError) {
    try check(.grow)
    try core.grow(to: size, waitingAtMost: limit)
  }

  /// Writes a copy of the newest commit into a new file, the owner's alone, and flushes it.
  ///
  /// Something at `path` is refused, with `other(EEXIST)`. A failure leaves nothing behind.
  /// `compacting` leaves free pages out, and numbers the others anew.
  public func copy(toPath path: String, compacting: Bool = false) throws(LMDBError) {
    try check(.copyEnvironment)
    try core.copy(toPath: path, compacting: compacting)
  }

  // MARK: What it is

  /// Sizes and numbers of the file and the map.
  public func statistics() throws(LMDBError) -> Statistics {
    try check(.environmentInformation)
    return try core.running(.environmentInformation) { Statistics(core.environment) }
  }

  /// Up to `count` bytes of the file from `offset`, through the engine's own descriptor.
  ///
  /// Opening the file another way, and closing that, may cost the process its locks.
  public func readFile(at offset: Int, count: Int) throws(LMDBError) -> [UInt8] {
    try check(.readFile)
    return try core.running(.readFile) { () throws(LMDBError) in
      try Descriptor.read(core.environment.descriptor, at: offset, count: count)
    }
  }

  /// The file's size in bytes.
  public func fileSize() throws(LMDBError) -> Int {
    try check(.examineFile)
    return try core.running(.examineFile) { () throws(LMDBError) in
      try Descriptor.size(core.environment.descriptor)
    }
  }

  /// The file's size and times.
  package func stamp() throws(LMDBError) -> FileStamp { try information().stamp }

  /// What the system says of the file.
  func information() throws(LMDBError) -> FileInformation {
    try check(.examineFile)
    return try core.running(.examineFile) { () throws(LMDBError) in
      try FileInformation(descriptor: core.environment.descriptor)
    }
  }

  /// Whether this process is a child of the one that opened the file.
  package var isForked: Bool { core.isForked }

  /// The path it was opened by, from the root.
  package var path: String { core.path }

  /// Whether both are handles of the same open file.
  public func sharesFile(with other: Environment) -> Bool { core === other.core }
}
