/// Checks that kept source texts are JSON, one text after another.
struct JSONCheck: ~Copyable {
  private var indexer: JSONIndexer

  /// Throws `engine` when there is no memory for the index.
  init() throws(ImageError) {
    indexer = try JSONIndexer()
  }

  /// Whether the bytes are one JSON value and no more. Linear, without recursion.
  mutating func isValue(_ text: Span<UInt8>) -> Bool {
    guard text.count > 0 else { return false }
    do throws(ImageError) {
      try indexer.index(text)
      var reader = indexer.reader
      try reader.skip()
      return reader.isAtEnd
    } catch {
      return false
    }
  }
}
