internal import LMDB

/// Doing again what durable commits wrote behind the last checkpoint, of which the image itself may
/// have lost any part.
struct LogReplay {
  private let file: CheckpointFile
  private let area: CommitLogArea
  /// The state that the first of them follows.
  private let base: UInt64

  init(_ file: CheckpointFile, behind record: CheckpointRecord, segmentSize: Int?) {
    self.file = file
    area = CommitLogArea(
      epoch: record.epoch, segmentSize: segmentSize ?? CommitLogLayout.segmentSize)
    base = record.transaction
  }

  /// Whether there is a commit behind the checkpoint.
  func hasCommits() throws(ImageError) -> Bool { try !records(atMost: 1).isEmpty }

  /// Writes them into an image that is at the checkpoint's state, and that no other process has open,
  /// in one transaction: until it is recorded, the checkpoint's state stays whole beside it.
  func run(on image: borrowing ClosedFile, at path: String, _ options: Environment.Options)
    throws(ImageError)
  {
    var failure: ImageError?
    do throws(LMDBError) {
      try image.edit(at: path, options) { (environment) throws(LMDBError) in
        do throws(ImageError) { try write(into: environment) } catch {
          failure = error
          throw LMDBError(.refused, in: .put)
        }
      }
    } catch {
      throw failure ?? ImageError(error)
    }
  }

  private func write(into environment: Environment) throws(ImageError) {
    let tables = try ImageMaking.tables(of: environment)
    var transaction = try engine { () throws(LMDBError) in try environment.write() }
    for record in try records() {
      guard let writes = record.writes() else { break }
      do throws(LMDBError) {
        for write in writes {
          switch write.kind {
          case .put:
            let value = record.bytes.span.extracting(write.value)
            try transaction.put(value, at: write.key, in: tables[write.table])
          case .delete: try transaction.delete(at: write.key, in: tables[write.table])
          case .clear: try transaction.clear(tables[write.table])
          }
        }
      } catch {
        throw ImageError(error)
      }
    }
    do throws(LMDBError) { try transaction.commit() } catch { throw ImageError(error) }
  }

  /// The records that follow the checkpoint without a gap, in order.
  private func records(atMost limit: Int = .max) throws(ImageError) -> [CommitLogRecord] {
    var records: [CommitLogRecord] = []
    var last = base
    var places = try CommitLogArea.segments.map { segment throws(ImageError) in
      try self.places(segment)
    }
    // A segment has consecutive records, which may go on in the other one.
    while let segment = places.firstIndex(where: { $0.contains { $0.transaction == last + 1 } }) {
      for place in places[segment] where place.transaction > last {
        let record = try engine { () throws(LMDBError) in
          try area.record(file, segment, place.offset, of: place.transaction)
        }
        guard let record, records.count < limit else { return records }
        records.append(record)
        last = place.transaction
      }
      places[segment] = []
    }
    return records
  }

  /// Where the consecutive records of a segment are, as they say themselves.
  private func places(
    _ segment: Int
  ) throws(ImageError) -> [(transaction: UInt64, offset: Int)] {
    var places: [(transaction: UInt64, offset: Int)] = []
    var offset = 0
    while true {
      let head = try engine { () throws(LMDBError) in try area.head(file, segment, offset) }
      guard let head, places.last.map({ $0.transaction &+ 1 == head.transaction }) ?? true else {
        return places
      }
      places.append((head.transaction, offset))
      offset += CommitLogLayout.room(head.count)
    }
  }
}
