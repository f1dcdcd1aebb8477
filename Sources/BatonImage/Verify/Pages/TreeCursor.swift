/// A way through the entries of a tree in order of keys, without recursion.
///
/// Each key has to be above the one before, which bounds the way in a tree whose branches lead in
/// circles: no entry comes twice.
struct TreeCursor<Key: TreeKey> {
  private let file: PageFile
  private let meta: EngineMeta
  private let tree: TreeRecord
  private var path: [TreeStep]
  private var last: Key?

  /// A cursor before the first entry with a key of at least `start`.
  ///
  /// Throws `damaged`.
  init(
    _ tree: TreeRecord, from start: Key, in file: PageFile, of meta: EngineMeta
  ) throws(ImageError) {
    self.file = file
    self.meta = meta
    self.tree = tree
    path = try file.descend(to: start, in: tree, of: meta)
  }

  /// The next entry, or nil behind the last one. Throws `damaged`, and then has no next one.
  mutating func next() throws(ImageError) -> (key: Key, step: TreeStep)? {
    guard var leaf = path.last else { return nil }
    if leaf.index >= leaf.page.count {
      guard try advance() else { return nil }
      leaf = path[path.count - 1]
    }
    let node = leaf.node
    guard let key = Key(node: leaf.page.key(node)) else {
      path = []
      throw .page(
        leaf.page.number, size: file.pageSize, "a key of \(node.keySize) bytes", at: node.offset)
    }
    if let last, !(last < key) {
      path = []
      throw .page(
        leaf.page.number, size: file.pageSize, "key \(key) comes after \(last)", at: node.offset)
    }
    last = key
    path[path.count - 1].index += 1
    return (key, leaf)
  }

  /// Goes to the start of the next leaf; false when there is none.
  private mutating func advance() throws(ImageError) -> Bool {
    var level = path.count - 1
    repeat {
      path.removeLast()
      level -= 1
      guard level >= 0 else { return false }
      path[level].index += 1
    } while path[level].index >= path[level].page.count
    while path.count < tree.depth {
      let parent = path[path.count - 1]
      let page = try file.treePage(parent.node.child, of: meta)
      guard page.isLeaf == (path.count + 1 == tree.depth) else {
        let error = file.misplaced(page, level: path.count + 1, of: tree)
        path = []
        throw error
      }
      path.append(TreeStep(page: page, index: 0))
    }
    return true
  }
}
