internal import LMDB
internal import Synchronization

/// Giving the room of free pages back to the file system at the end.
///
/// The engine never makes its file smaller, so what a large write freed would take room for as long
/// as the image is there. Free pages may read as zero (Docs/Format.md section 16).
extension Checkpointer {
  /// The bytes that have to be won at least.
  private static let leastGain = 1 << 20
  /// And the part of what the file takes: an eighth.
  private static let leastPart = 8
  /// How long holes are made at most, the largest first; other processes' writers wait meanwhile.
  private static let limit = Duration.seconds(1)

  /// Gives back what free pages take that nobody reads, where that is worth it.
  ///
  /// For the end of an image that wrote, behind its last checkpoint. It is a service to the disk:
  /// whatever stands in the way (a writer, a file system that can't) leaves the image as it is, and
  /// nothing is thrown.
  func giveRoomBack() {
    do throws(ImageError) {
      guard try takesTooMuch(), try punchHoles() else { return }
      // The holes changed the file's times, by which the next opener knows that nobody wrote.
      // The commit it has was told of before.
      _ = try round.withLock { (count) throws(ImageError) in
        count += 1
        return try makeCheckpoint(isLast: true)
      }
    } catch {
      // The state was recorded before. Under other times the next opener verifies it.
    }
  }

  /// Whether the file takes so much more room than its pages in use that a look at the free ones may
  /// be worth it. A file that was given back is found out here.
  private func takesTooMuch() throws(ImageError) -> Bool {
    try engine { () throws(LMDBError) in
      let allocated = try environment.room().allocated
      let used = try environment.read().pagesInUse(of: setup.tables.handles)
      // The count is the file's word, which may be any.
      return Self.isWorthIt(allocated &- used &* setup.pageSize, of: allocated)
    }
  }

  private static func isWorthIt(_ gain: Int, of allocated: Int) -> Bool {
    gain >= max(leastGain, allocated / leastPart)
  }

  /// Makes the holes; whether there is one.
  ///
  /// The writer's lock is held, so nobody takes a free page meanwhile; where somebody else has it,
  /// nothing is done. The checkpointer's pin, no newer than the recorded state, is among the readers,
  /// so no page of that state is touched.
  private func punchHoles() throws(ImageError) -> Bool {
    guard let pinned = state.withLock({ $0.pin?.pin.id }) else { return false }
    let writer = try engine { () throws(LMDBError) in
      try environment.clearDeadReaders()
      return try environment.write(waitingAtMost: .zero)
    }
    let room = try engine { () throws(LMDBError) in try environment.room() }
    guard let oldest = writer.oldestState() else { return false }
    let file = try PageFile(borrowing: writer.descriptor)
    guard file.hasBothMetas, file.pageSize == setup.pageSize,
      file.newest.transaction == UInt64(writer.id - 1),
      let free = try FreeRoom(
        file, before: UInt64(max(0, min(oldest, pinned))), block: max(room.block, setup.pageSize)),
      // Everything else is taken to have its room, so what was given back before isn't counted.
      Self.isWorthIt(room.allocated - (Int(clamping: file.length) - free.size), of: room.allocated)
    else { return false }
    let deadline = ContinuousClock.now + Self.limit
    var isChanged = false
    for run in free.runs {
      guard ContinuousClock.now < deadline, writer.punchHole(run) else { break }
      isChanged = true
    }
    return isChanged
  }
}
