import BatonImage
import BatonPlan
import Foundation
import ImageFixtures
import LifeSupport
import TestSupport
import Testing

/// S36 and S37: processes that read what others write, and extensions that may not write.
@Suite(.timeLimit(.minutes(60)))
struct ReaderTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  private func reader(_ events: Events? = nil) throws -> Image {
    var options = Image.Options(isReadOnly: true, sizeLimit: 4096, evictsUnused: true)
    if let events { options.events = { events.add($0) } }
    return try Image.open(path: path, options: options)
  }

  private func bytes(_ name: String = "a.image") throws -> Data {
    try Data(contentsOf: URL(filePath: folder.file(name)))
  }

  @Test func `another process's commit is read by the next snapshot of every handle`() async throws
  {
    let image = try Image.open(path: path)
    try image.refresh((1...10).map { Subject($0) })
    let reader = try reader()
    #expect(try image.title(of: "I_1") == "subject 1")
    #expect(try reader.title(of: "I_1") == "subject 1")
    let held = try reader.snapshot()
    let log = Log(reader.observe(Documents.title, id: "I_1"))
    try await log.wait(for: 1)
    _ = try Neighbour([path, "commit", "1", "0", "other"]).lines()
    #expect(try image.title(of: "I_1") == "other 0")
    #expect(try reader.title(of: "I_1") == "other 0")
    try await log.wait(for: 2)
    #expect(log.entries[1].title == "other 0")
    // A snapshot stays what it was.
    #expect(try held.commit == 1)
  }

  @Test func `a reader of its own process changes no byte of the image, whatever is called`() throws
  {
    let image = try Image.open(path: path)
    try image.refresh((1...300).map { Subject($0) })
    try image.discover(Subject(1), in: "widgets")
    try image.close()
    let before = try bytes()
    let names = try folder.contents
    let events = Events()
    let reader = try reader(events)
    for number in 1...300 { #expect(try reader.title(of: "I_\(number)") != nil) }
    _ = try reader.exported()
    refuses { _ = try reader.refresh([Subject(1, title: "changed")]) }
    refuses { _ = try reader.forget(id: "I_1") }
    refuses { try reader.pin("I_1") }
    refuses { _ = try reader.removeAll() }
    refuses { _ = try reader.write { _ = try $0.record("I_1") } }
    refuses { try reader.invalidateAll() }
    try reader.flush()
    try reader.close()
    #expect(try bytes() == before)
    #expect(try folder.contents == names)
    #expect(!events.all.contains { if case .evicted = $0 { true } else { false } })
  }

  private func refuses(_ body: () throws -> Void) {
    #expect {
      try body()
    } throws: { error in
      if case .usage = error as? ImageError { true } else { false }
    }
  }

  @Test func `a reader makes no image where there is none`() throws {
    #expect {
      _ = try reader()
    } throws: { error in
      if case .notFound = error as? ImageError { true } else { false }
    }
    #expect(try folder.contents == [])
  }

  @Test func `a reader of another format's image is refused and changes nothing`() throws {
    let image = try Image.open(path: path)
    try image.refresh([Subject(1)])
    try image.close()
    try HeaderRewriting.set(formatVersion: 0, of: path)
    let before = try bytes()
    for policy in [Image.IncompatiblePolicy.refuse, .discard] {
      var options = Image.Options(isReadOnly: true)
      options.onIncompatible = policy
      #expect {
        _ = try Image.open(path: path, options: options)
      } throws: { error in
        if case .incompatible = error as? ImageError { true } else { false }
      }
      #expect(try bytes() == before)
    }
  }
}
