/// A row read in place: Docs/Format.md section 6.
///
/// A view borrows the row's bytes and decodes nothing until asked: a field is found by binary
/// search in the directory. Lengths are checked where they are used, so a row made by a hostile
/// hand is reported and never read past, whatever its checksum says.
package struct RowView: ~Escapable {
  package let bytes: Span<UInt8>
  package let cellCount: Int
  private let keyStart: Int
  private let keyCount: Int

  /// A view of a whole value of the table `records`, whose checksum the source verified.
  ///
  /// Throws `damaged` when the header doesn't fit the value.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, number: UInt32) throws(ImageError) {
    guard bytes.count >= RowLayout.directory else {
      throw .damaged(Damage("row \(number)", "it is shorter than a row's header"))
    }
    let cellCount = Int(bytes.u16(at: RowLayout.cellCount))
    let keyCount = Int(bytes.u32(at: RowLayout.keyLength))
    let keyStart = RowLayout.directory + RowLayout.entrySize * cellCount
    guard keyStart + keyCount <= bytes.count else {
      throw .damaged(Damage("row \(number)", "its directory and key are longer than the row"))
    }
    self.bytes = bytes
    self.cellCount = cellCount
    self.keyStart = keyStart
    self.keyCount = keyCount
  }

  /// The name number of the record's type, 0 when no response said it.
  package var type: UInt32 { bytes.u32(at: RowLayout.type) }

  /// The commit that last changed the row.
  package var commit: UInt64 { bytes.u64(at: RowLayout.commit) }

  package var flags: RowFlags { RowFlags(rawValue: bytes.u16(at: RowLayout.flags)) }

  /// The key's bytes: an id or a path, as `flags` says.
  package var key: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(keyStart..<keyStart + keyCount) }
  }

  /// What the table `ids` lists the record under.
  var keyHash: UInt64 { BatonImage.keyHash(key, isPath: flags.contains(.pathKey)) }

  /// Whether the record has this key, a path or an id.
  @inline(__always)
  func hasKey(_ other: Span<UInt8>, isPath: Bool) -> Bool {
    flags.contains(.pathKey) == isPath && key.isEqual(to: other)
  }

  /// Whether a value is the row of a record with this key, a path or an id, that has not become
  /// another one. False too for what has not a row's form.
  @inline(__always)
  static func isLive(_ value: Span<UInt8>, key: Span<UInt8>, isPath: Bool) -> Bool {
    guard value.count >= RowLayout.directory,
      Int(value.u32(at: RowLayout.keyLength)) == key.count
    else { return false }
    let flags = RowFlags(rawValue: value.u16(at: RowLayout.flags))
    let start =
      RowLayout.directory &+ RowLayout.entrySize &* Int(value.u16(at: RowLayout.cellCount))
    return flags.contains(.pathKey) == isPath && !flags.contains(.moved)
      && start <= value.count &- key.count
      && value.extracting(start..<start &+ key.count).isEqual(to: key)
  }

  /// The field of the directory's entry `index`.
  @inline(__always)
  package func field(at index: Int) -> UInt32 {
    bytes.u32(at: RowLayout.directory &+ RowLayout.entrySize &* index)
  }

  /// The cell of the directory's entry `index`.
  @inline(__always)
  @_lifetime(copy self)
  package func cell(at index: Int) throws(ImageError) -> CellView {
    try CellView(bytes.extracting(range(at: index)))
  }

  /// Where the cell of the directory's entry `index` lies in the row; never empty.
  @inline(__always)
  func range(at index: Int) throws(ImageError) -> Range<Int> {
    let entry = RowLayout.directory &+ RowLayout.entrySize &* index
    let start = Int(bytes.u32(at: entry &+ 4))
    let end =
      index &+ 1 < cellCount
      ? Int(bytes.u32(at: entry &+ RowLayout.entrySize &+ 4)) : bytes.count
    guard start >= dataStart, start < end, end <= bytes.count else { throw Self.outside(index) }
    return start..<end
  }

  /// Where the cells may lie: behind the directory and the key.
  @inline(__always)
  var dataStart: Int { keyStart &+ keyCount }

  @inline(never)
  static func outside(_ index: Int) -> ImageError {
    .damaged(Damage("row", "cell \(index) lies outside the row"))
  }

  /// The directory's entry of a field: its index, or nil. Binary search, no decoding.
  @inline(__always)
  package func index(of field: UInt32) -> Int? {
    var low = 0
    var high = cellCount
    while low < high {
      let middle = (low &+ high) &>> 1
      let found = self.field(at: middle)
      if found == field { return middle }
      if found < field { low = middle &+ 1 } else { high = middle }
    }
    return nil
  }

  /// The record a moved row leads to; nil for any other row.
  package func target() throws(ImageError) -> UInt32? {
    guard flags.contains(.moved) else { return nil }
    guard cellCount == 1, field(at: 0) == 0, let target = try cell(at: 0).link else {
      throw .damaged(Damage("row", "it is moved and leads to no record"))
    }
    return target
  }
}

/// Where a record without an id was found: Docs/Format.md section 8.
package struct PathKey: Sendable, Hashable {
  package var parent: UInt32
  package var field: UInt32
  package var type: UInt32
  package var indexes: [UInt32]

  package init(parent: UInt32, field: UInt32, type: UInt32, indexes: [UInt32]) {
    self.parent = parent
    self.field = field
    self.type = type
    self.indexes = indexes
  }

  /// Decodes the key of a row with the flag `pathKey`; nil when it has not a path key's form.
  package init?(_ key: Span<UInt8>) {
    guard key.count >= 12, key.count % 4 == 0 else { return nil }
    parent = key.u32(at: 0)
    field = key.u32(at: 4)
    type = key.u32(at: 8)
    indexes = []
    for offset in stride(from: 12, to: key.count, by: 4) { indexes.append(key.u32(at: offset)) }
  }

  /// Appends the key's bytes.
  func append<Sink: ByteSink & ~Copyable>(to bytes: inout Sink) {
    bytes.append(u32: parent)
    bytes.append(u32: field)
    bytes.append(u32: type)
    for index in indexes { bytes.append(u32: index) }
  }
}
