import BatonImage
import DurabilitySupport
import Foundation
import TestSupport
import Testing

/// What opening does after an opening that was fatal.
@Suite(.timeLimit(.minutes(60)))
struct CrashLoopTests {
  private func die(_ disk: ImageOnDisk, _ when: String, in opening: Bool = false) throws {
    let worker = try WorkerProcess(
      ["die", disk.path, when], environment: opening ? ["FLUSH_DIE": "1"] : [:])
    #expect(throws: WorkerProcess.Failed.self) { try worker.finish() }
  }

  @Test(.enabled(if: !Sanitizers.isAny, "sanitizers stand where the recorder would"))
  func `after an opening that was fatal the file is checked, after three it is given up`() throws {
    let disk = try ImageOnDisk()
    try die(disk, "later", in: true)
    let image = try disk.open()
    #expect(image.opening.wasVerified && image.opening.outcome == .opened)
    #expect(try Workload.state(of: image) == 120)
    try image.close()
    // One that went well in between begins the count anew.
    for _ in 0..<2 { try die(disk, "later", in: true) }
    let second = try disk.open()
    #expect(second.opening.wasVerified && second.opening.outcome == .opened)
    try second.close()
    for _ in 0..<3 { try die(disk, "later", in: true) }
    #expect(throws: ImageError.self) { try disk.open { $0.onDamage = .refuse } }
    let fresh = try disk.open()
    guard case .discarded(.damaged(let damage)) = fresh.opening.outcome else {
      Issue.record("\(fresh.opening)")
      return
    }
    #expect(damage.structure == "crash loop")
    try fresh.exercise()
    try fresh.close()
  }

  @Test func `after a first read that was fatal the file is checked`() throws {
    let disk = try ImageOnDisk()
    for _ in 0..<4 { try die(disk, "reading") }
    let image = try disk.open()
    #expect(image.opening.wasVerified && image.opening.outcome == .opened)
    try image.close()
  }

  @Test func `a process killed in the middle of its work is no reason for doubt`() throws {
    let disk = try ImageOnDisk()
    for _ in 0..<4 { try die(disk, "later") }
    let image = try disk.open()
    #expect(image.opening == OpeningReport(opened: false))
    try image.close()
  }

  @Test func `an opening that goes on beside another is no reason for doubt`() throws {
    let disk = try ImageOnDisk()
    let first = try disk.open()
    let worker = try WorkerProcess(["visit", disk.path, "0.2"])
    let second = try disk.open()
    #expect(!second.opening.wasVerified)
    #expect(try worker.finish().count == 1)
    try second.close()
    try first.close()
  }

  @Test(.enabled(if: !Sanitizers.isAny, "sanitizers stand where the recorder would"))
  func `after a flush that failed nothing more is written, and the next opener goes back`() throws {
    for failing in 5...9 {
      let disk = try ImageOnDisk(commits: 10)
      let worker = try WorkerProcess(
        ["commit", disk.path, "durable", "20", "0", "1000"],
        environment: ["FLUSH_FAIL": String(failing)])
      let lines = worker.lines()
      let acknowledged = WorkerProcess.last("a", in: lines)
      #expect(acknowledged < 30 && lines.last != "end")
      let image = try disk.open()
      let state = try Workload.state(of: image)
      #expect(state >= acknowledged && state <= acknowledged + 1, "\(image.opening)")
      try Workload.commit(state + 1, to: image)
      try image.close()
      #expect(try Verifier.verify(at: disk.path).isSound)
    }
  }
}
