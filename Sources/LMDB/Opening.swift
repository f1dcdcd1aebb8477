internal import CLMDB
internal import Synchronization

extension Environment {
  /// Opens the file at `path`, made where it isn't there and the options say so.
  ///
  /// The file is `path` itself, its locks are in `path` with `-lock` behind it; both are made for
  /// the owner alone. A symbolic link in the last place and what isn't a regular file are refused,
  /// folders on the way may be links. A file this process has open already is shared, by whatever
  /// path, if its options serve these, else `incompatibleOptions` is thrown.
  ///
  /// `examine` sees a file that was there before the engine does, unless it is open in this process;
  /// where it answers false, `refused` is thrown and neither the file nor its folder was touched.
  /// Nothing else opens or closes in this process meanwhile, and forks wait.
  ///
  /// `making` fills a file that is made, before it has its name: who finds it finds what `making`
  /// wrote, flushed. Where it throws, nothing was made.
  ///
  /// A name that another process gives or takes at this moment, and locks in the making, are tried
  /// again for a short time.
  public static func open(
    path: String, options: Options = Options(),
    examine: (borrowing ClosedFile) throws(LMDBError) -> Bool = { _ in true },
    making: (Environment) throws(LMDBError) -> Void = { _ in }
  ) throws(LMDBError) -> Environment {
    let path = Platform.absolute(path)
    let deadline = ContinuousClock.now + options.waitLimit
    while true {
      let opened = try Registry.shared.locked { () throws(LMDBError) in
        try Opening(path: path, options: options).open(examine, making)
      }
      if let opened { return opened }
      if ContinuousClock.now >= deadline { throw LMDBError(.transactionsRunning, in: .open) }
      Platform.pause(microseconds: 500)
    }
  }
}

/// One attempt to open a file, with the registry's lock held.
struct Opening {
  let path: String
  let options: Environment.Options

  private var lockPath: String { path + "-lock" }

  /// How often a failure that another process's opening or closing explains is tried again.
  private static let attempts = 8

  /// A handle, or nil while the process is still closing the file.
  func open(
    _ examine: (borrowing ClosedFile) throws(LMDBError) -> Bool,
    _ making: (Environment) throws(LMDBError) -> Void
  ) throws(LMDBError) -> Environment? {
    for attempt in 1...Self.attempts {
      do throws(LMDBError) {
        return try openOnce(examine, making)
      } catch {
        let passes = [.busy, .invalidArgument, .fileRemoved].contains(error.code)
        guard passes, attempt < Self.attempts else { throw error }
      }
      Platform.pause(microseconds: UInt32.random(in: 200...2_000) << UInt32(attempt / 2))
    }
    return nil
  }

  private func openOnce(
    _ examine: (borrowing ClosedFile) throws(LMDBError) -> Bool,
    _ making: (Environment) throws(LMDBError) -> Void
  ) throws(LMDBError) -> Environment? {
    if let found = try FileInformation(path: path) {
      switch Registry.shared.find(found.identity) {
      case .closing: return nil
      case .open(let file): return try share(file)
      case .unknown: try look(at: found, examine)
      }
      return try map(found)
    }
    guard options.createsFile, !options.isReadOnly else {
      throw LMDBError(.noSuchFile, in: .open)
    }
    try FileCreation(path: path, tables: options.maximumTables).create(making)
    guard let made = try FileInformation(path: path) else {
      throw LMDBError(.fileRemoved, in: .open)
    }
    return try map(made)
  }

  private func share(_ file: OpenFile) throws(LMDBError) -> Environment {
    guard file.core.options.serve(options) else {
      throw LMDBError(.incompatibleOptions, in: .open)
    }
    file.handles += 1
    return Environment(file, isReadOnly: options.isReadOnly)
  }

  private func look(
    at found: FileInformation, _ examine: (borrowing ClosedFile) throws(LMDBError) -> Bool
  ) throws(LMDBError) {
    _ = try FileInformation(path: lockPath)
    let file = try ClosedFile(path: path, isReadOnly: options.isReadOnly)
    guard try file.identity() == found.identity else { throw LMDBError(.fileRemoved, in: .open) }
    guard try examine(file) else { throw LMDBError(.refused, in: .open) }
    // Behind the examination, which may have repaired it.
    guard try file.hasHeader() else { throw LMDBError(.invalidFile, in: .open) }
  }

  /// Opens the engine's environment over the file at the path.
  private func map(_ before: FileInformation) throws(LMDBError) -> Environment {
    let lock = try FileInformation(path: lockPath)
    let environment = try mapShrinking(before.size)
    do throws(LMDBError) {
      // What the engine opened must be what was looked at.
      let identity = try FileInformation(descriptor: environment.descriptor).identity
      guard identity == before.identity else { throw LMDBError(.fileRemoved, in: .open) }
      if lock == nil { Platform.setMode(lockPath, 0o600) }
      if !options.isReadOnly { _ = try environment.clearDeadReaders() }
      let file = OpenFile(
        EnvironmentCore(environment, identity: identity, path: path, options: options))
      Registry.shared.add(file)
      return Environment(file, isReadOnly: options.isReadOnly)
    } catch {
      environment.close()
      throw error
    }
  }

  /// Opens with the map asked for, or, where there aren't addresses for it, with less.
  private func mapShrinking(_ fileSize: Int) throws(LMDBError) -> RawEnvironment {
    let least = EnvironmentCore.rounded(max(fileSize * 2, 1 << 20))
    var size = EnvironmentCore.rounded(options.mapSize)
    while true {
      do throws(LMDBError) {
        return try mapOnce(size)
      } catch {
        guard error.code == .outOfMemory, size > least else { throw error }
        size = max(least, EnvironmentCore.rounded(size / 2))
      }
    }
  }

  private func mapOnce(_ size: Int) throws(LMDBError) -> RawEnvironment {
    let environment = try RawEnvironment()
    do throws(LMDBError) {
      try environment.configure(
        tables: options.maximumTables, readers: options.maximumReaders, mapSize: size)
      try environment.open(path: path, flags: options.flags)
      return environment
    } catch {
      environment.close()
      throw error
    }
  }
}

extension Environment.Options {
  /// The engine's flags for these options, beside those that always hold: the path is the file
  /// itself, and readers don't belong to threads.
  var flags: Int32 {
    var flags = MDB_NOSUBDIR | MDB_NOTLS
    if isReadOnly { flags |= MDB_RDONLY }
    if synchronization == .none { flags |= MDB_NOSYNC }
    if !readsAhead { flags |= MDB_NORDAHEAD }
    return flags
  }
}
