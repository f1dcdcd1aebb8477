/// Finds what a misspelt name may have meant.
///
/// Comparing costs time, so that only so many names are looked for in one piece of work; after
/// that messages go without.
struct Suggestions: Sendable {
  private static let longestName = 64
  private var steps = 20_000_000

  /// `; did you mean 'x'?`, or nothing.
  mutating func phrase(for name: String, among candidates: some Sequence<String>) -> String {
    guard name.utf8.count <= Self.longestName else { return "" }
    let name = Array(name.utf8)
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      guard steps > 0 else { break }
      steps -= 1
      let limit = name.count < 3 ? 0 : name.count / 3
      guard abs(candidate.utf8.count - name.count) <= limit else { continue }
      steps -= name.count * candidate.utf8.count
      let distance = Self.distance(name, Array(candidate.utf8))
      guard distance <= limit else { continue }
      if let best, (best.distance, best.name) <= (distance, candidate) { continue }
      best = (candidate, distance)
    }
    return best.map { "; did you mean '\($0.name)'?" } ?? ""
  }

  /// How many bytes must be put in, taken out or replaced; case alone counts nothing.
  private static func distance(_ one: [UInt8], _ two: [UInt8]) -> Int {
    var row = Array(0...two.count)
    for (index, byte) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in two.indices {
        let isSame = byte | 0x20 == two[column] | 0x20
        let replaced = diagonal + (isSame ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, min(row[column], diagonal) + 1)
      }
    }
    return row[two.count]
  }
}
