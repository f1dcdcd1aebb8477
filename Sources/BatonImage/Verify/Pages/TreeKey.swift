/// The keys of a tree: numbers in all tables of an image, text in the engine's main tree.
protocol TreeKey: Comparable, Sendable {
  /// The key in a node, or nil when its bytes are not one.
  init?(node bytes: Span<UInt8>)
}

extension UInt64: TreeKey {
  init?(node bytes: Span<UInt8>) {
    guard bytes.count == 8 else { return nil }
    self = bytes.u64(at: 0)
  }
}

/// A key of the main tree: a table's name, ordered as unsigned bytes.
struct TableName: TreeKey, CustomStringConvertible {
  let bytes: [UInt8]

  init(_ name: String) {
    bytes = Array(name.utf8)
  }

  init?(node bytes: Span<UInt8>) {
    guard bytes.count > 0 else { return nil }
    self.bytes = bytes.copy()
  }

  static func < (left: TableName, right: TableName) -> Bool {
    left.bytes.span.precedes(right.bytes.span)
  }

  var description: String { String(decoding: bytes, as: UTF8.self) }
}
