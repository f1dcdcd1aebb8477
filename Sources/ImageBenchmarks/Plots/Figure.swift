/// A bar chart of how long contenders took.
struct Figure {
  struct Bar {
    /// What is compared.
    var name: String
    /// What it does here, in few words.
    var detail: String
    var nanoseconds: Double
    /// Whether it is the image's, which stands out.
    var isImage: Bool
  }

  /// The file's name without an ending.
  var name: String
  var title: String
  /// What was done, and on what.
  var subtitle: String
  /// What a bar's length is: `median time of a row`.
  var measure: String
  var bars: [Bar]

  /// The scale that shows the shortest bar beside the longest.
  var scale: Scale { Scale(bars.map(\.nanoseconds)) }
}
