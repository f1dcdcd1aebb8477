import Foundation

/// A folder of its own, removed at the end.
final class Scratch {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "image-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in the folder.
  func path(_ name: String) -> String {
    url.appending(path: name).path(percentEncoded: false)
  }

  /// The bytes of a file and of those beside it whose names it begins.
  func size(of name: String) throws -> Int {
    var total = 0
    for file in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      guard file == name || file.hasPrefix(name + "-wal") else { continue }
      let attributes = try FileManager.default.attributesOfItem(atPath: path(file))
      total += (attributes[.size] as? Int) ?? 0
    }
    return total
  }

  /// Reads a file through, so that no reading of it waits for the medium.
  func warm(_ name: String) throws {
    let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path(name)))
    while let part = try handle.read(upToCount: 1 << 20), !part.isEmpty {}
    try handle.close()
  }
}
