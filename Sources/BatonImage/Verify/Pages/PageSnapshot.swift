/// One state of an image read from its file page by page, every access checked: what the command
/// answers reads of an untrusted file from.
///
/// Keeps each page and value that `value(_:_:)` touched until `releasePages()` or its own end, so
/// what it returned stays valid as long as the borrow; together they are never more than the file
/// holds, as overflow runs that overlap are damage. A read costs a page a level of the tree, and none that was read before.
///
/// Beside a writer a snapshot is good for the state and the one after it; `PageFile.reading(_:)`
/// notices when it is no longer and starts again.
package struct PageSnapshot: ~Copyable {
  private let file: PageFile
  let meta: EngineMeta
  private let tables: [TreeRecord]
  private let kept: KeptPages
  private let runs: RunMap

  /// The newest sound state of the file.
  ///
  /// Throws `damaged` when the main tree can't be read. A table it doesn't list reads as empty;
  /// whether the file is an image at all is for the header to say.
  package init(_ file: PageFile) throws(ImageError) {
    try self.init(file, meta: file.newest)
  }

  /// The state before the newest, when its meta page is sound: what salvage may turn to. Its
  /// pages are all there only as long as the newest state is the last one written.
  ///
  /// Throws as `init(_:)`.
  package static func previous(_ file: PageFile) throws(ImageError) -> PageSnapshot? {
    guard file.metas.count == 2 else { return nil }
    return try PageSnapshot(file, meta: file.metas[1])
  }

  init(_ file: PageFile, meta: EngineMeta) throws(ImageError) {
    self.file = file
    self.meta = meta
    kept = KeptPages()
    runs = RunMap(file, meta)
    var tables: [TreeRecord] = []
    for table in ImageTable.allCases {
      tables.append(try file.tree(of: table, in: meta) ?? .empty)
    }
    self.tables = tables
  }

  /// Lets go of every page read so far. What was borrowed from the snapshot has ended.
  package mutating func releasePages() {
    kept.removeAll()
  }

  private func tree(_ table: ImageTable) -> TreeRecord {
    tables[Int(table.rawValue) - 1]
  }
}

extension PageSnapshot: RecordSource {
  @_lifetime(borrow self)
  package borrowing func value(
    _ table: ImageTable, _ key: UInt64
  ) throws(ImageError) -> Span<UInt8>? {
    guard let step = try file.find(key, in: tree(table), of: meta) else { return nil }
    return try value(at: step, table, key)
  }

  @_lifetime(borrow self)
  package borrowing func value(
    _ table: ImageTable, atLeast key: UInt64
  ) throws(ImageError) -> Span<UInt8>? {
    var cursor = try TreeCursor(tree(table), from: key, in: file, of: meta)
    guard let (key, step) = try cursor.next() else { return nil }
    return try value(at: step, table, key)
  }

  @_lifetime(borrow self)
  private borrowing func value(
    at step: TreeStep, _ table: ImageTable, _ key: UInt64
  ) throws(ImageError) -> Span<UInt8>? {
    let value = try file.sealedValue(at: step, table: table, key: key, of: meta)
    try runs.take(value)
    let kept = kept.keep(value)
    let span = kept.span
    // SAFETY: the bytes are an array that `self.kept` holds unchanged until `releasePages`, which is
    // mutating and can't run while `self` is borrowed, or until the snapshot ends.
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  package borrowing func forEach(
    _ table: ImageTable, from start: UInt64,
    _ body: (_ key: UInt64, _ value: Span<UInt8>) throws(ImageError) -> Bool
  ) throws(ImageError) {
    var cursor = try TreeCursor(tree(table), from: start, in: file, of: meta)
    while let (key, step) = try cursor.next() {
      let value = try file.sealedValue(at: step, table: table, key: key, of: meta)
      try runs.take(value)
      guard try body(key, value.span) else { return }
    }
  }
}

extension PageFile {
  /// The tree of a table, or nil when the main tree doesn't list it.
  ///
  /// Throws `damaged`.
  func tree(of table: ImageTable, in meta: EngineMeta) throws(ImageError) -> TreeRecord? {
    guard let step = try find(TableName(table.name), in: meta.main, of: meta) else { return nil }
    return try tree(of: table, at: step, in: meta)
  }

  /// The tree whose record an entry of the main tree holds.
  ///
  /// Throws `damaged`.
  func tree(
    of table: ImageTable, at step: TreeStep, in meta: EngineMeta
  ) throws(ImageError) -> TreeRecord {
    let node = step.node
    func damage(_ message: String) -> ImageError {
      .damaged(
        Damage("table \(table.name)", offset: step.page.offset + UInt64(node.offset), message))
    }
    guard node.flags == NodeLayout.tree, Int(node.size) == TreeLayout.size else {
      throw damage("not the record of a tree: flags \(node.flags), \(node.size) bytes")
    }
    let tree = TreeRecord(step.page.bytes.span, at: node.dataOffset)
    if let problem = tree.problem(lastPage: meta.lastPage) { throw damage(problem) }
    guard tree.flags == TreeLayout.integerKeys else {
      throw damage("a table with the flags \(tree.flags)")
    }
    return tree
  }

  /// The value of an entry, its checksum verified.
  ///
  /// Throws `damaged` when it doesn't hold or the value can't be read.
  func sealedValue(
    at step: TreeStep, table: ImageTable, key: UInt64, of meta: EngineMeta
  ) throws(ImageError) -> StoredValue {
    let value = try value(at: step, of: meta)
    guard isSealed(value.span, table: table, key: key) else {
      throw .damaged(
        Damage("\(table.name) \(key)", offset: value.offset, "the checksum is wrong"))
    }
    return value
  }
}

/// The pages and overflow runs a snapshot lent out, by where they begin in the file.
private final class KeptPages {
  private var pages: [UInt64: [UInt8]] = [:]
  /// Pages that were read a second time, with other bytes: a writer had used them again.
  private var others: [[UInt8]] = []

  /// The same value, in bytes that are held unchanged until `removeAll`.
  func keep(_ value: StoredValue) -> StoredValue {
    let place = value.offset - UInt64(value.range.lowerBound)
    guard let held = pages[place] else {
      pages[place] = value.bytes
      return value
    }
    let same = StoredValue(
      bytes: held, range: value.range, offset: value.offset, run: value.run)
    if held.count == value.bytes.count, same.span.isEqual(to: value.span) { return same }
    others.append(value.bytes)
    return value
  }

  func removeAll() {
    pages.removeAll()
    others.removeAll()
  }
}

/// The overflow runs a snapshot has read: none overlaps another, so that all of them together are
/// no more than the file.
private final class RunMap {
  private var pages: PageUse
  private var firsts: PageUse

  init(_ file: PageFile, _ meta: EngineMeta) {
    pages = PageUse(lastPage: meta.lastPage, filePages: file.length / UInt64(file.pageSize))
    firsts = pages
  }

  /// Takes a value's run; does nothing when it was read before or the value lies in a leaf.
  ///
  /// Throws `damaged` when it overlaps another one.
  func take(_ value: StoredValue) throws(ImageError) {
    guard let run = value.run, firsts.take(run.lowerBound) == .taken else { return }
    for page in run where pages.take(page) != .taken {
      throw .damaged(
        Damage("page \(page)", offset: value.offset, "is in two overflow runs"))
    }
  }
}
