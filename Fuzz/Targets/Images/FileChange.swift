import BatonImage

/// One change to the pages of a file, as an input asks for it.
enum FileChange {
  static let kinds = 16

  /// Applies the change of a kind, with its details read from the input.
  static func apply(_ kind: Int, _ input: inout InputReader, to file: inout HostileFile) {
    switch kind {
    case 0: flip(&input, &file)
    case 1: setMeta(&input, &file)
    case 2: setHead(&input, &file)
    case 3: setNodeOffset(&input, &file)
    case 4: setNode(&input, &file)
    case 5: setTree(&input, &file)
    case 6: setChild(&input, &file)
    case 7: copyPage(&input, &file)
    case 8: cut(&input, &file)
    case 9: setKey(&input, &file)
    case 10: setRun(&input, &file)
    case 11: swapNodes(&input, &file)
    case 12: shareNode(&input, &file)
    case 13: zero(&input, &file)
    case 14: rootAtRoot(&input, &file)
    default: append(&input, &file)
    }
  }

  private static func page(_ input: inout InputReader, _ file: HostileFile) -> Int {
    input.index(below: file.pageCount)
  }

  private static func node(_ input: inout InputReader, _ file: HostileFile) -> (
    page: Int, index: Int
  ) {
    let page = page(&input, file)
    return (page, input.index(below: max(1, file.nodeCount(page))))
  }

  private static func setNumber(
    _ place: Int, width: Int, _ input: inout InputReader, _ file: inout HostileFile
  ) {
    file.set(place, width: width, input.number(near: file.number(at: place, width: width)))
  }

  private static func flip(_ input: inout InputReader, _ file: inout HostileFile) {
    let place = Int(input.u32()) % max(1, file.bytes.count)
    file.set(place, width: 1, file.number(at: place, width: 1) ^ UInt64(input.byte()))
  }

  private static func setMeta(_ input: inout InputReader, _ file: inout HostileFile) {
    let fields = [
      (PageLayout.number, 8), (PageLayout.flags, 2), (MetaLayout.magic, 4),
      (MetaLayout.version, 4), (MetaLayout.version + 4, 8), (MetaLayout.mapSize, 8),
      (MetaLayout.lastPage, 8), (MetaLayout.transaction, 8), (MetaLayout.freeTree, 4),
      (MetaLayout.freeTree + TreeLayout.flags, 2), (MetaLayout.freeTree + TreeLayout.depth, 2),
      (MetaLayout.freeTree + TreeLayout.entries, 8), (MetaLayout.freeTree + TreeLayout.root, 8),
      (MetaLayout.mainTree + TreeLayout.flags, 2), (MetaLayout.mainTree + TreeLayout.depth, 2),
      (MetaLayout.mainTree + TreeLayout.entries, 8), (MetaLayout.mainTree + TreeLayout.root, 8),
    ]
    let field = fields[input.index(below: fields.count)]
    let meta = input.byte() & 1 == 0 ? file.newestMeta : file.pageSize - file.newestMeta
    setNumber(meta + field.0, width: field.1, &input, &file)
  }

  private static func setHead(_ input: inout InputReader, _ file: inout HostileFile) {
    let fields = [
      (PageLayout.number, 8), (8, 2), (PageLayout.flags, 2), (PageLayout.lower, 2),
      (PageLayout.upper, 2), (PageLayout.runLength, 4),
    ]
    let page = page(&input, file)
    let field = fields[input.index(below: fields.count)]
    setNumber(page * file.pageSize + field.0, width: field.1, &input, &file)
  }

  private static func setNodeOffset(_ input: inout InputReader, _ file: inout HostileFile) {
    let (page, index) = node(&input, file)
    setNumber(file.entry(page, index), width: 2, &input, &file)
  }

  private static func setNode(_ input: inout InputReader, _ file: inout HostileFile) {
    let (page, index) = node(&input, file)
    let fields = [
      (NodeLayout.low, 2), (NodeLayout.high, 2), (NodeLayout.flags, 2), (NodeLayout.keySize, 2),
    ]
    let field = fields[input.index(below: fields.count)]
    setNumber(file.node(page, index) + field.0, width: field.1, &input, &file)
  }

  private static func setTree(_ input: inout InputReader, _ file: inout HostileFile) {
    let fields = [
      (TreeLayout.padding, 4), (TreeLayout.flags, 2), (TreeLayout.depth, 2),
      (TreeLayout.branchPages, 8), (TreeLayout.leafPages, 8), (TreeLayout.overflowPages, 8),
      (TreeLayout.entries, 8), (TreeLayout.root, 8),
    ]
    let tree = file.tree(Int(input.byte()))
    let field = fields[input.index(below: fields.count)]
    setNumber(tree + field.0, width: field.1, &input, &file)
  }

  private static func setChild(_ input: inout InputReader, _ file: inout HostileFile) {
    let (page, index) = node(&input, file)
    let child = input.byte() < 200 ? UInt64(self.page(&input, file)) : input.number()
    let node = file.node(page, index)
    file.set(node + NodeLayout.low, width: 4, child)
    file.set(node + NodeLayout.flags, width: 2, child >> 32)
  }

  private static func copyPage(_ input: inout InputReader, _ file: inout HostileFile) {
    let source = page(&input, file)
    let target = page(&input, file)
    file.copyPage(source, over: target, keepsNumber: input.byte() & 1 == 0)
  }

  private static func cut(_ input: inout InputReader, _ file: inout HostileFile) {
    let pages = page(&input, file)
    let count = pages * file.pageSize + input.u16() % file.pageSize
    file.bytes.removeLast(max(0, file.bytes.count - count))
  }

  private static func setKey(_ input: inout InputReader, _ file: inout HostileFile) {
    let (page, index) = node(&input, file)
    setNumber(file.node(page, index) + NodeLayout.key, width: 8, &input, &file)
  }

  private static func setRun(_ input: inout InputReader, _ file: inout HostileFile) {
    let (page, index) = node(&input, file)
    let node = file.node(page, index)
    let run = input.byte() < 200 ? UInt64(self.page(&input, file)) : input.number()
    file.set(node + NodeLayout.flags, width: 2, UInt64(NodeLayout.overflow))
    file.set(file.data(node), width: 8, run)
  }

  private static func swapNodes(_ input: inout InputReader, _ file: inout HostileFile) {
    let (page, index) = node(&input, file)
    let other = input.index(below: max(1, file.nodeCount(page)))
    let (left, right) = (file.entry(page, index), file.entry(page, other))
    let kept = file.number(at: left, width: 2)
    file.set(left, width: 2, file.number(at: right, width: 2))
    file.set(right, width: 2, kept)
  }

  /// Two entries of a page with one node.
  private static func shareNode(_ input: inout InputReader, _ file: inout HostileFile) {
    let (page, index) = node(&input, file)
    let other = input.index(below: max(1, file.nodeCount(page)))
    file.set(
      file.entry(page, index), width: 2, file.number(at: file.entry(page, other), width: 2))
  }

  private static func zero(_ input: inout InputReader, _ file: inout HostileFile) {
    let start = page(&input, file) * file.pageSize
    for place in start..<start + file.pageSize { file.set(place, width: 1, 0) }
  }

  /// One table's tree in the place of another's.
  private static func rootAtRoot(_ input: inout InputReader, _ file: inout HostileFile) {
    let (left, right) = (file.tree(Int(input.byte())), file.tree(Int(input.byte())))
    for offset in stride(from: 0, to: TreeLayout.size, by: 8) {
      file.set(left + offset, width: 8, file.number(at: right + offset, width: 8))
    }
  }

  /// Bytes behind the end, up to a page.
  private static func append(_ input: inout InputReader, _ file: inout HostileFile) {
    let count = input.u16() % (file.pageSize + 1)
    file.bytes.append(contentsOf: repeatElement(input.byte(), count: count))
  }
}
