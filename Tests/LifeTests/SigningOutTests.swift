import BatonImage
import Dispatch
import Foundation
import LifeSupport
import TestSupport
import Testing

/// S39: signing out in the middle of a write. Answers under way are in `RefreshTests`.
@Suite(.timeLimit(.minutes(60)))
struct SigningOutTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  private static let secret = "SECRET-OF-A"

  private func remove() throws {
    for name in try folder.contents {
      try FileManager.default.removeItem(atPath: folder.file(name))
    }
  }

  private func bytes() throws -> [UInt8] {
    try folder.contents.flatMap { [UInt8](try Data(contentsOf: URL(filePath: folder.file($0)))) }
  }

  /// Opens as another account, which must find nothing, and expects that nothing of the first is there.
  private func checkNext() throws {
    let next = try Image.open(path: path, options: .init(account: "B"))
    #expect(next.opening.outcome == .made)
    try next.refresh([Subject(2)])
    #expect(try next.title(of: "I_1") == nil)
    try next.close()
    #expect(try bytes().firstRange(of: Array(Self.secret.utf8)) == nil)
  }

  @Test func `closing waits for a write under way, and what comes behind it is closed`() throws {
    let image = try Image.open(path: path, options: .init(account: "A"))
    let (isWriting, goesOn, isDone) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let writer = Thread {
      _ = try? image.write { editor in
        try editor.set("title", to: .string(Self.secret), on: editor.record("I_1", type: "Issue"))
        isWriting.signal()
        goesOn.wait()
      }
      isDone.signal()
    }
    writer.start()
    isWriting.wait()
    // Decoded, and waiting for its turn behind the write.
    let queued = Results()
    let second = Thread {
      queued.add(Result { try image.refresh([Subject(1, title: Self.secret)]) })
      isDone.signal()
    }
    second.start()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { goesOn.signal() }
    try image.close()
    isDone.wait()
    isDone.wait()
    try remove()
    #expect(throws: ImageError.closed) { try image.refresh([Subject(1, title: Self.secret)]) }
    for result in queued.all {
      // Its turn came before the closing, or it ended as closed.
      if case .failure(let error) = result { #expect(error as? ImageError == .closed) }
    }
    #expect(try folder.contents == [])
    try checkNext()
  }

  @Test func `an image whose file is removed without closing is not written to again`() throws {
    let image = try Image.open(path: path, options: .init(account: "A"))
    try image.refresh([Subject(1, title: Self.secret)])
    try remove()
    #expect(throws: ImageError.removed) { try image.refresh([Subject(1, title: "later")]) }
    #expect(try folder.contents == [])
    try checkNext()
    // Closing the old one doesn't touch what is another's now.
    try? image.close()
    let next = try Image.open(path: path, options: .init(account: "B"))
    #expect(try next.title(of: "I_2") == "subject 2")
    #expect(try next.title(of: "I_1") == nil)
  }

  @Test func `an image that is dropped in its write's wake writes to no other's file`() throws {
    try dropAfterWriting()
    try remove()
    Thread.sleep(forTimeInterval: 0.2)
    #expect(try bytes().firstRange(of: Array(Self.secret.utf8)) == nil)
    try checkNext()
  }

  private func dropAfterWriting() throws {
    let image = try Image.open(path: path, options: .init(account: "A"))
    try image.refresh([Subject(1, title: Self.secret)])
  }
}
