/// The colours of a figure.
enum Theme: String, CaseIterable {
  case light, dark

  var background: String { self == .light ? "#ffffff" : "#0d1117" }
  var text: String { self == .light ? "#1f2328" : "#e6edf3" }
  /// For what explains: of a contrast of at least 4.5 with the background.
  var mutedText: String { self == .light ? "#59636e" : "#9198a1" }
  var grid: String { self == .light ? "#d8dee4" : "#30363d" }
  var image: String { self == .light ? "#0969da" : "#4493f8" }
  var others: String { self == .light ? "#afb8c1" : "#57606a" }
}
