import Foundation
import LMDB

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

  /// The bytes that a file and those beside it whose names it begins take on the disk, and their
  /// length, which may be more where room was given back.
  func size(of name: String) throws -> (allocated: Int, length: Int) {
    var total = (allocated: 0, length: 0)
    for file in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      guard file == name || file.hasPrefix(name + "-wal") else { continue }
      guard let found = try FileInformation(path: path(file)) else { continue }
      total.allocated += found.room.allocated
      total.length += found.size
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
