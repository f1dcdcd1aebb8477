/// The checkpoint file: Docs/Format.md section 20. Offsets count from the start of a slot.
package enum CheckpointLayout {
  package static let magic = 0
  package static let version = 8
  package static let flags = 10
  package static let pageSize = 12
  package static let sequence = 16
  package static let transaction = 24
  package static let imageId = 32
  package static let boot = 48
  package static let fileSize = 64
  package static let modified = 72
  package static let changed = 80
  package static let meta = 88
  package static let epoch = 224
  package static let checksum = 232
  package static let size = 240

  package static let magicBytes: [UInt8] = Array("BATONCPT".utf8)
  package static let currentVersion: UInt16 = 2
  /// A flush failed: what was written after the checkpoint may be lost without notice.
  package static let suspect: UInt16 = 1

  /// The slots are as far apart as any medium's unit of writing, so that one that is torn leaves the
  /// other alone.
  package static let slotDistance = 4096
  package static let slotCount = 2

  /// Where the marks of openers are, how many there are and what each takes.
  package static let marks = 8192
  package static let markCount = 64
  package static let markSize = 32
  /// The highest sequence number known to be on the medium, for who reads the file in the same
  /// session of the machine.
  package static let flushed = 10240
  /// The size of a copy of the image's header (u32, 0 for none), and the copy.
  package static let headerSize = 10248
  package static let header = 10256
  package static let fileSizeWhole = 12288

  package static let markProcess = 0
  package static let markCountOfDeaths = 4
  package static let markStage = 8
  package static let markBoot = 16
}

extension MetaLayout {
  /// What of a meta page tells a state: all behind the page's header.
  package static let state = magic..<size
}
