/// What a file takes on the medium.
package struct FileRoom: Equatable, Sendable {
  /// Bytes of the blocks that the file has; holes have none.
  package var allocated: Int
  /// Bytes of a block: room is taken and given back in whole ones.
  package var block: Int
}

extension Environment {
  /// What the file takes on the medium. Costs a look at what the system knows of it.
  package func room() throws(LMDBError) -> FileRoom {
    try information().room
  }
}

extension WriteTransaction {
  /// The descriptor of the data file; the engine's, good as long as the transaction runs.
  package var descriptor: Int32 { core.environment.descriptor }

  /// The oldest state that somebody may read, here or in another process; nil where that can't be
  /// told.
  ///
  /// What a transaction before it freed is nobody's any more, and the engine would use it next: it
  /// reckons so too. While the writer runs no reader of an earlier state begins.
  package func oldestState() -> Int? {
    guard !core.isForked, let lines = core.environment.readerLines() else { return nil }
    guard let states = ReaderList.states(lines) else { return nil }
    return min(states.min() ?? .max, id - 1)
  }

  /// Gives bytes of the file that nobody reads back to the file system: from now on they read as
  /// zero, and take no room until they are written. Whether the file system can do that.
  ///
  /// The file's length stays; its times change.
  package func punchHole(_ bytes: Range<Int>) -> Bool {
    !core.isForked && Descriptor.punchHole(core.environment.descriptor, bytes)
  }
}

/// The engine's list of readers, which it has as text alone: a heading, and a line of process,
/// thread and state for each place that was used.
enum ReaderList {
  /// What stands for the state of a place that nobody reads through.
  private static let idle = "-"

  /// The states that readers hold; nil where a line is not as it should be.
  static func states(_ lines: [String]) -> [Int]? {
    guard let heading = lines.first else { return nil }
    if heading == "(no active readers)\n" { return [] }
    guard words(heading) == ["pid", "thread", "txnid"] else { return nil }
    var states: [Int] = []
    for line in lines.dropFirst() {
      let words = words(line)
      guard words.count == 3 else { return nil }
      if words[2] == idle { continue }
      guard let state = Int(words[2]) else { return nil }
      states.append(state)
    }
    return states
  }

  private static func words(_ line: String) -> [Substring] {
    line.split { $0 == " " || $0 == "\n" }
  }
}
