import BatonImage
import ImageFixtures
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct LiveWriterTests {
  let scratch = Scratch()

  /// A commit that gives every record of an image the same title.
  private static func step(_ generation: Int) -> EngineFile.Step {
    var image = ImageFixture()
    for key in UInt64(1)...300 {
      // Of changing length, so that pages split, join and are used again.
      let title = [UInt8](repeating: UInt8(generation % 250), count: 20 + generation * 37 % 200)
      image.put(.stamps, key, [0, 0, 0, 0] + title)
    }
    return image.steps()[0]
  }

  @Test(.timeLimit(.minutes(60)))
  func `beside a writer every read sees one state and no damage`() async throws {
    let path = scratch.path("live.image")
    try EngineFile.make(at: path, [Self.step(0)])
    let steps = (1...200).map { Self.step($0) }
    let writer = Progress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { writer.isDone.store(true, ordering: .releasing) }
        for burst in 0..<40 {
          try EngineFile.extend(path, steps[5 * burst..<5 * burst + 5])
          usleep(30_000)
        }
      }
      group.addTask {
        let file = try PageFile(path: path)
        while !writer.isDone.load(ordering: .acquiring) {
          do throws(ImageError) {
            let titles = try Self.titles(file)
            #expect(titles.count == 1, "a mixture of states")
          } catch {
            guard case .busy = error else { throw error }
          }
        }
        // With the writer at rest a read is never overtaken.
        #expect(try Self.titles(file).count == 1)
      }
      try await group.waitForAll()
    }
  }

  /// The different titles a reading meets.
  private static func titles(_ file: PageFile) throws(ImageError) -> Set<[UInt8]> {
    try file.reading { (snapshot) throws(ImageError) in
      var titles: Set<[UInt8]> = []
      try snapshot.forEach(.stamps, from: 0) { (key, value) throws(ImageError) in
        titles.insert(value.extracting(4...).copy())
        // Slow enough to be overtaken by a burst of commits.
        if key % 50 == 0 { usleep(2000) }
        return true
      }
      for key in UInt64(1)...300 {
        guard let value = try snapshot.value(.stamps, key) else {
          throw .damaged(Damage("record \(key)", "lost"))
        }
        titles.insert(value.extracting(4...).copy())
      }
      return titles
    }
  }
}

/// How far a writer beside the test is.
private final class Progress: Sendable {
  let isDone = Atomic(false)
}
