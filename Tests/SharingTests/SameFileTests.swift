import BatonImage
import DurabilitySupport
import Foundation
import TestSupport
import Testing

/// One file under several paths, and other files under one path.
@Suite(.timeLimit(.minutes(60)))
struct SameFileTests {
  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  @Test func `by whatever path a file is opened again, it is the same image`() throws {
    let manager = FileManager.default
    let first = try Image.open(path: path)
    try manager.createSymbolicLink(
      atPath: folder.file("linked"), withDestinationPath: folder.path)
    try manager.linkItem(atPath: path, toPath: folder.file("hard"))
    let paths = [
      path, folder.file("linked/image"), folder.file("./image"), folder.file("hard"),
    ]
    for (number, other) in paths.enumerated() {
      let second = try Image.open(path: other)
      try Workload.mark(number + 1, in: second)
      #expect(try Workload.mark(in: first) == number + 1)
      try second.close()
      #expect(throws: ImageError.closed) { try Workload.mark(in: second) }
      #expect(try Workload.mark(in: first) == number + 1)
    }
    try Workload.mark(10, in: first)
    // Another process still shares the locks: what it holds is not written over.
    let worker = try WorkerProcess(["visit", path, "0.3"])
    _ = try worker.finish()
    try first.close()
    #expect(try Verifier.verify(at: path).isSound)
    let known = ["hard", "image", "image-checkpoint", "image-lock", "linked"]
    #expect(try folder.contents == known)
  }

  @Test func `opened and closed hundreds of times an image takes no more than at first`() throws {
    try Image.open(path: path).close()
    func descriptors() -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
    }
    for turn in 0..<400 {
      let image = try Image.open(path: path)
      if turn % 10 == 0 { try Workload.mark(turn + 1, in: image) }
      try image.close()
    }
    #expect(try Verifier.verify(at: path).isSound)
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    #expect(size < 1 << 20)
    // Other tests have descriptors of their own, but not thousands.
    #expect(descriptors() < 1_000)
  }

  @Test func `a relative path is the image it led to when it was opened`() async throws {
    let path = folder.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      #expect(FileManager.default.changeCurrentDirectoryPath(path))
      let first = try Image.open(path: "image")
      #expect(FileManager.default.changeCurrentDirectoryPath("/"))
      let second = try Image.open(path: path + "/image")
      try Workload.mark(5, in: second)
      #expect(try Workload.mark(in: first) == 5)
      try Workload.mark(6, in: first)
      try second.close()
      try first.close()
      #expect(!FileManager.default.fileExists(atPath: "/image-checkpoint"))
    }
  }

  @Test func `an image open for reading is not the one to write to`() throws {
    try Image.open(path: path).close()
    let reader = try Image.open(path: path, options: .init(isReadOnly: true))
    // It shares what the reader has open, which can't be written to: an error that says so.
    let error = #expect(throws: ImageError.self) { try Image.open(path: path) }
    #expect(error != nil)
    #expect(try Workload.mark(in: reader) == 0)
    try reader.close()
    let writer = try Image.open(path: path)
    try Workload.mark(1, in: writer)
    let second = try Image.open(path: path, options: .init(isReadOnly: true))
    #expect(try Workload.mark(in: second) == 1)
    #expect(throws: ImageError.self) { try Workload.mark(2, in: second) }
    try second.close()
    try writer.close()
  }

  @Test func `an image whose file is removed while it is open is read, and takes no more writes`()
    throws
  {
    let image = try Image.open(path: path)
    try Workload.mark(1, in: image)
    for name in try folder.contents {
      try FileManager.default.removeItem(atPath: folder.file(name))
    }
    #expect(throws: ImageError.removed) { try Workload.mark(2, in: image) }
    #expect(try Workload.mark(in: image) == 1)
    try image.close()
    #expect(try folder.contents == [])
  }

  @Test func `a file put in an open image's place is left alone, and opened as what it is`() throws
  {
    let other = try Image.open(path: folder.file("other"))
    try Workload.mark(7, in: other)
    try other.close()
    let bytes = try Data(contentsOf: URL(filePath: folder.file("other")))

    let image = try Image.open(path: path)
    try Workload.mark(1, in: image)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: folder.file("other"), toPath: path)
    #expect(throws: ImageError.removed) { try Workload.mark(2, in: image) }
    #expect(try Workload.mark(in: image) == 1)
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    try image.close()

    let found = try Image.open(path: path)
    #expect(try Workload.mark(in: found) == 7)
    try Workload.mark(8, in: found)
    try found.close()
    #expect(try Verifier.verify(at: path).isSound)
  }
}
