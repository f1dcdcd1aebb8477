/// The checkpoint file: Docs/Format.md section 20. Offsets count from the start of a slot.
enum CheckpointLayout {
  static let magic = 0
  static let version = 8
  static let flags = 10
  static let pageSize = 12
  static let sequence = 16
  static let transaction = 24
  static let imageId = 32
  static let boot = 48
  static let fileSize = 64
  static let modified = 72
  static let changed = 80
  static let meta = 88
  static let checksum = 224
  static let size = 232

  static let magicBytes: [UInt8] = Array("BATONCPT".utf8)
  static let currentVersion: UInt16 = 1
  /// A flush failed: what was written after the checkpoint may be lost without notice.
  static let suspect: UInt16 = 1

  /// The slots are as far apart as any medium's unit of writing, so that one that is torn leaves the
  /// other alone.
  static let slotDistance = 4096
  static let slotCount = 2

  /// Where the marks of openers are, how many there are and what each takes.
  static let marks = 8192
  static let markCount = 64
  static let markSize = 32
  /// The highest sequence number known to be on the medium, for who reads the file in the same
  /// session of the machine.
  static let flushed = 10240
  static let fileSizeWhole = 12288

  static let markProcess = 0
  static let markCountOfDeaths = 4
  static let markStage = 8
  static let markBoot = 16
}

extension MetaLayout {
  /// What of a meta page tells a state: all behind the page's header.
  static let state = magic..<size
}
