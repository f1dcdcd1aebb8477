/// A name and the offset it stands at.
struct Name: Sendable {
  var text: String
  var offset: Int
}
