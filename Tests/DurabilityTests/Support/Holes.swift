import BatonImage
import DurabilitySupport
import Foundation
import LMDB
import TestSupport

/// What a file takes on the medium.
enum Holes {
  /// Whether the file system of temporary folders can give back a file's room.
  static let arePossible: Bool = {
    guard let folder = try? TemporaryFolder(),
      let environment = try? Environment.open(path: folder.file("probe")),
      let writer = try? environment.write()
    else { return false }
    return writer.punchHole(0..<4096)
  }()

  /// Bytes of the blocks that a file has.
  static func allocated(_ path: String) throws -> Int {
    guard let information = try FileInformation(path: path) else { return 0 }
    return information.room.allocated
  }

  static func size(_ path: String) throws -> Int {
    guard let information = try FileInformation(path: path) else { return 0 }
    return information.size
  }
}

extension Image {
  /// Every record, as text.
  func dump() throws -> [UInt8] { try Workload.dump(of: snapshot()) }
}
