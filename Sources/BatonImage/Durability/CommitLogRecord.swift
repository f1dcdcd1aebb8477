internal import LMDB

/// What one durable commit wrote.
struct CommitLogRecord {
  let bytes: [UInt8]

  /// Nil where the checksum says that these are other bytes than were written.
  init?(_ bytes: [UInt8], _ head: CommitLogArea.Head) {
    let end = head.count - CommitLogLayout.checksumSize
    guard bytes.count == head.count,
      bytes.span.u64(at: end) == hash(bytes.span.extracting(..<end))
    else { return nil }
    self.bytes = bytes
  }

  /// Completes a record of a transaction.
  static func complete(_ record: WriteRecord, epoch: UInt64) {
    var head = CommitLogLayout.magicBytes
    head.append(u64: epoch)
    head.append(u64: UInt64(record.transaction))
    head.append(u64: UInt64(record.bytes.count - CommitLogLayout.writes))
    record.bytes.replaceSubrange(..<CommitLogLayout.writes, with: head)
    record.bytes.append(u64: hash(record.bytes.span))
  }

  /// A write, and where its value lies in the record.
  struct Write {
    let kind: WriteRecord.Kind
    let table: ImageTable
    let key: UInt64
    let value: Range<Int>
  }

  /// What the record says was written, in order; nil where the bytes aren't writes.
  func writes() -> [Write]? {
    var writes: [Write] = []
    var place = CommitLogLayout.writes
    let end = bytes.count - CommitLogLayout.checksumSize
    while place < end {
      let start = place + CommitLogLayout.writeValue
      guard start <= end else { return nil }
      let size = Int(bytes.span.u32(at: place + CommitLogLayout.writeValueSize))
      guard let kind = WriteRecord.Kind(rawValue: bytes[place + CommitLogLayout.writeKind]),
        let table = ImageTable(rawValue: UInt64(bytes[place + CommitLogLayout.writeTable])),
        size <= end - start
      else { return nil }
      let key = bytes.span.u64(at: place + CommitLogLayout.writeKey)
      writes.append(Write(kind: kind, table: table, key: key, value: start..<start + size))
      place = start + size
    }
    return writes
  }
}
