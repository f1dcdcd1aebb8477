/// A fingerprint of a set of pairs that doesn't depend on their order: two tables that must hold
/// the same pairs are compared without looking a single one up.
///
/// Sums of a hash that is keyed anew in each process, so no file can be made to fit it. Kept in
/// parts by the pair's first number: where two differ, only the pairs of that part are looked up.
struct Fingerprint {
  private var sums = [UInt64](repeating: 0, count: 4096)

  mutating func add(_ first: UInt64, _ second: UInt64) {
    var hasher = Hasher()
    hasher.combine(first)
    hasher.combine(second)
    sums[Self.part(first)] &+= UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private static func part(_ first: UInt64) -> Int {
    Int(truncatingIfNeeded: (first &* 0x9E37_79B9_7F4A_7C15) >> 52)
  }

  /// Whether the pairs with this first number may differ from those of the other.
  func differs(from other: Fingerprint, at first: UInt64) -> Bool {
    sums[Self.part(first)] != other.sums[Self.part(first)]
  }

  func differs(from other: Fingerprint) -> Bool { sums != other.sums }
}

/// The fingerprints of one verification.
struct CrossReferences {
  /// (hash of kind and text, number), by `names` and by `nameids`.
  var names = Fingerprint()
  var nameids = Fingerprint()
  /// (upper half of the record key's hash, number), by `records` and by `ids`.
  var rows = Fingerprint()
  var ids = Fingerprint()
  /// (hash of the natural key, number), by `keys` and by `keysof`.
  var keys = Fingerprint()
  var keysof = Fingerprint()
  /// Moved rows met before the row they lead to: from, to.
  var moves: [(from: UInt32, to: UInt32)] = []
}
