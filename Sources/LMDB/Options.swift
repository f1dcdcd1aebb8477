extension Environment {
  /// How an environment is opened.
  public struct Options: Equatable, Sendable {
    /// When a commit reaches the medium.
    public enum Synchronization: Equatable, Sendable {
      /// Each commit flushes the file: what was committed survives the loss of power.
      case full
      /// A commit returns when its pages are the system's (`MDB_NOSYNC`): it survives the death of
      /// the process. After a loss of power the file may be damaged beyond the last
      /// `Environment.synchronize()`.
      case none
    }

    /// The size of the map at first, in bytes, rounded up to whole pages.
    ///
    /// It is address space, not memory and not disk: pages become resident as they are read, and the
    /// file grows as they are written. Where 16 GiB of addresses can't be had (`RLIMIT_AS`, a
    /// phone), smaller sizes are tried down to what the file needs. Large, because growing needs a
    /// moment in which no transaction of the process runs.
    public var mapSize: Int

    /// What the map may grow to, and so a bound on the file's size.
    public var maximumMapSize: Int

    /// How many tables can be open.
    public var maximumTables: Int

    /// How many readers, of all processes together, can be at once; the first opener's number counts.
    public var maximumReaders: Int

    /// Nothing is written: no table made, no transaction but readers.
    public var isReadOnly: Bool

    /// Whether a file that isn't there is made.
    public var createsFile: Bool

    public var synchronization: Synchronization

    /// Whether the system reads pages around the one asked for; off it is `MDB_NORDAHEAD`.
    public var readsAhead: Bool

    /// How long a call waits for transactions of this process that are in its way.
    public var waitLimit: Duration

    public init(
      mapSize: Int = 16 << 30, maximumMapSize: Int = 1 << 40, maximumTables: Int = 16,
      maximumReaders: Int = 126, isReadOnly: Bool = false, createsFile: Bool = true,
      synchronization: Synchronization = .full, readsAhead: Bool = true,
      waitLimit: Duration = .seconds(5)
    ) {
      self.mapSize = mapSize
      self.maximumMapSize = max(mapSize, maximumMapSize)
      self.maximumTables = maximumTables
      self.maximumReaders = maximumReaders
      self.isReadOnly = isReadOnly
      self.createsFile = createsFile
      self.synchronization = synchronization
      self.readsAhead = readsAhead
      self.waitLimit = waitLimit
    }

    /// Whether a file opened with these options can be shared by a second open that asks for
    /// `others`.
    ///
    /// Flushing must agree; tables and readers must suffice; writing can't be added. The map and the
    /// limits of waiting stay the first opener's.
    func serve(_ others: Options) -> Bool {
      synchronization == others.synchronization
        && maximumTables >= others.maximumTables
        && maximumReaders >= others.maximumReaders
        && (!isReadOnly || others.isReadOnly)
    }
  }
}
