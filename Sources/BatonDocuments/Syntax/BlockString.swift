/// The value of a block string, by the specification's `BlockStringValue`.
///
/// The indentation that all lines but the first share is taken off, then blank lines at both ends;
/// lines are joined with LF, whatever ended them in the source.
enum BlockString {
  /// The value of `raw`, the bytes between the triple quotes with `\"""` still escaped.
  static func value(of raw: ArraySlice<UInt8>) -> [UInt8] {
    var lines = lines(of: raw)
    let common = lines.dropFirst().compactMap(indentation).min() ?? 0
    for index in lines.indices.dropFirst() {
      lines[index] = lines[index].dropFirst(common)
    }
    let first = lines.firstIndex { !isBlank($0) } ?? lines.endIndex
    let last = lines.lastIndex { !isBlank($0) } ?? lines.startIndex - 1
    guard first <= last else { return [] }
    var value: [UInt8] = []
    for index in first...last {
      if index > first { value.append(0x0A) }
      appendUnescaped(lines[index], to: &value)
    }
    return value
  }

  private static func lines(of raw: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = raw.startIndex
    var index = start
    while index < raw.endIndex {
      let byte = raw[index]
      index += 1
      guard byte == 0x0A || byte == 0x0D else { continue }
      lines.append(raw[start..<index - 1])
      if byte == 0x0D, index < raw.endIndex, raw[index] == 0x0A { index += 1 }
      start = index
    }
    lines.append(raw[start...])
    return lines
  }

  /// How many spaces and tabs a line starts with; nil for a line of nothing else.
  private static func indentation(_ line: ArraySlice<UInt8>) -> Int? {
    line.firstIndex { !isWhiteSpace($0) }.map { $0 - line.startIndex }
  }

  private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
    line.allSatisfy(isWhiteSpace)
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09
  }

  private static func appendUnescaped(_ line: ArraySlice<UInt8>, to value: inout [UInt8]) {
    let escaped = Array(#"\""""#.utf8)
    var rest = line
    while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
      value += rest[..<backslash]
      rest = rest[backslash...]
      if rest.starts(with: escaped) {
        value += escaped.dropFirst()
        rest = rest.dropFirst(escaped.count)
      } else {
        value.append(UInt8(ascii: "\\"))
        rest = rest.dropFirst()
      }
    }
    value += rest
  }
}
