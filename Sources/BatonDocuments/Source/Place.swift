/// A byte of one of the sources at hand.
struct Place: Sendable, Hashable {
  /// The source's index among those the work is about.
  var source: Int
  /// The byte's offset in the source.
  var offset: Int
}
