/// A walk through a whole tree in order of keys, without recursion, that checks each page and
/// takes it: level and depth, order within and across pages, separators, overflow runs, counts.
///
/// A page that is wrong is written down and passed over with what hangs below it, so the walk goes
/// on with the next. Ends by `next()` returning nil; `isWhole` then says whether all was right.
struct TreeWalk<Key: TreeKey> {
  private struct Frame {
    var page: TreePage
    var index = 0
    /// Keys below are at least this.
    var low: Key?
    /// Keys below are less than this.
    var high: Key?
  }

  private let name: String
  private let tree: TreeRecord
  private let inspection: Inspection
  /// The fewest children a branch has.
  private let fewestChildren: Int
  private var frames: [Frame] = []
  private var branchPages: UInt64 = 0
  private var leafPages: UInt64 = 0
  private var overflowPages: UInt64 = 0
  private var entries: UInt64 = 0
  /// Whether nothing was wrong with the tree's pages so far.
  private(set) var isWhole = true

  /// The tree of free pages is the only one that may have a branch with one child: the engine ends
  /// the process on one elsewhere.
  init(
    _ name: String, _ tree: TreeRecord, in inspection: Inspection, fewestChildren: Int = 2
  ) {
    self.name = name
    self.tree = tree
    self.inspection = inspection
    self.fewestChildren = fewestChildren
    if tree.root != TreeLayout.noPage { enter(tree.root, low: nil, high: nil) }
  }

  /// The next entry of a sound leaf, or nil behind the last, when the counts were compared.
  mutating func next() -> (key: Key, step: TreeStep)? {
    if inspection.log.isHopeless {
      isWhole = false
      return nil
    }
    while let top = frames.indices.last, !inspection.log.isHopeless {
      let frame = frames[top]
      guard frame.index < frame.page.count else {
        frames.removeLast()
        continue
      }
      frames[top].index += 1
      if frame.page.isLeaf {
        let step = TreeStep(page: frame.page, index: frame.index)
        entries += 1
        // The page's keys were all read when it was entered.
        if let key = Key(node: frame.page.key(step.node)) { return (key, step) }
        continue
      }
      enter(
        frame.page.node(frame.index).child,
        low: frame.index > 0 ? key(frame.page, frame.index) : frame.low,
        high: frame.index + 1 < frame.page.count
          ? key(frame.page, frame.index + 1) : frame.high)
    }
    compareCounts()
    return nil
  }

  /// The value of an entry the walk is at, its overflow run taken; nil when it is wrong.
  ///
  /// A run is taken before it is read: none is read twice, however many nodes lead to it.
  mutating func value(at step: TreeStep) -> StoredValue? {
    do throws(ImageError) {
      var needed: UInt64 = 0
      if step.node.flags == NodeLayout.overflow {
        let first = step.page.overflowPage(step.node)
        needed = try inspection.file.pagesNeeded(
          at: first, count: Int(step.node.size), of: inspection.meta)
        for page in first..<first + needed where !take(page) { return nil }
      }
      let value = try inspection.file.value(at: step, of: inspection.meta)
      if let run = value.run {
        overflowPages += UInt64(run.count)
        for page in run.dropFirst(Int(needed)) where !take(page) { return nil }
      }
      return value
    } catch {
      isWhole = false
      inspection.log.fault(error, in: name)
      return nil
    }
  }

  private func key(_ page: TreePage, _ index: Int) -> Key? {
    Key(node: page.key(page.node(index)))
  }

  /// Takes and checks a page and stands before its first node.
  private mutating func enter(_ number: UInt64, low: Key?, high: Key?) {
    guard take(number) else { return }
    do throws(ImageError) {
      let page = try inspection.file.treePage(number, of: inspection.meta)
      let level = frames.count + 1
      guard page.isLeaf == (level == tree.depth), level <= tree.depth else {
        throw inspection.file.misplaced(page, level: level, of: tree)
      }
      guard page.isLeaf || page.count >= fewestChildren else {
        throw .page(
          page.number, size: inspection.file.pageSize, "a branch with a single child",
          at: PageLayout.lower)
      }
      if page.isLeaf { leafPages += 1 } else { branchPages += 1 }
      try checkOrder(page, low: low, high: high)
      frames.append(Frame(page: page, low: low, high: high))
    } catch {
      isWhole = false
      inspection.log.fault(error, in: name)
    }
  }

  /// Throws unless the keys ascend and lie between the separators above the page.
  private func checkOrder(_ page: TreePage, low: Key?, high: Key?) throws(ImageError) {
    var last = low
    let first = page.isLeaf ? 0 : 1
    for index in first..<max(first, page.count) {
      let node = page.node(index)
      func damage(_ message: String) -> ImageError {
        .page(page.number, size: inspection.file.pageSize, message, at: node.offset)
      }
      guard let key = Key(node: page.key(node)) else {
        throw damage("a key of \(node.keySize) bytes")
      }
      if let last {
        // A leaf may begin with its separator itself.
        let isAscending = page.isLeaf && index == 0 ? !(key < last) : last < key
        guard isAscending else { throw damage("key \(key) comes after \(last)") }
      }
      if let high, !(key < high) { throw damage("key \(key) is not below \(high)") }
      last = key
    }
  }

  /// Takes a page for this tree; writes down and returns false when it can't be its.
  private mutating func take(_ page: UInt64) -> Bool {
    switch inspection.pages.take(page) {
    case .taken: return true
    case .again:
      inspection.fault(page, in: name, "is used a second time, or is free as well")
    case .outside:
      inspection.fault(page, in: name, "outside the file's pages 2 to \(inspection.meta.lastPage)")
    }
    isWhole = false
    return false
  }

  private mutating func compareCounts() {
    guard isWhole else { return }
    let counts = [
      ("branch pages", branchPages, tree.branchPages), ("leaf pages", leafPages, tree.leafPages),
      ("overflow pages", overflowPages, tree.overflowPages), ("entries", entries, tree.entries),
    ]
    for (what, found, stated) in counts where found != stated {
      isWhole = false
      inspection.log.fault(
        name, at: nil, "\(found) \(what) where its record states \(stated)")
    }
  }
}
