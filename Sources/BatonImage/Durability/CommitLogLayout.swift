internal import LMDB

/// The commit log in the checkpoint file: Docs/Format.md section 21. Offsets of fields count from the
/// start of a record.
package enum CommitLogLayout {
  package static let magic = 0
  package static let epoch = 8
  package static let transaction = 16
  package static let size = 24
  package static let writes = 32

  package static let magicBytes: [UInt8] = Array("BATONLOG".utf8)
  /// What follows the writes.
  package static let checksumSize = 8

  /// Where the first segment lies in the file.
  package static let start = 16384
  package static let segmentCount = 2
  package static let segmentSize = 8 << 20
  /// Records begin at multiples of it, so that none shares a medium's unit of writing with another.
  package static let alignment = 4096

  package static let writeKind = 0
  package static let writeTable = 1
  package static let writeValueSize = 4
  package static let writeKey = 8
  package static let writeValue = WriteRecord.size

  /// The bytes of the file that a record of so many takes.
  static func room(_ count: Int) -> Int { (count + alignment - 1) & ~(alignment - 1) }
}
