/// Descents that touch one page a level.
extension PageFile {
  /// The path from a tree's root to the first entry with a key of at least `key`; its last index
  /// may be behind the leaf's last node. Empty for a tree without pages.
  ///
  /// Throws `damaged` when a page on the way is not what its level asks for.
  func descend<Key: TreeKey>(
    to key: Key, in tree: TreeRecord, of meta: EngineMeta
  ) throws(ImageError) -> [TreeStep] {
    guard tree.root != TreeLayout.noPage else { return [] }
    var path: [TreeStep] = []
    path.reserveCapacity(tree.depth)
    var number = tree.root
    for level in 1...max(1, tree.depth) {
      let page = try treePage(number, of: meta)
      let isLast = level == tree.depth
      guard page.isLeaf == isLast else { throw misplaced(page, level: level, of: tree) }
      let index = try lowerBound(key, in: page)
      path.append(TreeStep(page: page, index: index))
      if !isLast { number = page.node(index).child }
    }
    return path
  }

  func misplaced(_ page: TreePage, level: Int, of tree: TreeRecord) -> ImageError {
    .page(
      page.number, size: pageSize,
      "a \(page.isLeaf ? "leaf" : "branch") on level \(level) of a tree \(tree.depth) deep",
      at: PageLayout.flags)
  }

  /// In a leaf the index of the first key of at least `key`, in a branch of the child that holds
  /// it: the last one whose key is not above it, where the first child's counts as below all.
  private func lowerBound<Key: TreeKey>(
    _ key: Key, in page: TreePage
  ) throws(ImageError) -> Int {
    var low = page.isLeaf ? 0 : 1
    var high = page.count
    while low < high {
      let middle = (low + high) / 2
      let node = page.node(middle)
      guard let found = Key(node: page.key(node)) else {
        throw .page(
          page.number, size: pageSize, "a key of \(node.keySize) bytes", at: node.offset)
      }
      if page.isLeaf ? found < key : !(key < found) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return page.isLeaf ? low : low - 1
  }

  /// The leaf node that holds `key`, or nil.
  func find<Key: TreeKey>(
    _ key: Key, in tree: TreeRecord, of meta: EngineMeta
  ) throws(ImageError) -> TreeStep? {
    guard let last = try descend(to: key, in: tree, of: meta).last,
      last.index < last.page.count,
      Key(node: last.page.key(last.node)) == key
    else { return nil }
    return last
  }

  /// The value of a leaf's entry, wherever it is kept.
  ///
  /// Throws `damaged` when its overflow run is not sound or the node is of no kind a table of
  /// values has.
  func value(at step: TreeStep, of meta: EngineMeta) throws(ImageError) -> StoredValue {
    let (page, node) = (step.page, step.node)
    switch node.flags {
    case 0:
      let range = page.inlineData(node)
      return StoredValue(
        bytes: page.bytes, range: range, offset: page.offset + UInt64(range.lowerBound),
        run: nil)
    case NodeLayout.overflow:
      let first = page.overflowPage(node)
      let run = try overflowRun(first, count: Int(node.size), of: meta)
      return StoredValue(
        bytes: run.bytes, range: PageLayout.size..<run.bytes.count,
        offset: first * UInt64(pageSize) + UInt64(PageLayout.size),
        run: first..<first + run.pages)
    default:
      throw .page(
        page.number, size: pageSize,
        "a sub-tree or duplicates, which no table of an image has: flags \(node.flags)",
        at: node.offset + NodeLayout.flags)
    }
  }
}

extension PageFile {
  /// Where the value of a leaf's entry begins, without reading it; nil beyond all files.
  func place(of step: TreeStep) -> UInt64? {
    let (page, node) = (step.page, step.node)
    guard node.flags == NodeLayout.overflow else {
      return page.offset + UInt64(node.dataOffset)
    }
    return place(of: page.overflowPage(node)).map { $0 &+ UInt64(PageLayout.size) }
  }

  /// The first bytes of a value, up to `count`: all that is needed of one that may be long.
  ///
  /// Throws `damaged` as `value(at:of:)`.
  func prefix(
    of step: TreeStep, count: Int, in meta: EngineMeta
  ) throws(ImageError) -> [UInt8] {
    let size = Int(step.node.size)
    guard step.node.flags == NodeLayout.overflow, size > count else {
      return try value(at: step, of: meta).span.extracting(first: count).copy()
    }
    return try prefix(
      ofRun: step.page.overflowPage(step.node), count: count, of: size, in: meta)
  }
}

/// A node of a page on the way through a tree.
struct TreeStep: Sendable {
  var page: TreePage
  var index: Int

  /// The node; the index must be below the page's count.
  var node: Node { page.node(index) }
}

/// A value as it was read, checksum in front, with its place in the file.
struct StoredValue: Sendable {
  /// The page or run it lies in.
  let bytes: [UInt8]
  let range: Range<Int>
  /// Where the value begins in the file.
  let offset: UInt64
  /// The pages of its overflow run; nil when it lies in the leaf.
  let run: Range<UInt64>?

  var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes.span.extracting(range) }
  }
}
