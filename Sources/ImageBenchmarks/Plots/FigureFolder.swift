import Foundation

/// Where figures are written, each in both themes.
struct FigureFolder {
  let path: String

  /// Writes what the answers have figures of, and tells the files' names.
  func write(_ answers: [Answer]) throws -> [String] {
    let folder = URL(fileURLWithPath: path, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var names: [String] = []
    for answer in answers {
      for figure in FigureSource.all.compactMap({ $0.figure(of: answer) }) {
        for theme in Theme.allCases {
          let name = "\(figure.name)-\(theme.rawValue).svg"
          try Data(FigureDrawing(figure, theme).svg.utf8).write(to: folder.appending(path: name))
          names.append(name)
        }
      }
    }
    return names
  }
}
