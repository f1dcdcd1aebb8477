internal import LMDB

/// The checkpoint file beside an image, open.
///
/// Two slots are written in turn, so that one that is torn leaves the other; the writer holds the
/// file's lock. Docs/Durability.md has the rules.
final class CheckpointFile: Sendable {
  private let file: Descriptor
  private let path: String

  static func path(of image: String) -> String { image + "-checkpoint" }

  /// Opens the file beside an image; nil when there is none.
  static func open(of image: String, writing: Bool) throws(LMDBError) -> CheckpointFile? {
    let path = path(of: image)
    do throws(LMDBError) {
      return CheckpointFile(
        try Descriptor(path: path, flags: writing ? Descriptor.both : Descriptor.reading),
        path: path)
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
  }

  private init(_ file: consuming Descriptor, path: String) {
    self.file = file
    self.path = path
  }

  /// Makes the file beside an image with a first record, flushed, under its name from the first
  /// moment it is whole. The caller flushes the folder.
  ///
  /// A file that is there is replaced when `replacing` says so, otherwise it stays and is opened.
  static func make(
    of image: String, _ record: CheckpointRecord, replacing: Bool
  ) throws(LMDBError) -> CheckpointFile {
    let path = path(of: image)
    let draft = path + ".new-" + String(UInt64.random(in: .min ... .max), radix: 16)
    let made = CheckpointFile(
      try Descriptor(path: draft, flags: Descriptor.newFile), path: path)
    defer { Platform.unlink(draft) }
    try made.fill(record)
    let status =
      replacing ? Platform.rename(from: draft, to: path) : Platform.link(from: draft, to: path)
    if status == 0 { return made }
    if !replacing, let there = try CheckpointFile.open(of: image, writing: true) { return there }
    throw LMDBError(status: status, in: .createFile)
  }

  private func fill(_ record: CheckpointRecord) throws(LMDBError) {
    file.setMode(0o600)
    var bytes = record.encoded
    bytes += [UInt8](repeating: 0, count: CheckpointLayout.fileSizeWhole - bytes.count)
    try Descriptor.write(file.number, bytes, at: 0)
    try file.flush()
  }

  /// Flushes the folder's entry of the file.
  func flushName() throws(LMDBError) {
    let folder = try Descriptor(path: Platform.folder(of: path), flags: Descriptor.folder)
    try folder.flush()
  }

  /// Both slots.
  func slots() throws(LMDBError) -> CheckpointSlots {
    let bytes = try Descriptor.read(file.number, at: 0, count: CheckpointLayout.flushed + 8)
    return CheckpointSlots(bytes.span)
  }

  /// All before the log: slots, marks and the header's copy.
  func bytes() throws(LMDBError) -> [UInt8] {
    try Descriptor.read(file.number, at: 0, count: CheckpointLayout.fileSizeWhole)
  }

  /// Writes a record over the slot that `slots` can do without, once the other one is on the medium.
  ///
  /// With the file's lock held. The record itself is on the medium after `settle`.
  func write(_ record: CheckpointRecord, over slots: CheckpointSlots) throws(LMDBError) {
    try settle(slots.newest, slots)
    try Descriptor.write(
      file.number, record.encoded, at: slots.older * CheckpointLayout.slotDistance)
  }

  /// Makes sure that a record that was read or written is on the medium.
  ///
  /// Its writer may have died, or been content, before it flushed it. With the file's lock held.
  func settle(_ record: CheckpointRecord?, _ slots: CheckpointSlots) throws(LMDBError) {
    guard let record, record.sequence > slots.flushed else { return }
    try file.flushBytes()
    var note: [UInt8] = []
    note.append(u64: record.sequence)
    try Descriptor.write(file.number, note, at: CheckpointLayout.flushed)
  }

  /// Up to `count` bytes from `offset`: fewer where the file ends.
  func read(at offset: Int, count: Int) throws(LMDBError) -> [UInt8] {
    try Descriptor.read(file.number, at: offset, count: count)
  }

  /// Flushes what was written.
  func flushBytes() throws(LMDBError) { try file.flushBytes() }

  /// Whether it was neither removed nor replaced.
  func hasName() throws(LMDBError) -> Bool {
    try FileInformation(descriptor: file.number).links > 0
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(LMDBError) {
    try Descriptor.write(file.number, bytes, at: offset)
  }

  /// Runs `body` with the file's lock, which one opener of it holds at a time.
  func locked<Result>(
    _ body: () throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    let isLocked = lock()
    defer { if isLocked { unlock() } }
    return try body()
  }

  func lock() -> Bool { file.lock() }

  func unlock() { file.unlock() }
}

/// The two slots of a checkpoint file, as they were read.
struct CheckpointSlots {
  private let records: [CheckpointRecord?]
  /// The highest sequence number known to be on the medium.
  let flushed: UInt64

  init(_ bytes: Span<UInt8>) {
    let note = CheckpointLayout.flushed
    flushed = bytes.count >= note + 8 ? bytes.u64(at: note) : 0
    records = (0..<CheckpointLayout.slotCount).map { slot in
      let start = slot * CheckpointLayout.slotDistance
      guard bytes.count >= start + CheckpointLayout.size else { return nil }
      return CheckpointRecord(bytes.extracting(start..<start + CheckpointLayout.size))
    }
  }

  /// The record written last, if any is whole.
  var newest: CheckpointRecord? { records[1 - older] ?? records[older] }

  /// The slot to write next: one without a record, or the older one.
  var older: Int {
    guard let first = records[0] else { return 0 }
    guard let second = records[1] else { return 1 }
    return first.sequence < second.sequence ? 0 : 1
  }
}
