internal import CLMDB

extension Environment {
  /// An environment over a file that nobody else has open or knows of: without locks, in no registry.
  ///
  /// Without a table of readers a pin or a reader keeps no pages. Where there aren't addresses for the
  /// map that is asked for, it gets less.
  static func unlocked(
    _ path: String, _ identity: FileIdentity, _ options: Options
  ) throws(LMDBError) -> Environment {
    var options = Options(
      mapSize: EnvironmentCore.rounded(options.mapSize), maximumTables: options.maximumTables,
      createsFile: false, synchronization: .none)
    while true {
      do throws(LMDBError) {
        let core = EnvironmentCore(
          try RawEnvironment(unlocked: path, options), identity: identity, path: path,
          options: options)
        return Environment(OpenFile(core), isReadOnly: false)
      } catch {
        guard error.code == .outOfMemory, options.mapSize > 1 << 20 else { throw error }
        options.mapSize = EnvironmentCore.rounded(options.mapSize / 2)
      }
    }
  }
}

extension ClosedFile {
  /// Runs `body` with the file at `path`, which has to be this one, open to be written to: flushed when
  /// it returns, and as it was where it throws before it commits.
  ///
  /// Only while no other process has it open: `busy` is thrown otherwise. One transaction alone leaves
  /// the state before it whole.
  package func edit(
    at path: String, _ options: Environment.Options,
    _ body: (Environment) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    guard try isAlone() else { throw LMDBError(.busy, in: .open) }
    let environment = try Environment.unlocked(path, identity(), options)
    do throws(LMDBError) {
      guard try environment.information().identity == identity() else {
        throw LMDBError(.fileRemoved, in: .open)
      }
      try body(environment)
      try environment.synchronize()
    } catch {
      try? environment.close()
      throw error
    }
    try environment.close()
  }
}

extension RawEnvironment {
  fileprivate init(
    unlocked path: String, _ options: Environment.Options
  ) throws(LMDBError) {
    try self.init()
    do throws(LMDBError) {
      try configure(tables: options.maximumTables, readers: 1, mapSize: options.mapSize)
      try open(path: path, flags: options.flags | MDB_NOLOCK)
    } catch {
      close()
      throw error
    }
  }
}
