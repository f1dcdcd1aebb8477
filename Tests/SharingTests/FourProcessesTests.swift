import BatonImage
import DurabilitySupport
import Foundation
import TestSupport
import Testing

/// Processes that read and write one image at once, for as long as `SHARING_SECONDS` says.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct FourProcessesTests {
  static let seconds =
    ProcessInfo.processInfo.environment["SHARING_SECONDS"].flatMap { Double($0) } ?? 3

  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  private func size(of path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  /// The number that a worker's last line ends in.
  private func count(_ worker: WorkerProcess) throws -> Int {
    let last = try #require(try worker.finish().last)
    return try #require(last.split(separator: " ").last.flatMap { Int($0) })
  }

  @Test(arguments: [Image.Durability.checkpointed, .durable])
  func `two writers and two readers see whole commits alone, and the file stays small`(
    _ durability: Image.Durability
  ) throws {
    let image = try Image.open(path: path)
    try Workload.mark(1, in: image)
    try Workload.fill(0..<10_000, of: image)
    try image.close()

    let mode = durability == .durable ? "durable" : "checkpointed"
    let time = String(Self.seconds)
    let writers = try [1_000_000_000, 2_000_000_000].map {
      try WorkerProcess(["mark", path, mode, time, String($0)])
    }
    let readers = try (0..<2).map { _ in try WorkerProcess(["watch", path, time]) }
    let (written, read) = (try writers.map(count), try readers.map(count))
    #expect(written.allSatisfy { $0 > 0 } && read.allSatisfy { $0 > 0 })

    let after = try Image.open(path: path)
    #expect(after.opening.outcome == .opened)
    #expect(try after.snapshot().commit == UInt64(21 + written.reduce(0, +)))
    #expect(try Workload.mark(in: after) >= 1_000_000_000)
    try after.copyCompacted(toPath: folder.file("live"))
    try after.close()
    let (file, live) = (try size(of: path), try size(of: folder.file("live")))
    #expect(file <= 3 * live)
    #expect(try Verifier.verify(at: path).isSound)
    print(
      "\(mode), \(time) s: commits \(written), reads \(read), file \(file >> 10) KiB,",
      "live \(live >> 10) KiB")
  }

  @Test func `processes that open, read, write and close at the same instant never fail`() throws {
    try Image.open(path: path).close()
    let visitors = try (0..<8).map { _ in
      try WorkerProcess(["visit", path, String(Self.seconds)])
    }
    let visits = try visitors.map(count)
    #expect(visits.allSatisfy { $0 > 0 })
    #expect(try Verifier.verify(at: path).isSound)
    #expect(try folder.contents == ["image", "image-checkpoint", "image-lock"])
    print("visits \(visits)")
  }
}
