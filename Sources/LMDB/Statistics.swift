internal import CLMDB

extension Environment {
  /// Sizes and numbers of an open file.
  public struct Statistics: Equatable, Sendable {
    /// Bytes of a page.
    public var pageSize: Int
    /// Bytes of address space that the map takes.
    public var mapSize: Int
    /// The number of the last page in use; pages count from zero.
    ///
    /// The file may be shorter: pages that a transaction took and gave up again are counted, free,
    /// and never written.
    public var lastPage: Int
    /// The number of the newest commit.
    public var lastTransaction: Int
    /// How many readers there can be.
    public var maximumReaders: Int
    /// How many places for readers were ever in use at once.
    public var usedReaders: Int

    init(_ environment: RawEnvironment) {
      pageSize = environment.pageSize
      mapSize = environment.mapSize
      lastPage = environment.lastPage
      lastTransaction = environment.lastTransaction
      maximumReaders = environment.maximumReaders
      usedReaders = environment.usedReaders
    }
  }
}

extension Table {
  /// The size and shape of a table in one transaction.
  public struct Statistics: Equatable, Sendable {
    public var entries: Int
    /// Levels of the tree.
    public var depth: Int
    public var branchPages: Int
    public var leafPages: Int
    /// Pages of values too large for a leaf.
    public var overflowPages: Int

    init(_ statistics: MDB_stat) {
      entries = statistics.ms_entries
      depth = Int(statistics.ms_depth)
      branchPages = statistics.ms_branch_pages
      leafPages = statistics.ms_leaf_pages
      overflowPages = statistics.ms_overflow_pages
    }
  }
}
