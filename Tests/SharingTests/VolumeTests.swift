import BatonImage
import DurabilitySupport
import TestSupport
import Testing

/// Images on file systems of other machines, by what the system would call them.
struct VolumeTests {
  /// NFS, SMB2, 9p and CIFS on Linux; the first stands for all on Apple's systems.
  static let remote = [0x6969, 0xFE53_4D42, 0x0102_1997, 0xFF53_4D42]

  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: remote)
  func `a file system of another machine is refused, unless the options allow it`(
    _ kind: Int
  ) throws {
    var options = Image.Options()
    options.internals.fileSystem = kind
    for _ in 0..<2 {
      let error = #expect(throws: ImageError.self) { try Image.open(path: path, options: options) }
      if case .unavailable = error {} else { Issue.record("\(String(describing: error))") }
    }
    #expect(try folder.contents == [])
    try Image.open(path: path).close()
    for isReadOnly in [false, true] {
      options.isReadOnly = isReadOnly
      #expect(throws: ImageError.self) { try Image.open(path: path, options: options) }
    }
    options.isReadOnly = false
    options.allowsRemoteVolumes = true
    let image = try Image.open(path: path, options: options)
    try Workload.mark(1, in: image)
    try image.close()
  }

  @Test func `a file system of this machine is none of another`() throws {
    var options = Image.Options()
    // ext, btrfs, xfs and memory.
    for kind in [0xEF53, 0x9123_683E, 0x5846_5342, 0x0102_1994] {
      options.internals.fileSystem = kind
      try Image.open(path: path, options: options).close()
    }
  }
}
