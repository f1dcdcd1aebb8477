/// Whether records are looked for in the order they were found in: what one response brought has
/// numbers close to one another, and is asked for together again.
///
/// While it is so, the next one is looked for among the rows behind the last, which lie in the same
/// page mostly. The index scatters by hash: each search of it touches a page of its own.
struct SearchOrder {
  /// How many rows behind the last are looked at: as many as subjects of a list bring, each with
  /// what it leads to.
  static let reach: UInt32 = 16

  private var last: UInt32 = 0
  private var isNear = true

  /// The number the next search begins at; nil where it is of no use.
  var start: UInt32? { isNear && last > 0 && last < .max - Self.reach ? last + 1 : nil }

  mutating func note(_ number: UInt32) {
    isNear = last == 0 || (number > last && number - last <= Self.reach)
    last = number
  }
}
