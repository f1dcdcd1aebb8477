import BatonImage
import DurabilitySupport
import Foundation
import TestSupport
import Testing

/// Files of another version of the engine.
struct EngineVersionTests {
  @Test(arguments: [UInt8(0), 2, 255])
  func `a file of another version of the engine is refused and left as it is`(
    _ version: UInt8
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("image")
    let image = try Image.open(path: path)
    try Workload.mark(1, in: image)
    try image.close()
    for suffix in ["-lock", "-checkpoint"] {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
    var bytes = try Data(contentsOf: URL(filePath: path))
    for page in 0..<2 { bytes[page * pageSize + MetaLayout.version] = version }
    try bytes.write(to: URL(filePath: path))
    for isReadOnly in [true, false] {
      let error = #expect(throws: ImageError.self) {
        try Image.open(path: path, options: .init(isReadOnly: isReadOnly))
      }
      if case .incompatible = error {} else { Issue.record("\(String(describing: error))") }
      #expect(throws: ImageError.self) { try Verifier.verify(at: path) }
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    #expect(try folder.contents == ["image"])
  }

  private var pageSize: Int { sysconf(Int32(_SC_PAGESIZE)) }
}
