import BatonImage
import BatonPlan
import DurabilitySupport
import Foundation
import LMDB
import TestSupport
import Testing

/// What another process does to an image that is open here.
@Suite(.timeLimit(.minutes(60)))
struct OtherProcessTests {
  let folder: TemporaryFolder
  var path: String { folder.file("image") }

  init() throws { folder = try TemporaryFolder() }

  private func size() throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  /// Lets another process commit until the state is of number `last`.
  private func commitElsewhere(_ count: Int) throws {
    let worker = try WorkerProcess(
      ["commit", path, "checkpointed", String(count), "0", "1000"])
    // A checkpoint that the clock began may be told of behind it.
    #expect(try worker.finish().contains("end"))
  }

  @Test func `what another process commits is read here at once, and the other way round`() throws {
    let image = try Image.open(path: path)
    for round in 0..<3 {
      try commitElsewhere(2)
      #expect(try Workload.state(of: image) == round * 3 + 2)
      try Workload.commit(round * 3 + 3, to: image)
    }
    let reader = try Image.open(path: path, options: .init(isReadOnly: true))
    try commitElsewhere(1)
    #expect(try Workload.state(of: reader) == 10)
    try reader.close()
    try image.close()
  }

  @Test func `a commit of another process wakes whoever waits for changes`() async throws {
    let image = try Image.open(path: path)
    try onThread { try Workload.commit(1, to: image) }
    var changes = image.changes(since: 1).makeAsyncIterator()
    try onThread { try commitElsewhere(1) }
    #expect(await changes.next()?.commit == 2)
    try image.close()
  }

  /// Runs what holds a lock of its thread, which a task may not call directly.
  private func onThread(_ body: () throws -> Void) rethrows { try body() }

  @Test func `a map that another process grew is adopted, by readers and by writers`() throws {
    try Image.open(path: path).close()
    var options = Image.Options()
    options.internals.mapSize = 1 << 20
    let image = try Image.open(path: path, options: options)
    #expect(try Workload.mark(in: image) == 0)
    let filler = try WorkerProcess(["fill", path, "6000"])
    _ = try filler.finish()
    #expect(try size() > 2 << 20)
    // First a read, which has to adopt the size; after the next one, first a write.
    #expect(try Workload.mark(in: image) == 0)
    try Workload.mark(1, in: image)
    let before = try size()
    _ = try WorkerProcess(["fill", path, "16000"]).finish()
    #expect(try size() > before + (3 << 20))
    try Workload.mark(2, in: image)
    #expect(try Workload.mark(in: image) == 2)
    try image.close()
    // Who asks for less does not shrink it.
    let third = try Image.open(path: path, options: options)
    #expect(try Workload.mark(in: third) == 2)
    try third.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `readers that died are cleared, and the file stays small after them`() throws {
    let image = try Image.open(path: path)
    try Workload.mark(1, in: image)
    try Workload.fill(0..<4_000, of: image)
    let start = try size()
    // More than there are places for.
    for _ in 0..<140 {
      let reader = try WorkerProcess(["hold", path])
      #expect(try reader.nextLine().hasPrefix("held"))
      reader.kill()
      _ = reader.lines()
    }
    #expect(try Workload.mark(in: image) == 1)
    for number in 2...1_001 { try Workload.mark(number, in: image) }
    #expect(try size() <= 3 * start)
    #expect(try Workload.mark(in: image) == 1_001)
    try image.close()
  }

  @Test func `a reader blocks no writer of another process, and keeps its state`() throws {
    let image = try Image.open(path: path)
    try Workload.commit(1, to: image)
    let snapshot = try image.snapshot()
    try commitElsewhere(20)
    #expect(try snapshot.commit == 1)
    #expect(try Workload.state(of: image) == 21)
    let other = try WorkerProcess(["hold", path])
    #expect(try other.nextLine() == "held 21")
    for number in 22...40 { try Workload.commit(number, to: image) }
    other.kill()
    _ = other.lines()
    #expect(try Workload.state(of: image) == 40)
  }

  @Test func `a writer's turn that can't be had is busy, and the command's status says so`() throws
  {
    let first = try Image.open(path: path)
    try Workload.mark(1, in: first)
    try first.close()
    let holder = try WorkerProcess(["write", path])
    #expect(try holder.nextLine() == "writing")
    defer {
      holder.kill()
      _ = holder.lines()
    }
    var options = Image.Options()
    options.writerWait = .milliseconds(100)
    let image = try Image.open(path: path, options: options)
    let error = #expect(throws: ImageError.self) { try Workload.mark(2, in: image) }
    if case .busy = error {} else { Issue.record("\(String(describing: error))") }
    // Reading goes on.
    #expect(try Workload.mark(in: image) == 1)
    try? image.close()

    let command = try WorkerProcess(
      ["forget", path, "--id", "S1"], executable: "baton-image")
    let (status, text) = command.complaint()
    #expect(status == 6, "\(text)")
    #expect(text.contains("busy"), "\(text)")
  }
}
