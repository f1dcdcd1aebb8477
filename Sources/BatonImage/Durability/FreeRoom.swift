/// What of a file free pages take that nobody reads any more, in runs of bytes.
package struct FreeRoom {
  /// The runs in whole blocks, the longest first.
  package let runs: [Range<Int>]
  /// Bytes of all runs, which may have been given back before.
  package let size: Int

  /// Reads the newest state's table of free pages, and takes what transactions before `oldest` freed.
  ///
  /// The file is not trusted: nil where anything about the table is wrong. The caller holds the
  /// engine's writer, so that the state stays the newest one. Costs the table's pages, and a bit a
  /// page of the file.
  package init?(_ file: PageFile, before oldest: UInt64, block: Int) throws(ImageError) {
    let inspection = try Inspection(file)
    let count = file.length / UInt64(file.pageSize)
    var pages: [UInt64] = []
    inspection.checkFreePages { transaction, page in
      // A state's last pages may never have been written, and the file end before them.
      if transaction < oldest, page < count { pages.append(page) }
    }
    guard inspection.log.count == 0 else { return nil }
    pages.sort()
    let block = max(1, block)
    runs = Self.merged(pages, pageSize: file.pageSize)
      .compactMap { Self.whole($0, block: block) }
      .sorted { $0.count > $1.count }
    size = runs.reduce(0) { $0 + $1.count }
  }

  /// Pages in ascending order, as the bytes of those that follow one another.
  private static func merged(_ pages: [UInt64], pageSize: Int) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for page in pages {
      let start = Int(page) * pageSize
      if let last = runs.last, last.upperBound == start {
        runs[runs.count - 1] = last.lowerBound..<start + pageSize
      } else {
        runs.append(start..<start + pageSize)
      }
    }
    return runs
  }

  /// The blocks that lie wholly inside; nil where there is none.
  private static func whole(_ run: Range<Int>, block: Int) -> Range<Int>? {
    let start = (run.lowerBound + block - 1) / block * block
    let end = run.upperBound / block * block
    return start < end ? start..<end : nil
  }
}
