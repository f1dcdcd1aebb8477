internal import LMDB
internal import Synchronization

/// The durable commits behind the last checkpoint, in the checkpoint file.
///
/// What a commit wrote lies there in one piece, where its pages lie all over the image: one flush of
/// few bytes takes the place of two of many. Docs/Durability.md has the rules.
///
/// A record is added with the writers' turn, behind its commit, so there is at most one of each
/// transaction and none of what was not committed. Those that follow one another without a gap from
/// the recorded state on are what a power cut leaves; a commit that can't be added waits for a
/// checkpoint instead.
final class CommitLog: Sendable {
  /// Takes down what a transaction writes.
  let record: WriteRecord
  private let path: String
  private let imageId: [UInt8]
  private let segmentSize: Int
  private let place = Mutex<Place?>(nil)
  /// The bytes of a segment from which on the other one is used as soon as it can be.
  private static let turning = 1 << 20

  /// The end of the log.
  private struct Place {
    var file: CheckpointFile
    var area: CommitLogArea
    var segment = 0
    /// Where the next record goes in the segment.
    var offset = 0
    /// The transaction of the last record, or the recorded one that the first follows.
    var last: UInt64
    /// The last transaction of the other segment, which is needed until a checkpoint has it.
    var lastOfOther: UInt64 = 0

    /// Goes on in the other segment.
    mutating func turn() {
      (segment, offset, lastOfOther) = (CommitLogLayout.segmentCount - 1 - segment, 0, last)
    }

    /// Goes past a record that is there.
    mutating func pass(_ count: Int) {
      offset += CommitLogLayout.room(count)
      last += 1
    }
  }

  init(of path: String, imageId: [UInt8], tables: ImageTables, segmentSize: Int?) {
    self.path = path
    self.imageId = imageId
    self.segmentSize = segmentSize ?? CommitLogLayout.segmentSize
    record = WriteRecord(
      of: tables.handles, head: CommitLogLayout.writes,
      limit: self.segmentSize - CommitLogLayout.checksumSize)
  }

  // MARK: Adding

  /// Adds what `transaction` wrote, which was committed, with the writers' turn still held.
  ///
  /// `recorded` is a transaction that a checkpoint on the medium has. Nothing is thrown: where the
  /// record can't be added, `flush` says that it isn't there.
  func append(_ transaction: Int, recorded: Int) {
    let transaction = UInt64(transaction)
    place.withLock { place in
      guard record.isWhole, UInt64(record.transaction) == transaction else { return place = nil }
      do throws(ImageError) {
        place = try end(before: transaction, from: place, recorded: UInt64(recorded))
        if place != nil { try write(&place!, recorded: UInt64(recorded)) }
      } catch {
        place = nil
      }
    }
  }

  private func write(_ place: inout Place, recorded: UInt64) throws(ImageError) {
    CommitLogRecord.complete(record, epoch: place.area.epoch)
    let count = record.bytes.count
    if count > segmentSize - place.offset {
      guard try isRecorded(place.lastOfOther, recorded, place) else {
        throw .busy("both segments are full")
      }
      place.turn()
    } else if place.offset >= Self.turning, place.lastOfOther <= recorded {
      // The log takes the room that is between two checkpoints, not what it may have.
      place.turn()
    }
    let offset = place.area.offset(place.segment, place.offset)
    try engine { () throws(LMDBError) in
      try place.file.write(record.bytes, at: offset)
    }
    place.pass(count)
  }

  /// The end of the log where the record before `transaction` is its last; nil when the log lacks
  /// commits that no checkpoint has.
  private func end(
    before transaction: UInt64, from known: Place?, recorded: UInt64
  ) throws(ImageError) -> Place? {
    if let known, try engine({ () throws(LMDBError) in try known.file.hasName() }) {
      // With everything in a checkpoint there is no need of the records.
      if recorded >= transaction - 1 { return start(known.file, known.area, recorded) }
      if let place = try follow(known, to: transaction - 1) { return place }
    }
    let file = try engine { () throws(LMDBError) in
      try CheckpointFile.open(of: path, writing: true)
    }
    guard let file else { return nil }
    guard let newest = try settled(file) else { return nil }
    let area = CommitLogArea(epoch: newest.epoch, segmentSize: segmentSize)
    if newest.transaction >= transaction - 1 { return start(file, area, newest.transaction) }
    // Records of other processes.
    for segment in CommitLogArea.segments {
      let first = try engine { () throws(LMDBError) in try area.head(file, segment, 0) }
      guard let first, first.transaction <= newest.transaction + 1 else { continue }
      let place = Place(
        file: file, area: area, segment: segment, last: first.transaction - 1)
      if let end = try follow(place, to: transaction - 1) { return end }
    }
    return nil
  }

  private func start(_ file: CheckpointFile, _ area: CommitLogArea, _ last: UInt64) -> Place {
    Place(file: file, area: area, last: last)
  }

  /// Goes past the records of other processes up to the one of `transaction`; nil where one is
  /// missing.
  private func follow(_ place: Place, to transaction: UInt64) throws(ImageError) -> Place? {
    var place = place
    var hasTurned = false
    while place.last < transaction {
      let next = try engine { () throws(LMDBError) in
        try place.area.record(place.file, place.segment, place.offset, of: place.last + 1)
      }
      if let next {
        place.pass(next.bytes.count)
        hasTurned = false
      } else {
        guard !hasTurned else { return nil }
        place.turn()
        hasTurned = true
      }
    }
    return place.last == transaction ? place : nil
  }

  /// Whether a checkpoint on the medium has a transaction.
  private func isRecorded(
    _ transaction: UInt64, _ known: UInt64, _ place: Place
  ) throws(ImageError) -> Bool {
    if transaction <= known { return true }
    return try settled(place.file).map { transaction <= $0.transaction } ?? false
  }

  /// The newest record, on the medium; nil where it is none of this image, or one to be suspicious of.
  private func settled(_ file: CheckpointFile) throws(ImageError) -> CheckpointRecord? {
    try file.locked { () throws(ImageError) in
      try engine { () throws(LMDBError) in
        let slots = try file.slots()
        guard let newest = slots.newest, newest.imageId == imageId, !newest.isSuspect else {
          return nil
        }
        try file.settle(newest, slots)
        return newest
      }
    }
  }

  /// Whether a checkpoint should come before both segments are full.
  func isCrowded(recorded: Int) -> Bool {
    place.withLock { place in
      guard let place else { return false }
      return place.offset > segmentSize / 2 && place.lastOfOther > UInt64(recorded)
    }
  }

  // MARK: Flushing

  /// Flushes the log, where it has `transaction`; the last transaction that is on the medium then, 0
  /// where it hasn't.
  func flush(holding transaction: Int) throws(LMDBError) -> Int {
    let end = place.withLock { place in place.map { ($0.file, Int($0.last)) } }
    guard let (file, last) = end, last >= transaction else { return 0 }
    try file.flushBytes()
    return last
  }
}
