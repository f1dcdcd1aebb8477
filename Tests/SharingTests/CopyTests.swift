import BatonImage
import DurabilitySupport
import Foundation
import TestSupport
import Testing

/// Copies that are made while others commit, and copies that are given up.
@Suite(.timeLimit(.minutes(60)))
struct CopyTests {
  @Test
  func `a copy beside a writer is one committed state, and a killed copier leaves none or all`()
    throws
  {
    var generator = SeededGenerator()
    let folder = try TemporaryFolder()
    let path = folder.file("image")
    let image = try Image.open(path: path)
    try Workload.mark(1, in: image)
    try Workload.fill(0..<10_000, of: image)
    try image.close()

    let writer = try WorkerProcess(["mark", path, "checkpointed", "60", "100"])
    var copies = 0
    for round in 0..<16 {
      let copy = folder.file("copy-\(round)")
      let copier = try WorkerProcess(["copy", path, copy])
      if round > 0 {
        usleep(UInt32.random(in: 1_000...400_000, using: &generator))
        copier.kill()
      }
      _ = copier.lines()
      guard FileManager.default.fileExists(atPath: copy) else {
        #expect(round > 0)
        continue
      }
      copies += 1
      #expect(try Verifier.verify(at: copy).isSound)
      let reader = try Image.open(path: copy, options: .init(isReadOnly: true))
      #expect(try Workload.mark(in: reader) >= 1)
      try reader.close()
    }
    writer.kill()
    _ = writer.lines()
    #expect(copies > 0)
    let after = try Image.open(path: path)
    #expect(after.opening.outcome == .opened)
    try after.close()
    #expect(try Verifier.verify(at: path).isSound)
  }
}
