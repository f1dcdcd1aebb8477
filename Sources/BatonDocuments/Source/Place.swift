/// A byte of one of the sources at hand.
struct Place: Sendable, Hashable {
  /// The source's index among those the work is about.
  var source: Int
  /// The byte's offset in the source.
  var offset: Int
}

/// What was found wrong at a place, before the place is turned into line and column.
struct Finding: Sendable {
  var place: Place
  var message: String
  /// Another place the message is about, such as the first of two definitions.
  var related: Place?

  init(_ message: String, at place: Place, related: Place? = nil) {
    self.place = place
    self.message = message
    self.related = related
  }
}
