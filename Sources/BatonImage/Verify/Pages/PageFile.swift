/// The engine's file, read page by page without the engine and without trusting a byte of it.
///
/// Not Sendable; every read goes to the file by position, and pages of trees are kept in a bounded
/// cache. Beside a writer the pages of a state may be used again two commits later: what reads
/// goes through `reading(_:)`, or holds a reader's slot of the engine.
package final class PageFile {
  private let file: FileBytes
  private var cache = PageCache(capacity: 256)
  /// Bytes of a page.
  let pageSize: Int
  /// The file's length when the meta pages were read last.
  private(set) var length: UInt64 = 0
  /// The sound meta pages, the one of the newest state first.
  private(set) var metas: [EngineMeta] = []
  /// What is wrong with the other ones.
  private(set) var metaFaults: [Damage] = []

  /// Opens the file at `path` and does the cheap check: the meta pages and the file's length.
  ///
  /// Succeeds when one of the meta pages is sound. Throws `notFound`, `foreign` when the file is
  /// not the engine's, `incompatible` for another version of it, `damaged`, or `engine`.
  package convenience init(path: String) throws(ImageError) {
    try self.init(FileBytes(opening: path))
  }

  /// Reads through a descriptor that stays open, and stays the caller's, while this lives.
  ///
  /// Throws as `init(path:)`.
  package convenience init(borrowing descriptor: CInt) throws(ImageError) {
    try self.init(FileBytes(borrowing: descriptor))
  }

  private init(_ file: consuming FileBytes) throws(ImageError) {
    pageSize = try Self.pageSize(of: file)
    self.file = file
    try refresh()
  }

  /// Reads the states that its caller knows of, in pages of a size its caller knows: nothing is taken
  /// from the meta pages.
  init(borrowing descriptor: CInt, pageSize: Int) throws(ImageError) {
    self.pageSize = pageSize
    file = try FileBytes(borrowing: descriptor)
    length = try file.length()
  }

  /// The newest state with a sound meta page.
  var newest: EngineMeta { metas[0] }

  /// Whether the file holds every page up to the newest state's last one.
  ///
  /// A sound file may be shorter: pages at its end that were freed in the commit that took them
  /// were never written.
  package var isWhole: Bool {
    let pages = (newest.lastPage &+ 1).multipliedReportingOverflow(by: UInt64(pageSize))
    return !pages.overflow && pages.partialValue <= length
  }

  /// Whether both meta pages are sound, which the engine asks for to open the file.
  package var hasBothMetas: Bool { metaFaults.isEmpty }

  /// Reads the meta pages and the length again and forgets every page.
  ///
  /// Throws `damaged` when no meta page is sound, else as `init(path:)`.
  package func refresh() throws(ImageError) {
    cache.removeAll()
    // A meta page that is being written may be read half old: a second look finds it whole.
    for attempt in 1...3 {
      try readMetas()
      if metaFaults.isEmpty || attempt == 3 { break }
    }
    length = try file.length()
    guard !metas.isEmpty else { throw .damaged(metaFaults[0]) }
  }

  private func readMetas() throws(ImageError) {
    metas = []
    metaFaults = []
    for page in 0..<PageLayout.firstPage {
      let offset = page * UInt64(pageSize)
      let bytes = try file.read(MetaLayout.size, at: offset)
      do throws(ImageError) {
        let meta = try EngineMeta(bytes.span, page: page, offset: offset)
        guard meta.pageSize == pageSize else {
          throw .page(page, size: pageSize, "states pages of \(meta.pageSize) bytes")
        }
        metas.append(meta)
      } catch .damaged(let damage) {
        metaFaults.append(damage)
      }
    }
    if metas.count == 2, metas[1].transaction > metas[0].transaction { metas.swapAt(0, 1) }
  }

  /// The page size as the first meta page has it, or the second where the first is damaged.
  private static func pageSize(of file: borrowing FileBytes) throws(ImageError) -> Int {
    let first = try file.read(MetaLayout.size, at: 0)
    if let size = EngineMeta.pageSize(first.span) { return size }
    var size = PageLayout.minimumPageSize
    while size <= PageLayout.maximumPageSize {
      let second = try file.read(MetaLayout.size, at: UInt64(size))
      if EngineMeta.pageSize(second.span) == size { return size }
      size *= 2
    }
    guard EngineMeta.hasMagic(first.span) else {
      throw .foreign("no meta page of the engine at the file's start")
    }
    throw .damaged(
      Damage("meta page 0", offset: UInt64(MetaLayout.freeTree), "an impossible page size"))
  }

  /// The transaction of the newest state in the file now.
  ///
  /// Throws as `refresh`. Cost: two short reads.
  func newestTransaction() throws(ImageError) -> UInt64 {
    var newest: UInt64?
    for page in 0..<PageLayout.firstPage {
      let offset = page * UInt64(pageSize)
      let bytes = try file.read(MetaLayout.size, at: offset)
      if let meta = try? EngineMeta(bytes.span, page: page, offset: offset) {
        newest = max(newest ?? 0, meta.transaction)
      }
    }
    guard let newest else {
      throw .damaged(Damage("meta page 0", offset: 0, "neither meta page is sound"))
    }
    return newest
  }

  /// The branch or leaf page `number` of a state, checked.
  ///
  /// Throws `damaged` when it is not one, lies outside or doesn't bear its own number.
  func treePage(_ number: UInt64, of meta: EngineMeta) throws(ImageError) -> TreePage {
    if let page = cache.page(number) { return page }
    let offset = try self.offset(of: number, lastPage: meta.lastPage)
    let bytes = try file.read(pageSize, at: offset)
    guard bytes.count == pageSize else {
      throw .page(number, size: pageSize, "the file ends before it", at: bytes.count)
    }
    let page = try TreePage(bytes, number: number)
    cache.insert(page)
    return page
  }

  /// The first `count` bytes of the value in the overflow run that begins at page `first`, behind
  /// the run's page header, and how many pages the run takes.
  ///
  /// Allocates no more than the file holds. Throws `damaged` when there is no such run.
  func overflowRun(
    _ first: UInt64, count: Int, of meta: EngineMeta
  ) throws(ImageError) -> (bytes: [UInt8], pages: UInt64) {
    let needed = try pagesNeeded(at: first, count: count, of: meta)
    let offset = first * UInt64(pageSize)
    let whole = UInt64(PageLayout.size) + UInt64(count)
    let bytes = try file.read(Int(whole), at: offset)
    guard bytes.count == Int(whole) else {
      throw .page(first, size: pageSize, "the file ends before it", at: bytes.count)
    }
    let span = bytes.span
    guard span.u64(at: PageLayout.number) == first else {
      throw .page(
        first, size: pageSize, "bears the page number \(span.u64(at: PageLayout.number))")
    }
    guard span.u16(at: PageLayout.flags) == PageKind.overflow else {
      throw .page(
        first, size: pageSize, "not flagged as an overflow page", at: PageLayout.flags)
    }
    let pages = UInt64(span.u32(at: PageLayout.runLength))
    guard pages >= needed, pages - 1 <= meta.lastPage - first else {
      throw .page(
        first, size: pageSize, "a run of \(pages) pages for a value of \(count) bytes",
        at: PageLayout.runLength)
    }
    return (bytes, pages)
  }

  /// The first `count` bytes of the value of `size` bytes in an overflow run.
  ///
  /// Throws `damaged` when the file ends before the value does.
  func prefix(
    ofRun first: UInt64, count: Int, of size: Int, in meta: EngineMeta
  ) throws(ImageError) -> [UInt8] {
    _ = try pagesNeeded(at: first, count: size, of: meta)
    let offset = first * UInt64(pageSize) + UInt64(PageLayout.size)
    return try file.read(min(count, size), at: offset)
  }

  /// How many pages of the run that begins at page `first` a value of `count` bytes takes.
  ///
  /// Throws `damaged` when the file ends before them.
  func pagesNeeded(
    at first: UInt64, count: Int, of meta: EngineMeta
  ) throws(ImageError) -> UInt64 {
    let offset = try self.offset(of: first, lastPage: meta.lastPage)
    let whole = UInt64(PageLayout.size) + UInt64(count)
    guard offset <= length, whole <= length - offset else {
      throw .page(first, size: pageSize, "the file ends inside a value of \(count) bytes")
    }
    return (whole - 1) / UInt64(pageSize) + 1
  }

  /// Where a page begins; nil beyond all files.
  func place(of page: UInt64) -> UInt64? {
    let (place, overflow) = page.multipliedReportingOverflow(by: UInt64(pageSize))
    return overflow ? nil : place
  }

  /// Where a page lies, when it is one that can be in use.
  private func offset(of number: UInt64, lastPage: UInt64) throws(ImageError) -> UInt64 {
    guard number >= PageLayout.firstPage, number <= lastPage else {
      throw .page(number, size: pageSize, "outside the file's pages 2 to \(lastPage)")
    }
    return number * UInt64(pageSize)
  }
}
