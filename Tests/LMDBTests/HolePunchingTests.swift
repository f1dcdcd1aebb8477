import Foundation
import LMDB
import TestSupport
import Testing

/// Which states readers hold, and what a hole does to the file.
@Suite(.timeLimit(.minutes(60)))
struct HolePunchingTests {
  private let fixture: OneTable
  private var folder: TemporaryFolder { fixture.folder }
  private var environment: Environment { fixture.environment }
  private var table: Table { fixture.table }

  init() throws { fixture = try OneTable() }

  private func commit(_ byte: UInt8) throws {
    try environment.commit { transaction throws(LMDBError) in
      let value = [UInt8](repeating: byte, count: 10_000)
      for key in 0..<100 { try transaction.put(value.span, at: UInt64(key), in: table) }
    }
  }

  private func oldestState() throws -> Int? {
    let writer = try environment.write()
    return writer.oldestState()
  }

  @Test func `the oldest state is the oldest reader's, and without one the newest`() throws {
    try commit(1)
    let newest = try environment.read().id
    #expect(try oldestState() == newest)
    let pin = try environment.pin()
    try commit(2)
    try commit(3)
    #expect(try oldestState() == newest)
    try holdReader(beside: pin.id)
    #expect(try oldestState() == newest)
    _ = consume pin
    #expect(try oldestState() == newest + 2)
  }

  private func holdReader(beside pin: Int) throws {
    let reader = try environment.read()
    #expect(try oldestState() == pin)
    #expect(reader.id > pin)
  }

  @Test func `a reader of another process holds its state until it dies`() async throws {
    try commit(1)
    let newest = try environment.read().id
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.file("image") as String] in
      let other = try Environment.open(path: path)
      let reader = try other.read()
      kill(getpid(), SIGKILL)
      _ = reader.id
    }
    try commit(2)
    #expect(try oldestState() == newest)
    #expect(try environment.clearDeadReaders() == 1)
    #expect(try oldestState() == newest + 1)
  }

  @Test(.enabled(if: HoleProbe.arePossible, "the file system has no holes"))
  func `a hole reads as zero and takes no room, and the file stays as long`() throws {
    try commit(1)
    try environment.synchronize()
    let size = try environment.fileSize()
    let before = try environment.room()
    #expect(before.block > 0)
    // Nobody reads this file through the engine again.
    let hole = 16 * before.block..<48 * before.block
    #expect(size >= hole.upperBound)
    let writer = try environment.write()
    let isPunched = writer.punchHole(hole)
    #expect(isPunched)
    #expect(try environment.room().allocated <= before.allocated - hole.count)
    #expect(try environment.fileSize() == size)
    let bytes = try environment.readFile(at: hole.lowerBound, count: hole.count)
    #expect(bytes == [UInt8](repeating: 0, count: hole.count))
    let isNothing = writer.punchHole(5..<5)
    #expect(!isNothing)
  }
}

/// Whether the file system of temporary folders can give back a file's room.
private enum HoleProbe {
  static let arePossible: Bool = {
    guard let folder = try? TemporaryFolder(),
      let environment = try? Environment.open(path: folder.file("probe")),
      let writer = try? environment.write()
    else { return false }
    return writer.punchHole(0..<4096)
  }()
}
