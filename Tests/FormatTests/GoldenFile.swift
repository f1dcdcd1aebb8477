import Foundation

/// A text file of cases, whose bytes were written from the rules and not by the code.
///
/// Cases are lines without an empty one between them. Lines that begin with # are for people.
struct GoldenFile {
  /// The lines of each case.
  let cases: [[String]]

  init(_ name: String) throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
    let text = try String(contentsOf: path, encoding: .utf8)
    var cases: [[String]] = []
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        if !lines.isEmpty { cases.append(lines) }
        lines = []
      } else if !line.hasPrefix("#") {
        lines.append(String(line))
      }
    }
    if !lines.isEmpty { cases.append(lines) }
    self.cases = cases
  }

  /// The bytes of a line, in which `<HH>` is one byte in hexadecimal digits and `<HH*N>` as many.
  static func bytes(_ line: some StringProtocol) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Substring(line)
    while let match = rest.firstMatch(of: /<([0-9a-f]{2})(?:\*([0-9]+))?>/) {
      bytes += rest[..<match.range.lowerBound].utf8
      let count = match.2.flatMap { Int($0) } ?? 1
      if let byte = UInt8(match.1, radix: 16) { bytes += Array(repeating: byte, count: count) }
      rest = rest[match.range.upperBound...]
    }
    return bytes + rest.utf8
  }

  /// Bytes for people: text, with the bytes that are none as `<HH>`.
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
      (0x20..<0x7F).contains(byte)
        ? String(UnicodeScalar(byte)) : "<\(hexadecimal([byte]))>"
    }.joined()
  }
}
