/// The links of a cell, wherever they stand in it.
enum CellLinks {
  /// Where the record numbers of a cell's links begin, as offsets in the whole cell; those of null
  /// elements too.
  ///
  /// Throws `damaged` when a nested list hasn't a list's form.
  static func offsets(in cell: borrowing CellView) throws(ImageError) -> [Int] {
    let payload = cell.payload
    let start = cell.bytes.count - payload.count
    switch cell.kind {
    case .link: return payload.count == 4 ? [start] : []
    case .links: return Array(stride(from: start, to: cell.bytes.count - 3, by: 4))
    case .list:
      var offsets: [Int] = []
      try append(payload, from: start, depth: 0, to: &offsets)
      return offsets
    default: return []
    }
  }

  private static func append(
    _ elements: Span<UInt8>, from start: Int, depth: Int, to offsets: inout [Int]
  ) throws(ImageError) {
    guard depth <= CellKind.maximumDepth else { throw damaged }
    var reader = ByteReader(elements)
    while !reader.isAtEnd {
      guard let kind = reader.byte(), let count = reader.length() else { throw damaged }
      let place = start + reader.position
      guard let part = reader.part(count) else { throw damaged }
      if kind == CellKind.link.rawValue, part.count == 4 { offsets.append(place) }
      if kind == CellKind.list.rawValue {
        try append(part, from: place, depth: depth + 1, to: &offsets)
      }
    }
  }

  private static var damaged: ImageError { .damaged(Damage("cell", "a list is cut")) }
}
