import BatonImage
import DurabilitySupport
import Foundation
import TestSupport
import Testing

/// Who may read an image's files, and which files are an image's.
@Suite(.timeLimit(.minutes(60)))
struct PermissionTests {
  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test(arguments: [0o000, 0o022, 0o777])
  func `all files of an image are the owner's alone, whatever the mask`(_ mask: Int) async throws {
    await #expect(processExitsWith: .success) {
      [path = folder.path as String, mask = mask as Int] in
      umask(mode_t(mask))
      let image = try Image.open(path: path + "image")
      try Workload.mark(1, in: image)
      try image.copyCompacted(toPath: path + "copy")
      try image.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: path)
      #expect(names.sorted() == ["copy", "image", "image-checkpoint", "image-lock"])
      for name in names {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + name)
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
      }
    }
  }

  /// Watches the folder's names from the first moment on, through a descriptor that is asked as fast
  /// as can be: no file of the image is ever anybody else's.
  @Test func `no file is another's to read, from its first moment on`() throws {
    try Image.open(path: path).close()
    let done = DispatchSemaphore(value: 0)
    let worker = try WorkerProcess(["visit", path, "1"])
    let watch = ModeWatch()
    Thread { [folder] in
      watch.run(folder.path)
      done.signal()
    }.start()
    _ = try worker.finish()
    watch.end()
    done.wait()
    #expect(watch.modes == [0o600])
  }

  @Test func `a symbolic link in the place of any file of an image is refused`() throws {
    let manager = FileManager.default
    let other = folder.file("other")
    try Image.open(path: other).close()
    try manager.createSymbolicLink(atPath: path, withDestinationPath: other)
    let before = try Data(contentsOf: URL(filePath: other))
    let error = #expect(throws: ImageError.self) { try Image.open(path: path) }
    if case .foreign = error {} else { Issue.record("\(String(describing: error))") }
    #expect(throws: ImageError.self) {
      try Image.open(path: path, options: .init(isReadOnly: true))
    }
    try manager.removeItem(atPath: path)

    // Links to nothing, and to a file of somebody's, where the library makes its own.
    let target = folder.file("target")
    for suffix in ["", "-lock", "-checkpoint"] {
      for exists in [false, true] {
        if exists { try Data("mine".utf8).write(to: URL(filePath: target)) }
        try manager.createSymbolicLink(atPath: path + suffix, withDestinationPath: target)
        if let image = try? Image.open(path: path) {
          // A checkpoint's link may be replaced by a file; it is never followed.
          try Workload.mark(1, in: image)
          try image.close()
        }
        #expect(manager.fileExists(atPath: target) == exists)
        if exists {
          #expect(try Data(contentsOf: URL(filePath: target)) == Data("mine".utf8))
          try manager.removeItem(atPath: target)
        }
        for suffix in ["", "-lock", "-checkpoint"] {
          try? manager.removeItem(atPath: path + suffix)
        }
      }
    }
    #expect(try Data(contentsOf: URL(filePath: other)) == before)
  }

  @Test func `files with names like an image's are left alone`() throws {
    let strangers = [
      "image-old", "image.new-1", "image-damaged-1", "image-checkpoint.new-1", "image-journal",
      "images", ".image", "image-lock-2",
    ]
    for name in strangers { try Data(name.utf8).write(to: URL(filePath: folder.file(name))) }
    let image = try Image.open(path: path)
    try Workload.mark(1, in: image)
    try image.close()
    // Damage, and what is set aside for it.
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.truncate(atOffset: 8_192)
    try handle.close()
    let fresh = try Image.open(path: path)
    let aside = try #require(fresh.opening.setAside)
    try fresh.close()
    let own = ["image", "image-lock", "image-checkpoint", URL(filePath: aside).lastPathComponent]
    #expect(try folder.contents == (strangers + own).sorted())
    for name in strangers {
      #expect(try Data(contentsOf: URL(filePath: folder.file(name))) == Data(name.utf8))
    }
    #expect(try mode(aside) == 0o600)
  }

  @Test func `a mode and an owner that somebody gave an image stay`() throws {
    try Image.open(path: path).close()
    var wanted: [FileAttributeKey: Any] = [.posixPermissions: 0o640]
    if geteuid() == 0 { wanted[.ownerAccountID] = 1_234 }
    try FileManager.default.setAttributes(wanted, ofItemAtPath: path)
    let image = try Image.open(path: path)
    try Workload.mark(1, in: image)
    try image.close()
    let found = try FileManager.default.attributesOfItem(atPath: path)
    #expect(found[.posixPermissions] as? Int == 0o640)
    if geteuid() == 0 { #expect(found[.ownerAccountID] as? Int == 1_234) }
  }
}
