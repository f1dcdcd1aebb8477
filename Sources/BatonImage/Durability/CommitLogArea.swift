internal import LMDB

/// Which part of a checkpoint file is a log.
struct CommitLogArea {
  /// Whose records count.
  let epoch: UInt64
  let segmentSize: Int

  static let segments = 0..<CommitLogLayout.segmentCount

  func offset(_ segment: Int, _ offset: Int = 0) -> Int {
    CommitLogLayout.start + segment * segmentSize + offset
  }

  /// How a record begins, as it says itself.
  struct Head {
    let transaction: UInt64
    /// The bytes of the whole record.
    let count: Int
  }

  /// The beginning of a record, nil where there is none of this epoch that fits into its segment.
  func head(
    _ file: CheckpointFile, _ segment: Int, _ offset: Int
  ) throws(LMDBError) -> Head? {
    let room = segmentSize - offset - CommitLogLayout.writes - CommitLogLayout.checksumSize
    guard room >= 0 else { return nil }
    let head = try file.read(at: self.offset(segment, offset), count: CommitLogLayout.writes)
    guard head.count == CommitLogLayout.writes,
      head[..<CommitLogLayout.epoch].elementsEqual(CommitLogLayout.magicBytes),
      head.span.u64(at: CommitLogLayout.epoch) == epoch
    else { return nil }
    let size = head.span.u64(at: CommitLogLayout.size)
    guard size <= UInt64(room) else { return nil }
    return Head(
      transaction: head.span.u64(at: CommitLogLayout.transaction),
      count: CommitLogLayout.writes + Int(size) + CommitLogLayout.checksumSize)
  }

  /// The record at a place, nil where there is no sound one of `transaction`.
  func record(
    _ file: CheckpointFile, _ segment: Int, _ offset: Int, of transaction: UInt64
  ) throws(LMDBError) -> CommitLogRecord? {
    guard let head = try head(file, segment, offset), head.transaction == transaction else {
      return nil
    }
    let bytes = try file.read(at: self.offset(segment, offset), count: head.count)
    return CommitLogRecord(bytes, head)
  }
}
