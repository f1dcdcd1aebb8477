import BatonImage

/// Lays an image's values out in a file as the engine would, without it: any page size, any fill,
/// any depth, the same bytes each time.
package struct FileComposer {
  /// How the file is laid out.
  package struct Shape: Sendable {
    package var pageSize = 4096
    /// The most nodes of a leaf, beside what the page holds.
    package var leafNodes = Int.max
    /// The most children of a branch, beside what the page holds; at least 2.
    package var fanout = Int.max
    /// Free pages at the end of the file, listed in the tree of free pages.
    package var freePages = 0

    package init() {}
  }

  /// Key and value; for the main tree, the name and record of a table.
  private typealias Entry = (key: [UInt8], value: [UInt8])

  private let shape: Shape
  private var bytes: [UInt8] = []
  private var pageCount = 2

  private init(_ shape: Shape) {
    self.shape = shape
    bytes = [UInt8](repeating: 0, count: 2 * shape.pageSize)
  }

  /// The bytes of a file that holds the image's values.
  package static func file(of image: ImageFixture, shape: Shape = Shape()) -> [UInt8] {
    var composer = FileComposer(shape)
    var records: [Entry] = []
    for table in ImageTable.allCases.sorted(by: { $0.name < $1.name }) {
      let entries = (image.tables[table] ?? [:]).sorted { $0.key < $1.key }
        .map { entry -> Entry in
          var key: [UInt8] = []
          key.append(u64: entry.key)
          return (key, entry.value)
        }
      let record = composer.tree(entries, flags: TreeLayout.integerKeys, nodeFlags: 0)
      records.append((Array(table.name.utf8), record))
    }
    let main = composer.tree(records, flags: 0, nodeFlags: NodeLayout.tree)
    let free = composer.freeTree()
    composer.putMeta(0, transaction: 2, free: free, main: main)
    composer.putMeta(1, transaction: 1, free: free, main: main)
    return composer.bytes
  }

  // MARK: Pages

  /// Appends empty pages and returns the number of the first.
  private mutating func append(pages count: Int) -> Int {
    bytes.append(contentsOf: repeatElement(0, count: count * shape.pageSize))
    pageCount += count
    return pageCount - count
  }

  /// Appends a branch or leaf whose nodes are given whole.
  private mutating func appendPage(_ kind: UInt16, _ nodes: [[UInt8]]) -> Int {
    let number = append(pages: 1)
    let start = number * shape.pageSize
    var page = FileEditor(bytes)
    bytes = []
    page.set64(start, UInt64(number))
    page.set16(start + PageLayout.flags, Int(kind))
    page.set16(start + PageLayout.lower, PageLayout.size + 2 * nodes.count)
    var place = shape.pageSize
    for (index, node) in nodes.enumerated() {
      place -= node.count
      page.set16(start + PageLayout.size + 2 * index, place)
      page.bytes.replaceSubrange(start + place..<start + place + node.count, with: node)
    }
    page.set16(start + PageLayout.upper, place)
    bytes = page.bytes
    return number
  }

  private mutating func putMeta(
    _ page: Int, transaction: UInt64, free: [UInt8], main: [UInt8]
  ) {
    let start = page * shape.pageSize
    var meta = FileEditor(bytes)
    meta.set64(start, UInt64(page))
    meta.set16(start + PageLayout.flags, Int(PageKind.meta))
    meta.set32(start + MetaLayout.magic, Int(MetaLayout.magicNumber))
    meta.set32(start + MetaLayout.version, Int(MetaLayout.currentVersion))
    meta.set64(start + MetaLayout.mapSize, 1 << 30)
    for (offset, tree) in [(MetaLayout.freeTree, free), (MetaLayout.mainTree, main)] {
      let place = start + offset
      meta.bytes.replaceSubrange(place..<place + TreeLayout.size, with: tree)
    }
    meta.set32(start + MetaLayout.freeTree, shape.pageSize)
    meta.set64(start + MetaLayout.lastPage, UInt64(pageCount - 1))
    meta.set64(start + MetaLayout.transaction, transaction)
    bytes = meta.bytes
  }

  // MARK: Trees

  /// Appends a tree's pages and returns its record.
  private mutating func tree(
    _ entries: [Entry], flags: UInt16, nodeFlags: UInt16
  ) -> [UInt8] {
    var overflowPages = 0
    var nodes: [(key: [UInt8], bytes: [UInt8])] = []
    for entry in entries {
      let (node, pages) = leafNode(entry, flags: nodeFlags)
      overflowPages += pages
      nodes.append((entry.key, node))
    }
    var level = pack(nodes, limit: shape.leafNodes, kind: PageKind.leaf)
    let leafPages = level.count
    var branchPages = 0
    var depth = level.isEmpty ? 0 : 1
    while level.count > 1 {
      let children = level.map { (key: $0.key, bytes: Self.branchNode($0.key, child: $0.page)) }
      level = pack(children, limit: max(2, shape.fanout), kind: PageKind.branch)
      branchPages += level.count
      depth += 1
    }
    var record: [UInt8] = []
    record.append(u32: 0)
    record.append(u16: flags)
    record.append(u16: UInt16(depth))
    for count in [branchPages, leafPages, overflowPages, entries.count] {
      record.append(u64: UInt64(count))
    }
    record.append(u64: level.first.map { UInt64($0.page) } ?? TreeLayout.noPage)
    return record
  }

  /// Fills pages with nodes in order; each page with its first key.
  private mutating func pack(
    _ nodes: [(key: [UInt8], bytes: [UInt8])], limit: Int, kind: UInt16
  ) -> [(key: [UInt8], page: Int)] {
    var pages: [(key: [UInt8], page: Int)] = []
    let fewest = kind == PageKind.branch ? 2 : 1
    // A branch leaves room for one more child: the last one takes what is left over, as none has a
    // single child.
    let room = shape.pageSize - (kind == PageKind.branch ? 32 : 0)
    var left = nodes.count
    var held: [[UInt8]] = []
    var first: [UInt8] = []
    var used = PageLayout.size
    for node in nodes {
      let isFull = held.count >= limit || used + node.bytes.count + 2 > room
      if isFull, held.count >= fewest, left >= fewest {
        pages.append((first, appendPage(kind, held)))
        held = []
        used = PageLayout.size
      }
      if held.isEmpty { first = node.key }
      // The first node of a branch has no key: it counts as below every other.
      let isFirst = held.isEmpty && kind == PageKind.branch
      held.append(isFirst ? Self.withoutKey(node.bytes) : node.bytes)
      used += node.bytes.count + 2
      left -= 1
    }
    if !held.isEmpty { pages.append((first, appendPage(kind, held))) }
    return pages
  }

  /// A leaf's node, and the pages of the overflow run it needed.
  private mutating func leafNode(_ entry: Entry, flags: UInt16) -> (node: [UInt8], pages: Int) {
    var node: [UInt8] = []
    node.append(u32: UInt32(entry.value.count))
    let size = NodeLayout.key + entry.key.count + entry.value.count
    let isOverflow = size > (shape.pageSize - PageLayout.size) / 2 - 2
    node.append(u16: isOverflow ? NodeLayout.overflow : flags)
    node.append(u16: UInt16(entry.key.count))
    node.append(contentsOf: entry.key)
    guard isOverflow else {
      node.append(contentsOf: entry.value)
      if node.count % 2 == 1 { node.append(0) }
      return (node, 0)
    }
    let whole = PageLayout.size + entry.value.count
    let pages = (whole + shape.pageSize - 1) / shape.pageSize
    let number = append(pages: pages)
    let start = number * shape.pageSize
    var run = FileEditor(bytes)
    run.set64(start, UInt64(number))
    run.set16(start + PageLayout.flags, Int(PageKind.overflow))
    run.set32(start + PageLayout.runLength, pages)
    let place = start + PageLayout.size
    run.bytes.replaceSubrange(place..<place + entry.value.count, with: entry.value)
    bytes = run.bytes
    node.append(u64: UInt64(number))
    return (node, pages)
  }

  private static func branchNode(_ key: [UInt8], child: Int) -> [UInt8] {
    var node: [UInt8] = []
    node.append(u32: UInt32(truncatingIfNeeded: child))
    node.append(u16: UInt16(truncatingIfNeeded: child >> 32))
    node.append(u16: UInt16(key.count))
    node.append(contentsOf: key)
    if node.count % 2 == 1 { node.append(0) }
    return node
  }

  private static func withoutKey(_ node: [UInt8]) -> [UInt8] {
    Array(node[..<NodeLayout.keySize]) + [0, 0]
  }

  // MARK: Free pages

  private mutating func freeTree() -> [UInt8] {
    let flags: UInt16 = TreeLayout.integerKeys | 0x4000
    guard shape.freePages > 0 else { return tree([], flags: flags, nodeFlags: 0) }
    let first = append(pages: shape.freePages)
    var list: [UInt8] = []
    list.append(u64: UInt64(shape.freePages))
    for page in (first..<first + shape.freePages).reversed() { list.append(u64: UInt64(page)) }
    var key: [UInt8] = []
    key.append(u64: 1)
    return tree([(key, list)], flags: flags, nodeFlags: 0)
  }
}
