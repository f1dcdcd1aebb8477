/// A branch or leaf page whose header and nodes were checked against the page's bounds.
///
/// Owns its bytes. Every offset a `Node` of it holds lies inside them.
struct TreePage: Sendable {
  let number: UInt64
  let bytes: [UInt8]
  let isLeaf: Bool
  /// How many nodes the page has, at least one.
  let count: Int

  /// The page's place in the file.
  var offset: UInt64 { number * UInt64(bytes.count) }

  /// Checks the whole page `number` in `bytes`, as Docs/Format.md sections 14 and 17 have it:
  /// kind, bounds, and that the nodes fill the page from `upper` on without gap or overlap.
  ///
  /// Throws `damaged`. Cost: linear in the page.
  init(_ bytes: [UInt8], number: UInt64) throws(ImageError) {
    func damage(_ message: String, at place: Int = 0) -> ImageError {
      .page(number, size: bytes.count, message, at: place)
    }
    let span = bytes.span
    guard span.u64(at: PageLayout.number) == number else {
      throw damage("bears the page number \(span.u64(at: PageLayout.number))")
    }
    let flags = span.u16(at: PageLayout.flags)
    guard flags == PageKind.branch || flags == PageKind.leaf else {
      throw damage("not a page of a tree: flags \(flags)", at: PageLayout.flags)
    }
    let lower = Int(span.u16(at: PageLayout.lower))
    let upper = Int(span.u16(at: PageLayout.upper))
    guard lower > PageLayout.size, lower & 1 == 0, lower <= upper, upper <= bytes.count else {
      throw damage("bounds \(lower) and \(upper)", at: PageLayout.lower)
    }
    self.number = number
    self.bytes = bytes
    isLeaf = flags == PageKind.leaf
    count = (lower - PageLayout.size) / 2
    if let place = Self.misplacedNode(span, isLeaf: isLeaf, count: count, upper: upper) {
      throw damage("nodes overlap, leave a gap or pass the page's end", at: place)
    }
  }

  /// Where the nodes do not fill `upper...` exactly, each once, or nil when they do.
  private static func misplacedNode(
    _ span: Span<UInt8>, isLeaf: Bool, count: Int, upper: Int
  ) -> Int? {
    // Nodes begin at even offsets: a bit for each that one begins at.
    var starts = [UInt64](repeating: 0, count: (span.count + 127) / 128)
    var place = upper
    var found = 0
    while place < span.count {
      guard place & 1 == 0, place + NodeLayout.key <= span.count, found < count else {
        return place
      }
      starts[place >> 7] |= 1 << UInt64(place >> 1 & 63)
      place += Self.stride(span, at: place, isLeaf: isLeaf)
      found += 1
    }
    guard place == span.count, found == count else { return upper }
    for index in 0..<count {
      let entry = PageLayout.size + 2 * index
      let offset = Int(span.u16(at: entry))
      guard offset < span.count, offset & 1 == 0 else { return entry }
      let bit: UInt64 = 1 << UInt64(offset >> 1 & 63)
      guard starts[offset >> 7] & bit != 0 else { return entry }
      starts[offset >> 7] &= ~bit
    }
    return nil
  }

  /// The bytes from the node at `offset` to the next one.
  private static func stride(_ span: Span<UInt8>, at offset: Int, isLeaf: Bool) -> Int {
    var size = NodeLayout.key + Int(span.u16(at: offset + NodeLayout.keySize))
    if isLeaf {
      let flags = span.u16(at: offset + NodeLayout.flags)
      size +=
        flags & NodeLayout.overflow != 0
        ? NodeLayout.pageNumberSize : Int(span.u32(at: offset + NodeLayout.low))
    }
    return (size + 1) & ~1
  }

  /// The node at `index`, which must be below `count`.
  func node(_ index: Int) -> Node {
    let span = bytes.span
    let offset = Int(span.u16(at: PageLayout.size + 2 * index))
    return Node(
      offset: offset,
      flags: span.u16(at: offset + NodeLayout.flags),
      keySize: Int(span.u16(at: offset + NodeLayout.keySize)),
      size: span.u32(at: offset + NodeLayout.low))
  }

  /// The key of a node of this page.
  @_lifetime(borrow self)
  func key(_ node: Node) -> Span<UInt8> {
    bytes.span.extracting(node.offset + NodeLayout.key..<node.dataOffset)
  }

  /// The value kept in a leaf's node itself, which has no overflow run.
  func inlineData(_ node: Node) -> Range<Int> {
    node.dataOffset..<node.dataOffset + Int(node.size)
  }

  /// The first page of a leaf node's overflow run.
  func overflowPage(_ node: Node) -> UInt64 {
    bytes.span.u64(at: node.dataOffset)
  }
}

/// Where one node of a page lies.
struct Node: Sendable {
  /// From the start of the page.
  let offset: Int
  let flags: UInt16
  let keySize: Int
  /// In a leaf: bytes of the value, wherever it is. In a branch: the low half of `child`.
  let size: UInt32

  var dataOffset: Int { offset + NodeLayout.key + keySize }

  /// The page a branch's node leads to.
  var child: UInt64 { UInt64(size) | UInt64(flags) << 32 }
}

extension ImageError {
  /// Damage of one page, at `place` in it.
  static func page(
    _ number: UInt64, size: Int, _ message: String, at place: Int = 0
  ) -> ImageError {
    let start = number.multipliedReportingOverflow(by: UInt64(size))
    return .damaged(
      Damage(
        "page \(number)", offset: start.overflow ? nil : start.partialValue &+ UInt64(place),
        message))
  }
}
