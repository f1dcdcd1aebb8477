import BatonImage
import BatonPlan
import DurabilitySupport
import Foundation
import TestSupport
import Testing

/// What is saved of a damaged image.
@Suite(.timeLimit(.minutes(60)))
struct SalvageCopyTests {
  @Test func `a sound part of a damaged image lives on in a fresh one`() throws {
    var generator = SeededGenerator()
    let disk = try ImageOnDisk(commits: 200)
    let sound = try disk.bytes
    var salvaged = 0
    for _ in 0..<40 {
      var bytes = sound
      let page = Int.random(in: 2..<sound.count / 4096, using: &generator)
      for index in page * 4096..<(page + 1) * 4096 { bytes[index] = 0 }
      try disk.replace(bytes)
      let image = try disk.open { $0.onDamage = .salvage }
      if case .salvaged(let report) = image.opening.outcome {
        salvaged += report.lossCount > 0 ? 1 : 0
        #expect(report.records >= 3)
        let aside = try #require(image.opening.setAside)
        #expect([UInt8](try Data(contentsOf: URL(filePath: aside))) == bytes)
        try FileManager.default.removeItem(atPath: aside)
      } else {
        #expect(image.opening.outcome == .opened, "\(image.opening)")
      }
      try Workload.mark(1_000_000, in: image)
      #expect(try Workload.mark(in: image) == 1_000_000)
      try image.close()
      #expect(try Verifier.verify(at: disk.path).isSound)
    }
    #expect(salvaged > 5)
    #expect(try disk.strangers == [])
  }

  @Test func `a sound image survives a salvage whole`() throws {
    // A fault of one unreferenced value: the journal, which begins again anyway.
    let disk = try ImageOnDisk(commits: 80)
    try disk.put([1, 2, 3, 4, 5], at: 80, in: "journal")
    let image = try disk.open {
      $0.onDamage = .salvage
      $0.trust = .untrusted
    }
    guard case .salvaged(let report) = image.opening.outcome else {
      Issue.record("\(image.opening)")
      return
    }
    #expect(try Workload.state(of: image) == 80)
    #expect(report.records == 3 + Workload.subjects + Workload.others)
    try image.close()
  }
}
