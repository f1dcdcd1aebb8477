internal import LMDB

/// What a checkpoint says: a state whose pages are on the medium and stay as they are.
struct CheckpointRecord: Equatable, Sendable {
  /// Of two records, the one with the higher number was written later.
  var sequence: UInt64
  /// The state's transaction.
  var transaction: UInt64
  var pageSize: Int
  var imageId: [UInt8]
  /// The machine's session that the record was written in; all zero when it wasn't known.
  var boot: [UInt8]
  /// The image's size and times when the state was the newest.
  var stamp: FileStamp
  /// The state's meta page behind the page's header.
  var meta: [UInt8]
  /// What the log's records of this course of states bear: another number in each session of the
  /// machine and wherever the image went back to an earlier state, behind which there may be records
  /// of what was lost.
  var epoch: UInt64
  /// A flush failed after the record was written.
  var isSuspect = false

  /// A session that nobody is in.
  static let noBoot = [UInt8](repeating: 0, count: BootSession.size)

  init(
    sequence: UInt64, pageSize: Int, imageId: [UInt8], boot: [UInt8], stamp: FileStamp,
    meta: [UInt8], epoch: UInt64 = .random(in: .min ... .max)
  ) {
    self.sequence = sequence
    transaction = meta.span.u64(at: MetaLayout.transaction - MetaLayout.state.lowerBound)
    self.pageSize = pageSize
    self.imageId = imageId
    self.boot = boot
    self.stamp = stamp
    self.meta = meta
    self.epoch = epoch
  }

  /// Decodes a slot; nil when its checksum or version is another's.
  init?(_ slot: Span<UInt8>) {
    let magic = CheckpointLayout.magicBytes
    guard slot.count >= CheckpointLayout.size,
      slot.extracting(CheckpointLayout.magic..<CheckpointLayout.version).isEqual(to: magic.span),
      slot.u16(at: CheckpointLayout.version) == CheckpointLayout.currentVersion,
      slot.u64(at: CheckpointLayout.checksum)
        == hash(slot.extracting(0..<CheckpointLayout.checksum))
    else { return nil }
    sequence = slot.u64(at: CheckpointLayout.sequence)
    transaction = slot.u64(at: CheckpointLayout.transaction)
    pageSize = Int(slot.u32(at: CheckpointLayout.pageSize))
    imageId = slot.extracting(CheckpointLayout.imageId..<CheckpointLayout.boot).copy()
    boot = slot.extracting(CheckpointLayout.boot..<CheckpointLayout.fileSize).copy()
    stamp = FileStamp(
      size: slot.u64(at: CheckpointLayout.fileSize),
      modified: Int64(bitPattern: slot.u64(at: CheckpointLayout.modified)),
      changed: Int64(bitPattern: slot.u64(at: CheckpointLayout.changed)))
    meta = slot.extracting(CheckpointLayout.meta..<CheckpointLayout.epoch).copy()
    epoch = slot.u64(at: CheckpointLayout.epoch)
    isSuspect = slot.u16(at: CheckpointLayout.flags) & CheckpointLayout.suspect != 0
  }

  /// The slot's bytes.
  var encoded: [UInt8] {
    var slot = CheckpointLayout.magicBytes
    slot.append(u16: CheckpointLayout.currentVersion)
    slot.append(u16: isSuspect ? CheckpointLayout.suspect : 0)
    slot.append(u32: UInt32(pageSize))
    slot.append(u64: sequence)
    slot.append(u64: transaction)
    slot += imageId
    slot += boot
    slot.append(u64: stamp.size)
    slot.append(u64: UInt64(bitPattern: stamp.modified))
    slot.append(u64: UInt64(bitPattern: stamp.changed))
    slot += meta
    slot.append(u64: epoch)
    slot.append(u64: hash(slot.span))
    return slot
  }
}
