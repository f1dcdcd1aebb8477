/// A tree's record, as the file states it: flags, depth, counts and root.
struct TreeRecord: Equatable, Sendable {
  var flags: UInt16
  var depth: Int
  var branchPages: UInt64
  var leafPages: UInt64
  var overflowPages: UInt64
  var entries: UInt64
  var root: UInt64

  /// A tree without pages.
  static let empty = TreeRecord(
    flags: TreeLayout.integerKeys, depth: 0, branchPages: 0, leafPages: 0, overflowPages: 0,
    entries: 0, root: TreeLayout.noPage)

  init(
    flags: UInt16, depth: Int, branchPages: UInt64, leafPages: UInt64, overflowPages: UInt64,
    entries: UInt64, root: UInt64
  ) {
    self.flags = flags
    self.depth = depth
    self.branchPages = branchPages
    self.leafPages = leafPages
    self.overflowPages = overflowPages
    self.entries = entries
    self.root = root
  }

  /// Reads the record at `offset`; the caller made sure that its 48 bytes lie inside.
  init(_ bytes: Span<UInt8>, at offset: Int) {
    flags = bytes.u16(at: offset + TreeLayout.flags)
    depth = Int(bytes.u16(at: offset + TreeLayout.depth))
    branchPages = bytes.u64(at: offset + TreeLayout.branchPages)
    leafPages = bytes.u64(at: offset + TreeLayout.leafPages)
    overflowPages = bytes.u64(at: offset + TreeLayout.overflowPages)
    entries = bytes.u64(at: offset + TreeLayout.entries)
    root = bytes.u64(at: offset + TreeLayout.root)
  }

  /// What is wrong with the root and depth in a file whose last page is `lastPage`, or nil.
  func problem(lastPage: UInt64) -> String? {
    if root == TreeLayout.noPage {
      return depth == 0 ? nil : "a tree without root states the depth \(depth)"
    }
    if depth < 1 || depth > TreeLayout.maximumDepth { return "a depth of \(depth)" }
    if root < PageLayout.firstPage || root > lastPage {
      return "the root is page \(root) of \(lastPage)"
    }
    return nil
  }
}

/// One state of the file, as a meta page gives it.
struct EngineMeta: Equatable, Sendable {
  /// The page it was read from, 0 or 1.
  var page: UInt64
  var pageSize: Int
  var mapSize: UInt64
  var free: TreeRecord
  var main: TreeRecord
  var lastPage: UInt64
  var transaction: UInt64

  /// Whether the bytes of a first page look like the engine's at all.
  static func hasMagic(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= MetaLayout.size
      && bytes.u32(at: MetaLayout.magic) == MetaLayout.magicNumber
  }

  /// The page size a meta page states, when it is one the engine can have.
  static func pageSize(_ bytes: Span<UInt8>) -> Int? {
    guard hasMagic(bytes) else { return nil }
    let size = Int(bytes.u32(at: MetaLayout.freeTree + TreeLayout.padding))
    let isPossible =
      size >= PageLayout.minimumPageSize && size <= PageLayout.maximumPageSize
      && size & (size - 1) == 0
    return isPossible ? size : nil
  }

  /// Reads and checks the meta page that begins with `bytes`.
  ///
  /// Throws `damaged` for anything a sound meta page doesn't hold, `incompatible` for another
  /// version of the engine.
  init(_ bytes: Span<UInt8>, page: UInt64, offset: UInt64) throws(ImageError) {
    func damage(_ message: String, at place: Int) -> ImageError {
      .damaged(Damage("meta page \(page)", offset: offset + UInt64(place), message))
    }
    guard bytes.count >= MetaLayout.size else { throw damage("the file ends inside", at: 0) }
    guard Self.hasMagic(bytes) else { throw damage("no magic number", at: MetaLayout.magic) }
    let version = bytes.u32(at: MetaLayout.version)
    guard version == MetaLayout.currentVersion else {
      throw .incompatible("version \(version) of the engine's format")
    }
    guard bytes.u64(at: PageLayout.number) == page else {
      throw damage("bears the page number \(bytes.u64(at: PageLayout.number))", at: 0)
    }
    guard bytes.u16(at: PageLayout.flags) == PageKind.meta else {
      throw damage("not flagged as a meta page", at: PageLayout.flags)
    }
    guard let pageSize = Self.pageSize(bytes) else {
      throw damage("an impossible page size", at: MetaLayout.freeTree)
    }
    self.page = page
    self.pageSize = pageSize
    mapSize = bytes.u64(at: MetaLayout.mapSize)
    free = TreeRecord(bytes, at: MetaLayout.freeTree)
    main = TreeRecord(bytes, at: MetaLayout.mainTree)
    lastPage = bytes.u64(at: MetaLayout.lastPage)
    transaction = bytes.u64(at: MetaLayout.transaction)
    guard lastPage >= 1, lastPage < mapSize / UInt64(pageSize), mapSize <= UInt64(Int64.max)
    else {
      throw damage("last page \(lastPage) in a map of \(mapSize) bytes", at: MetaLayout.lastPage)
    }
    if let problem = free.problem(lastPage: lastPage) {
      throw damage("free tree: \(problem)", at: MetaLayout.freeTree)
    }
    if let problem = main.problem(lastPage: lastPage) {
      throw damage("main tree: \(problem)", at: MetaLayout.mainTree)
    }
  }
}
