import Foundation
import LMDB
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)))
struct OpeningTests {
  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  private func mode(_ name: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
    return attributes[.posixPermissions] as? Int
  }

  @Test func `what was committed is there after the file was closed and opened again`() throws {
    let first = try Environment.open(path: path)
    let table = try first.openTables(["records"], creating: true)[0]
    try first.commit { transaction throws(LMDBError) in
      try transaction.put([1, 2, 3].span, at: 7, in: table)
    }
    try first.close()

    let second = try Environment.open(path: path)
    let again = try second.openTables(["records"], creating: false)[0]
    #expect(try second.value(at: 7, in: again) == [1, 2, 3])
    #expect(try second.value(at: 8, in: again) == nil)
  }

  @Test func `a new file and its locks are the owner's alone, and there is nothing else`() throws {
    let environment = try Environment.open(path: path)
    #expect(try folder.contents == ["image", "image-lock"])
    #expect(try mode("image") == 0o600)
    #expect(try mode("image-lock") == 0o600)
    #expect(try environment.fileSize() < 1 << 20)
  }

  @Test func `a file that isn't there is made only where the options say so`() throws {
    let options = [
      Environment.Options(createsFile: false), Environment.Options(isReadOnly: true),
    ]
    for options in options {
      #expect(code { _ = try Environment.open(path: path, options: options) } == .noSuchFile)
    }
    #expect(try folder.contents == [])
  }

  @Test func `making a file where there is no folder leaves nothing behind`() throws {
    #expect(code { _ = try Environment.open(path: folder.file("no/image")) } == .noSuchFile)
    let long = folder.file(String(repeating: "n", count: 300))
    #expect(code { _ = try Environment.open(path: long) } != nil)
    #expect(try folder.contents == [])
  }

  @Test(arguments: ["", "not a page", String(repeating: "page ", count: 4_000)])
  func `another program's file is refused, and left as it is`(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
    if text.isEmpty {
      // An empty file is nobody's: it becomes ours.
      _ = try Environment.open(path: path)
      return
    }
    #expect(code { _ = try Environment.open(path: path) } == .invalidFile)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(text.utf8))
    #expect(try folder.contents == ["image"])
  }

  @Test func `what isn't a regular file is refused`() throws {
    let manager = FileManager.default
    try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(code { _ = try Environment.open(path: path) } == .notRegularFile)
    #expect(code { _ = try Environment.open(path: folder.path + "/") } == .notRegularFile)
    // SAFETY: the C string lives until the call returns.
    #expect(unsafe mkfifo(folder.file("pipe"), 0o600) == 0)
    #expect(code { _ = try Environment.open(path: folder.file("pipe")) } == .notRegularFile)
  }

  @Test func `a symbolic link in the place of the file or of its locks is refused`() throws {
    let manager = FileManager.default
    _ = try Environment.open(path: path)
    try manager.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: path)
    #expect(code { _ = try Environment.open(path: folder.file("link")) } == .symbolicLink)

    try manager.createSymbolicLink(
      atPath: folder.file("other-lock"), withDestinationPath: folder.file("elsewhere"))
    #expect(code { _ = try Environment.open(path: folder.file("other")) } == .symbolicLink)
    try manager.createSymbolicLink(
      atPath: folder.file("new"), withDestinationPath: folder.file("elsewhere"))
    #expect(code { _ = try Environment.open(path: folder.file("new")) } == .symbolicLink)
    #expect(!manager.fileExists(atPath: folder.file("elsewhere")))
  }

  @Test func `all paths to a file lead to one environment, and to one writer`() throws {
    let manager = FileManager.default
    let first = try Environment.open(path: path)
    let table = try first.openTables(["records"], creating: true)[0]
    try manager.createSymbolicLink(
      atPath: folder.file("linked"), withDestinationPath: folder.path)
    try manager.linkItem(atPath: path, toPath: folder.file("hard"))
    let others = [
      path, folder.file("linked/image"), folder.file("./image"), folder.file("hard"),
    ]
    for other in others {
      let second = try Environment.open(path: other)
      #expect(second.sharesFile(with: first))
      try second.commit { transaction throws(LMDBError) in
        try transaction.put([9].span, at: 1, in: table)
      }
      try second.close()
      #expect(code { _ = try second.read() } == .closed)
      #expect(try first.value(at: 1, in: table) == [9])
    }
    #expect(try !folder.contents.contains("hard-lock"))
  }

  @Test func `a second open with options the first can't serve is refused`() throws {
    let first = try Environment.open(path: path)
    let others = [
      Environment.Options(maximumTables: 17), Environment.Options(maximumReaders: 127),
      Environment.Options(synchronization: .none),
    ]
    for other in others {
      #expect(code { _ = try Environment.open(path: path, options: other) } == .incompatibleOptions)
    }
    let reader = try Environment.open(path: path, options: .init(isReadOnly: true))
    #expect(reader.sharesFile(with: first))
    #expect(code { _ = try reader.write() } == .readOnly)
    try first.close()
    _ = try reader.read()
  }

  @Test
  func `a file that was moved away takes no more writes, within the time it may be taken for`()
    throws
  {
    let environment = try Environment.open(path: path)
    try environment.write().commit()
    try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
    defer { try? FileManager.default.removeItem(atPath: path + ".moved") }
    let end = ContinuousClock.now + .seconds(20)
    var found = code { try environment.write().commit() }
    while found == nil, ContinuousClock.now < end {
      found = code { try environment.write().commit() }
    }
    #expect(found == .fileRemoved)
  }

  @Test func `a file that was removed takes no more writes, and a new one has its own`() throws {
    let old = try Environment.open(path: path)
    let oldTable = try old.openTables(["records"], creating: true)[0]
    try FileManager.default.removeItem(atPath: path)
    #expect(code { _ = try old.write() } == .fileRemoved)

    let new = try Environment.open(path: path)
    let table = try new.openTables(["records"], creating: true)[0]
    #expect(!new.sharesFile(with: old))
    try new.commit { transaction throws(LMDBError) in
      try transaction.put([1].span, at: 1, in: table)
    }
    #expect(try new.value(at: 1, in: table) == [1])
    #expect(try old.value(at: 1, in: oldTable) == nil)
  }

  @Test func `an examination sees the file before the engine does, and can refuse it`() throws {
    try Environment.open(path: path).close()
    let before = try Data(contentsOf: URL(filePath: path))
    try FileManager.default.removeItem(atPath: path + "-lock")
    var size = 0
    let refused = code {
      _ = try Environment.open(path: path) { file throws(LMDBError) in
        size = try file.size()
        return try file.read(at: 16, count: 4) == []
      }
    }
    #expect(refused == .refused)
    #expect(size == before.count)
    #expect(try folder.contents == ["image"])

    let open = try Environment.open(path: path) { file throws(LMDBError) in
      try file.write([0xFF], at: try file.size() + 9)
      return true
    }
    #expect(try open.fileSize() == before.count + 10)
    // It is open now: nobody reads it past the engine.
    _ = try Environment.open(path: path) { _ in false }
  }

  @Test func `a map larger than the addresses there are is made as large as there are`() throws {
    let environment = try Environment.open(path: path, options: .init(mapSize: 1 << 60))
    let size = try environment.statistics().mapSize
    #expect(size >= 1 << 20 && size < 1 << 60)
    _ = try environment.read()
  }
}
