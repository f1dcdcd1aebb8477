import BatonImage
import DurabilitySupport
import Foundation
import LMDB
import TestSupport

/// An image in a folder of a test's own, closed, and what tests do to its bytes.
struct ImageOnDisk {
  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  /// An image with so many commits, and with no free pages that damage could go to without harm.
  init(commits: Int = 120) throws {
    folder = try TemporaryFolder()
    let image = try Image.open(path: folder.file("image"))
    for number in 1...commits { try Workload.commit(number, to: image) }
    try image.close()
    let environment = try Environment.open(path: path)
    try environment.copy(toPath: folder.file("compact"), compacting: true)
    try environment.close()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: folder.file("compact"), toPath: path)
    try open().close()
  }

  var bytes: [UInt8] {
    get throws { [UInt8](try Data(contentsOf: URL(filePath: path))) }
  }

  /// Writes other bytes into the same file, as somebody else would.
  func replace(_ bytes: [UInt8]) throws {
    if !FileManager.default.fileExists(atPath: path) {
      try Data().write(to: URL(filePath: path))
    }
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }

  /// The names in the folder that are not the image's own.
  var strangers: [String] {
    get throws {
      try folder.contents.filter { !["image", "image-lock", "image-checkpoint"].contains($0) }
    }
  }

  func open(
    _ change: (inout Image.Options) -> Void = { _ in }
  ) throws(ImageError) -> Image {
    var options = Image.Options()
    change(&options)
    return try Image.open(path: path, options: options)
  }
}

extension Image {
  /// Reads and writes a little: what any image must stand.
  func exercise() throws {
    let mark = try Workload.mark(in: self)
    try Workload.mark(mark + 1_000_000, in: self)
    guard try Workload.mark(in: self) == mark + 1_000_000 else {
      throw Workload.Torn(description: "what was written isn't read")
    }
  }
}
