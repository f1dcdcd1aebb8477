import BatonImage
import Dispatch
import Foundation
import LifeSupport
import TestSupport
import Testing

/// What closing an image promises.
@Suite(.timeLimit(.minutes(60)))
struct ClosingTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  @Test func `after closing every call throws and no file is made again`() throws {
    let image = try Image.open(path: path)
    try image.refresh([Subject(1)])
    try image.close()
    for name in try folder.contents {
      try FileManager.default.removeItem(atPath: folder.file(name))
    }
    #expect(throws: ImageError.closed) { try image.refresh([Subject(2)]) }
    #expect(throws: ImageError.closed) { try image.title(of: "I_1") }
    #expect(throws: ImageError.closed) { try image.forget(id: "I_1") }
    #expect(throws: ImageError.closed) { try image.flush() }
    try image.close()
    #expect(try folder.contents == [])
  }

  @Test
  func `closing among readers, writers and followers is final, and the next owner has the file`()
    async throws
  {
    let image = try Image.open(path: path)
    try image.refresh((1...10).map { Subject($0) })
    let feed = Task { await image.changes(since: 1).reduce(into: 0) { count, _ in count += 1 } }
    let log = Log(image.observe(Documents.title, id: "I_1"))
    try await log.wait(for: 1)
    let ends = Gathered<ImageError>()
    let threads = (0..<5).map { index in
      let isDone = DispatchSemaphore(value: 0)
      let thread = Thread {
        while true {
          do {
            if index == 4 { try image.refresh([Subject(1, title: "\(UInt64.random(in: 0...9))")]) }
            // Begun before the end, it reads to its own.
            let snapshot = try image.snapshot()
            _ = try snapshot.liveRecord("I_\(index + 1)")
          } catch {
            if let error = error as? ImageError { ends.add(error) }
            break
          }
        }
        isDone.signal()
      }
      thread.start()
      return isDone
    }
    try await Task.sleep(for: .milliseconds(30))
    try image.close()
    wait(for: threads)
    #expect(ends.all == Array(repeating: .closed, count: 5))
    _ = await feed.value
    #expect(throws: ImageError.closed) { try image.snapshot().commit }
    #expect(throws: ImageError.closed) { try image.refresh([Subject(1)]) }
    #expect(throws: ImageError.closed) { try image.pin("I_1") }
    #expect(throws: ImageError.closed) { try image.removeAll() }
    var late = image.observe(Documents.title, id: "I_1").makeAsyncIterator()
    #expect(await late.next() == nil)
    var lateFeed = image.changes().makeAsyncIterator()
    #expect(await lateFeed.next() == nil)
    // The next owner's file is untouched by what the old one is still asked for.
    let next = try Image.open(path: path)
    try next.refresh([Subject(1, title: "the next owner's")])
    #expect(throws: ImageError.closed) { try image.refresh([Subject(1, title: "late")]) }
    try image.close()
    #expect(try next.title(of: "I_1") == "the next owner's")
    try next.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  private func wait(for semaphores: [DispatchSemaphore]) {
    for semaphore in semaphores { semaphore.wait() }
  }
}
