/// The keys of an image's records for a dump, asked for in ascending order of numbers.
///
/// A path's text is made of its parent's, whose number is lower: each row is read once or twice,
/// however deep paths go.
struct ExportKeys {
  /// The texts of the paths so far; none for a path that nothing leads to.
  private var paths: [UInt32: String] = [:]
  private var count = 0
  private var bytes = 0

  /// The bytes of all paths' texts, beside some for each record. A small file can state paths whose
  /// texts fill any memory.
  private static let maximumBytes = 16 << 20
  private static let bytesPerRecord = 1024

  /// The record's key; nil for one that the dump leaves out: it is another one now, or was given up,
  /// or was found below one that is or was.
  ///
  /// Throws `limit` when the paths' texts take too much memory.
  mutating func key<Source: RecordSource & ~Copyable>(
    of number: UInt32, in source: borrowing Source
  ) throws(ImageError) -> String? {
    count += 1
    if let root = RootNames.text(of: number) { return root }
    guard let row = try source.row(number), !row.flags.contains(.moved) else { return nil }
    let isEvicted = row.flags.contains(.evicted)
    guard row.flags.contains(.pathKey) else { return isEvicted ? nil : row.key.text() }
    guard let path = PathKey(row.key), path.parent < number, path.parent > 0 else {
      throw .damaged(Damage("record \(number)", "its path is none"))
    }
    guard let parent = try text(ofParent: path.parent, in: source) else { return nil }
    let text = parent + (try source.text(ofStep: path))
    bytes += text.utf8.count
    guard bytes <= Self.maximumBytes + count * Self.bytesPerRecord else {
      throw .limit("the paths of records take more than \(bytes) bytes to write")
    }
    paths[number] = text
    return isEvicted ? nil : text
  }

  private func text<Source: RecordSource & ~Copyable>(
    ofParent number: UInt32, in source: borrowing Source
  ) throws(ImageError) -> String? {
    if let text = RootNames.text(of: number) ?? paths[number] { return text }
    guard let row = try source.row(number), row.flags.isDisjoint(with: [.moved, .pathKey])
    else { return nil }
    return row.key.text()
  }
}
