extension Array {
  /// The elements without those that an equal one follows, in order.
  ///
  /// What a response says twice is decided before anything is written: written one after the other,
  /// two values of one thing would take each other back in every commit of the same response. Linear,
  /// as a response may say one thing a hundred thousand times.
  ///
  /// - Parameter key: What equal elements have in common.
  func lastOfEqual<Key: Hashable>(_ key: (Element) -> Key) -> [Element] {
    guard count > 1 else { return self }
    var later: Set<Key> = []
    return reversed().filter { later.insert(key($0)).inserted }.reversed()
  }
}
