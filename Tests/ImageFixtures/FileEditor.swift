package import BatonImage

/// The bytes of an engine's file, with the means to find and change its structures: what a hostile
/// hand would do. Reads only what the engine wrote, so it trusts it.
package struct FileEditor {
  package var bytes: [UInt8]
  package static let pageSize = 4096

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package func u16(_ offset: Int) -> Int { Int(bytes.span.u16(at: offset)) }
  package func u32(_ offset: Int) -> Int { Int(bytes.span.u32(at: offset)) }
  package func u64(_ offset: Int) -> UInt64 { bytes.span.u64(at: offset) }

  package mutating func set16(_ offset: Int, _ value: Int) {
    bytes[offset] = UInt8(truncatingIfNeeded: value)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
  }

  package mutating func set32(_ offset: Int, _ value: Int) {
    set16(offset, value)
    set16(offset + 2, value >> 16)
  }

  package mutating func set64(_ offset: Int, _ value: UInt64) {
    set32(offset, Int(truncatingIfNeeded: value & 0xFFFF_FFFF))
    set32(offset + 4, Int(truncatingIfNeeded: value >> 32))
  }

  /// Where the newest meta page begins, and the other one.
  package var newestMeta: Int { u64(144) >= u64(4096 + 144) ? 0 : 4096 }
  package var olderMeta: Int { 4096 - newestMeta }

  package var mainRoot: Int { Int(u64(newestMeta + 88 + 40)) }
  /// Where the record of the free tree begins.
  package var freeTree: Int { newestMeta + 40 }

  /// How many nodes a page has.
  package func count(_ page: Int) -> Int { (u16(page * Self.pageSize + 12) - 16) / 2 }

  /// Where the offset of a node stands.
  package func entry(_ page: Int, _ index: Int) -> Int { page * Self.pageSize + 16 + 2 * index }

  /// Where a node begins in the file.
  package func node(_ page: Int, _ index: Int) -> Int {
    page * Self.pageSize + u16(entry(page, index))
  }

  /// Where a node's value or run number begins.
  package func data(_ node: Int) -> Int { node + 8 + u16(node + 6) }

  package func child(_ page: Int, _ index: Int) -> Int {
    let node = node(page, index)
    return u32(node) | u16(node + 4) << 32
  }

  package mutating func setChild(_ page: Int, _ index: Int, _ child: Int) {
    let node = node(page, index)
    set32(node, child)
    set16(node + 4, child >> 32)
  }

  /// Where a table's record begins.
  package func tree(_ table: ImageTable) -> Int {
    for index in 0..<count(mainRoot) {
      let node = node(mainRoot, index)
      let key = bytes[node + 8..<node + 8 + u16(node + 6)]
      if Array(key) == Array(table.name.utf8) { return data(node) }
    }
    preconditionFailure("no table \(table)")
  }

  package func root(_ table: ImageTable) -> Int { Int(u64(tree(table) + 40)) }
  package func depth(_ table: ImageTable) -> Int { u16(tree(table) + 6) }

  /// The leaf that the first children lead to.
  package func firstLeaf(_ table: ImageTable) -> Int {
    var page = root(table)
    for _ in 1..<depth(table) { page = child(page, 0) }
    return page
  }

  /// A leaf's node whose value is in an overflow run.
  package func overflowNode(_ table: ImageTable) -> Int {
    let branch = root(table)
    for index in 0..<count(branch) {
      let leaf = child(branch, index)
      for index in 0..<count(leaf) {
        let node = node(leaf, index)
        if u16(node + 4) == 1 { return node }
      }
    }
    preconditionFailure("no overflow run in \(table)")
  }

  /// Appends a page that the state counts as its last, and returns its number.
  package mutating func appendPage(_ make: (_ number: Int) -> [UInt8]) -> Int {
    let number = bytes.count / Self.pageSize
    bytes += make(number)
    set64(newestMeta + 136, UInt64(number))
    return number
  }

  /// A branch page whose nodes, with empty first keys, lead to `children`.
  package static func branch(_ number: Int, _ children: [(key: UInt64, child: Int)]) -> [UInt8] {
    var page = FileEditor([UInt8](repeating: 0, count: pageSize))
    page.set64(0, UInt64(number))
    page.set16(10, 1)
    page.set16(12, 16 + 2 * children.count)
    var place = pageSize
    for (index, (key, child)) in children.enumerated() {
      place -= index == 0 ? 8 : 16
      page.set16(16 + 2 * index, place)
      page.set32(place, child)
      if index > 0 {
        page.set16(place + 6, 8)
        page.set64(place + 8, key)
      }
    }
    page.set16(14, place)
    return page.bytes
  }
}
