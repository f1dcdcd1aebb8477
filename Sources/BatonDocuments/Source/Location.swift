/// A line and a column, both counted from 1.
///
/// A line ends at LF, CR or CR LF. A column counts Unicode scalars, not bytes; a byte order mark
/// at the start counts as none.
struct Location: Sendable, Hashable {
  var line: Int
  var column: Int
}

extension Source {
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The offset of the first byte after a byte order mark.
  var start: Int { bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0 }

  /// The locations of `offsets`, which must ascend, in one walk over the bytes.
  ///
  /// An offset past the end is located at the end.
  func locations(of offsets: [Int]) -> [Location] {
    var found: [Location] = []
    found.reserveCapacity(offsets.count)
    var walk = LocationWalk(offset: start)
    for offset in offsets {
      walk.advance(to: min(offset, bytes.count), in: bytes.span)
      found.append(Location(line: walk.line, column: walk.column))
    }
    return found
  }
}

/// A position that moves forward over a source and counts lines and columns as it goes.
private struct LocationWalk {
  var offset: Int
  var line = 1
  var column = 1

  mutating func advance(to target: Int, in bytes: Span<UInt8>) {
    while offset < target {
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case 0x0A:
        startLine()
      case 0x0D:
        // CR LF is one terminator: the LF that follows starts the line.
        if offset < bytes.count, bytes[offset] == 0x0A { continue }
        startLine()
      case 0x80...0xBF:
        break
      default:
        column += 1
      }
    }
  }

  private mutating func startLine() {
    line += 1
    column = 1
  }
}
