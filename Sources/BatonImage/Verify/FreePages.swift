/// Walks the table of free pages: Docs/Format.md section 18.
extension Inspection {
  /// Checks each list, and that no page in it was met before.
  ///
  /// `found` gets each page with the transaction that freed it, once nothing is wrong with the two.
  func checkFreePages(
    _ found: (_ transaction: UInt64, _ page: UInt64) -> Void = { _, _ in }
  ) {
    var walk = TreeWalk<UInt64>("free pages", meta.free, in: self, fewestChildren: 1)
    while let (key, step) = walk.next() {
      guard let value = walk.value(at: step) else { continue }
      fault(listProblem(key, value.span, found), in: "free pages of transaction \(key)", value)
    }
    if meta.free.flags & TreeLayout.integerKeys == 0
      || meta.free.flags & ~(TreeLayout.integerKeys | Self.environmentFlags) != 0
    {
      log.fault(
        "free pages", at: meta.page * UInt64(file.pageSize) + UInt64(MetaLayout.freeTree),
        "a table with the flags \(meta.free.flags)")
    }
  }

  /// Flags of the environment that made the file, which stand in the record of the free table:
  /// a fixed map, and a file that is no directory.
  private static let environmentFlags: UInt16 = 0x4001

  private func listProblem(
    _ key: UInt64, _ list: Span<UInt8>, _ found: (UInt64, UInt64) -> Void
  ) -> Problem? {
    // The engine takes 0 for having read no list yet, and would hand the pages out again and again.
    guard key > 0 else { return Problem("no transaction has that number") }
    guard key <= meta.transaction else { return Problem("a transaction yet to come") }
    guard list.count >= 8, list.count % 8 == 0 else { return Problem("\(list.count) bytes") }
    let count = list.u64(at: 0)
    guard count <= UInt64(list.count / 8 - 1) else {
      return Problem("\(count) pages in \(list.count) bytes")
    }
    var last = UInt64.max
    for place in stride(from: 8, to: 8 + 8 * Int(count), by: 8) {
      let page = list.u64(at: place)
      guard page < last else { return Problem("the pages don't descend", at: place) }
      last = page
      switch pages.take(page) {
      case .taken:
        report.freePages += 1
        found(key, page)
      case .again: return Problem("page \(page) is in use, or free a second time", at: place)
      case .outside: return Problem("page \(page) is outside the file", at: place)
      }
    }
    return nil
  }
}
