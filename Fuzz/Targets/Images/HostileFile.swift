import BatonImage
import ImageFixtures

/// The bytes of an image's file with the means to make its structures lie. What earlier changes
/// broke is never trusted: a place outside the file reads as 0 and takes no bytes.
struct HostileFile {
  var bytes: [UInt8]
  let pageSize: Int

  init(_ bytes: [UInt8], pageSize: Int) {
    self.bytes = bytes
    self.pageSize = pageSize
  }

  /// Whole pages, at least one.
  var pageCount: Int { max(1, bytes.count / pageSize) }

  func number(at place: Int, width: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<width where bytes.indices.contains(place + index) {
      value |= UInt64(bytes[place + index]) << UInt64(8 * index)
    }
    return value
  }

  mutating func set(_ place: Int, width: Int, _ value: UInt64) {
    for index in 0..<width where bytes.indices.contains(place + index) {
      bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
    }
  }

  /// Where the meta page of the newer state begins.
  var newestMeta: Int {
    let second = pageSize + MetaLayout.transaction
    return number(at: MetaLayout.transaction, width: 8) >= number(at: second, width: 8)
      ? 0 : pageSize
  }

  /// How many nodes a page says it has, no more than fit.
  func nodeCount(_ page: Int) -> Int {
    let lower = Int(number(at: page * pageSize + PageLayout.lower, width: 2))
    return max(0, min(lower, pageSize) - PageLayout.size) / 2
  }

  /// Where the offset of a node stands.
  func entry(_ page: Int, _ index: Int) -> Int { page * pageSize + PageLayout.size + 2 * index }

  /// Where a node begins, wherever that is.
  func node(_ page: Int, _ index: Int) -> Int {
    page * pageSize + Int(number(at: entry(page, index), width: 2))
  }

  /// Where a node's value, run number or tree record begins.
  func data(_ node: Int) -> Int {
    node + NodeLayout.key + Int(number(at: node + NodeLayout.keySize, width: 2))
  }

  /// Where the tree's record of one of the tables begins, by its place in the main tree's root.
  func tree(_ index: Int) -> Int {
    let root = Int(
      truncatingIfNeeded: number(
        at: newestMeta + MetaLayout.mainTree + TreeLayout.root, width: 8))
    guard root > 0, root < pageCount else { return newestMeta + MetaLayout.mainTree }
    let count = nodeCount(root)
    return count == 0 ? newestMeta + MetaLayout.mainTree : data(node(root, index % count))
  }

  mutating func copyPage(_ source: Int, over target: Int, keepsNumber: Bool) {
    let from = source * pageSize
    let to = target * pageSize
    guard from + pageSize <= bytes.count, to + pageSize <= bytes.count else { return }
    let number = number(at: to, width: 8)
    bytes.replaceSubrange(to..<to + pageSize, with: Array(bytes[from..<from + pageSize]))
    if keepsNumber { set(to, width: 8, number) }
  }
}
