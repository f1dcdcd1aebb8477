import Foundation

/// Draws a figure as SVG.
struct FigureDrawing {
  let figure: Figure
  let theme: Theme
  private let scale: Scale

  private static let width = 760.0
  private static let margin = 24.0
  /// Where bars begin: right of their names.
  private static let left = 250.0
  /// Where the scale ends, which leaves room for the longest bar's figure.
  private static let right = 672.0
  private static let top = 84.0
  private static let pitch = 46.0
  private static let barHeight = 24.0

  private var bottom: Double { Self.top + Double(figure.bars.count) * Self.pitch }
  private var height: Double { bottom + 62 }

  init(_ figure: Figure, _ theme: Theme) {
    self.figure = figure
    self.theme = theme
    scale = figure.scale
  }

  var svg: String {
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(Self.width)) \
      \(number(height))" width="\(number(Self.width))" height="\(number(height))" role="img" \
      font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
      """,
      "<title>\(Self.escaped(figure.title))</title>",
      "<desc>\(Self.escaped(description))</desc>",
      "<rect width=\"100%\" height=\"100%\" fill=\"\(theme.background)\"/>",
      text(figure.title, Self.margin, 34, size: 19, weight: 600),
      text(figure.subtitle, Self.margin, 57, size: 14, isMuted: true),
    ]
    lines += scale.ticks.map(gridLine)
    for (index, bar) in figure.bars.enumerated() { lines += draw(bar, index) }
    lines.append(
      text(axisTitle, (Self.left + Self.right) / 2, bottom + 44, size: 13, "middle", isMuted: true))
    lines.append("</svg>")
    return lines.joined(separator: "\n") + "\n"
  }

  private var axisTitle: String {
    figure.measure + (scale.isLogarithmic ? ", logarithmic" : "") + ", shorter is better"
  }

  /// The figure for who can't see it.
  private var description: String {
    figure.subtitle + ", " + figure.measure + ": "
      + figure.bars.map { "\($0.name) (\($0.detail)) \(TimeText.value($0.nanoseconds))" }
      .joined(separator: "; ")
  }

  // MARK: Parts

  private func gridLine(_ tick: Double) -> String {
    let x = x(of: tick)
    return """
      <path d="M\(number(x)) \(number(Self.top - 6))V\(number(bottom))" stroke="\(theme.grid)"/>
      \(text(TimeText.tick(tick), x, bottom + 20, size: 13, "middle", isMuted: true))
      """
  }

  private func draw(_ bar: Figure.Bar, _ index: Int) -> [String] {
    let top = Self.top + Double(index) * Self.pitch
    let middle = top + Self.barHeight / 2
    let end = x(of: bar.nanoseconds)
    let value = TimeText.value(bar.nanoseconds)
    let weight = bar.isImage ? 600 : 400
    return [
      text(bar.name, Self.margin, middle - 2, size: 15, weight: weight),
      text(bar.detail, Self.margin, middle + 15, size: 12, isMuted: true),
      """
      <rect x="\(number(Self.left))" y="\(number(top))" width="\(number(end - Self.left))" \
      height="\(number(Self.barHeight))" rx="2" fill="\(bar.isImage ? theme.image : theme.others)"/>
      """,
      // Keeps the lines behind from crossing the figure.
      """
      <rect x="\(number(end + 4))" y="\(number(top))" \
      width="\(number(8 + 8 * Double(value.count)))" height="\(number(Self.barHeight))" \
      fill="\(theme.background)"/>
      """,
      text(value, end + 8, middle + 5, size: 14, weight: weight),
    ]
  }

  private func text(
    _ content: String, _ x: Double, _ y: Double, size: Int, _ anchor: String = "start",
    weight: Int = 400, isMuted: Bool = false
  ) -> String {
    """
    <text x="\(number(x))" y="\(number(y))" font-size="\(size)" font-weight="\(weight)" \
    text-anchor="\(anchor)" fill="\(isMuted ? theme.mutedText : theme.text)">\
    \(Self.escaped(content))</text>
    """
  }

  private func x(of time: Double) -> Double {
    Self.left + scale.position(of: time) * (Self.right - Self.left)
  }

  private func number(_ value: Double) -> String {
    String(format: "%g", (value * 10).rounded() / 10)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing("\u{B5}", with: "&#181;")
  }
}
