import Foundation
import ImageFixtures
import LMDB
import Testing

/// Files that are no image: refused by every verb, and left alone.
@Suite(.timeLimit(.minutes(60))) struct ForeignFileTests {
  enum Kind: CaseIterable {
    case text
    case empty
    case zeros
    case folder
    case link
    case otherTables
    case nothingYet
  }

  private let library: Library
  private let path: String

  init() throws {
    library = try Library()
    path = library.file("foreign")
  }

  private func make(_ kind: Kind) throws {
    switch kind {
    case .text: try library.write("Dear diary,\n", "foreign")
    case .empty: try library.write("", "foreign")
    case .zeros: try library.write([UInt8](repeating: 0, count: 3 * 4096), "foreign")
    case .folder:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case .link:
      try #require(try library.discover().status == 0)
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: library.image)
    case .otherTables, .nothingYet:
      let environment = try Environment.open(path: path)
      if kind == .otherTables { _ = try environment.openTables(["songs"], creating: true) }
      try environment.close()
      try FileManager.default.removeItem(atPath: path + "-lock")
    }
  }

  private static let arguments: [[String]] = [
    ["export"], ["keys"], ["verify"], ["inspect"], ["inspect", "--id", "B1"], ["changes"],
    ["resolve", Library.key], ["forget", "--id", "B1"], ["forget", "--key", Library.key],
    ["compact", "/nowhere/out.image"],
  ]

  @Test(arguments: Kind.allCases)
  func `a file that is no image is refused and left as it is`(_ kind: Kind) throws {
    try make(kind)
    let names = try library.contents
    let before = FileManager.default.contents(atPath: path)
    var calls = Self.arguments.map { [$0[0], path] + $0.dropFirst() }
    let options = library.plan("BooksQuery") + ["--variables", Library.refreshVariables]
    calls.append(["read", path] + options)
    // What holds nothing yet becomes an image by a commit.
    if kind != .nothingYet {
      calls.append(["commit", path] + options + [library.file("refresh.json")])
    }
    for call in calls {
      let run = try Command.run(call)
      #expect(run.status == 5 || run.status == 1, "\(call): \(run.status)")
      #expect(run.errors.contains("foreign"), "\(call): \(run.errors)")
      #expect(run.output.isEmpty, "\(call)")
      #expect(FileManager.default.contents(atPath: path) == before, "\(call)")
      #expect(try library.contents == names, "\(call)")
    }
  }

  @Test(arguments: arguments)
  func `a missing image is a failure, and is not made`(_ arguments: [String]) throws {
    let run = try Command.run([arguments[0], path] + arguments.dropFirst())
    #expect(run.status == 1)
    #expect(run.errors.contains(path), "\(run.errors)")
    #expect(try !library.contents.contains { $0.hasPrefix("foreign") })
  }

  @Test func `a missing image is a failure of read`() throws {
    let run = try library.read("B1")
    #expect(run.status == 1)
    #expect(run.errors == "baton-image read: \(library.image): there is no image\n")
  }

  @Test func `an image of another format version is refused with exit 5 and left as it is`() throws
  {
    try #require(try library.discover().status == 0)
    try HeaderRewriting.set(formatVersion: 1, of: library.image)
    let before = library.bytes
    let names = try library.contents
    for run in [
      try library.read("B1"), try library.commitRefresh(),
      try Command.run("export", library.image), try Command.run("verify", library.image),
    ] {
      #expect(run.status == 5)
      #expect(run.errors.contains("format version 1"), "\(run.errors)")
    }
    #expect(library.bytes == before)
    #expect(try library.contents == names)
  }

  @Test func `an image whose readers' places are all taken is busy`() throws {
    try #require(try library.discover().status == 0)
    try FileManager.default.removeItem(atPath: library.image + "-lock")
    let environment = try Environment.open(
      path: library.image, options: Environment.Options(maximumReaders: 1))
    let reader = try environment.read()
    let run = try library.commitRefresh()
    #expect(run.status == 6)
    #expect(run.errors.contains("busy"))
    #expect(reader.id > 0)
  }
}
