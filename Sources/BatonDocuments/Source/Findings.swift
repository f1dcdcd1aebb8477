/// The findings of one piece of work, as many as anybody will read.
struct Findings: Sendable {
  /// What a hostile source can make of the list is bounded by this.
  static let limit = 1000

  private(set) var list: [Finding] = []

  var isEmpty: Bool { list.isEmpty }

  mutating func add(
    _ message: @autoclosure () -> String, at place: Place, related: Place? = nil
  ) {
    guard list.count < Self.limit else { return }
    list.append(Finding(message(), at: place, related: related))
  }

  /// Throws all findings as diagnostics, if there are any.
  func check(in sources: [Source]) throws(DiagnosticsError) {
    guard list.isEmpty else { throw DiagnosticsError(list, in: sources) }
  }
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
