/// The byte layout of a row: Docs/Format.md section 6.
package enum RowLayout {
  package static let checksum = 0
  package static let type = 4
  package static let commit = 8
  package static let cellCount = 16
  package static let flags = 18
  package static let keyLength = 20
  package static let directory = 24
  /// Bytes of one entry of the directory: field, then offset.
  package static let entrySize = 8
  /// The most cells a row holds; further ones go to the table `cells`.
  package static let maximumCells = 64

  /// The roots' record numbers; numbers below `firstRecord` are theirs.
  package static let queryRoot: UInt32 = 1
  package static let mutationRoot: UInt32 = 2
  package static let subscriptionRoot: UInt32 = 3
  package static let firstRecord: UInt32 = 4
}

extension ByteSink where Self: ~Copyable {
  /// Appends what stands before a row's directory, with room for the checksum.
  @inline(__always)
  mutating func appendRowHead(
    type: UInt32, commit: UInt64, cells: Int, flags: RowFlags, keyLength: Int
  ) {
    append(u32: 0)
    append(u32: type)
    append(u64: commit)
    append(u16: UInt16(cells))
    append(u16: flags.rawValue)
    append(u32: UInt32(keyLength))
  }

  /// Appends an entry of a row's directory.
  @inline(__always)
  mutating func appendEntry(field: UInt32, offset: Int) {
    append(u64: UInt64(field) | UInt64(UInt32(truncatingIfNeeded: offset)) &<< 32)
  }
}

/// The flags of a row.
package struct RowFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let pathKey = RowFlags(rawValue: 1 << 0)
  package static let deleted = RowFlags(rawValue: 1 << 1)
  package static let spilled = RowFlags(rawValue: 1 << 2)
  package static let hasNaturalKeys = RowFlags(rawValue: 1 << 3)
  package static let hasAliases = RowFlags(rawValue: 1 << 4)
  package static let moved = RowFlags(rawValue: 1 << 5)
  package static let evicted = RowFlags(rawValue: 1 << 6)
  package static let pinned = RowFlags(rawValue: 1 << 7)
  /// Every flag this version defines.
  package static let known = RowFlags(rawValue: (1 << 8) - 1)
}

/// The kinds of a cell: Docs/Format.md section 7.
package enum CellKind: UInt8, Sendable {
  case null = 0
  case `false`
  case `true`
  case int
  case float
  case string
  case source
  case link
  case links
  case list

  package static let mask: UInt8 = 0x0F
  /// The value is the last good one of a field that is null under an error.
  package static let stale: UInt8 = 0x10
  /// An errors block stands before the payload.
  package static let errors: UInt8 = 0x20
  /// How deep lists may nest.
  package static let maximumDepth = 64
}

/// The kinds of a name.
package enum NameKind: UInt8, Sendable {
  case type = 1
  case storageKey = 2
  /// An operation that looks records up by a list of ids.
  case operation = 3

  /// The most names an image holds.
  package static let maximumCount: UInt32 = 10_000_000
  package static let query: UInt32 = 1
  package static let mutation: UInt32 = 2
  package static let subscription: UInt32 = 3
  package static let firstFree: UInt32 = 4
}

/// The header's layout: Docs/Format.md section 4.
package enum HeaderLayout {
  package static let magicBytes: [UInt8] = Array("BATONIMG".utf8)
  package static let magic = 4
  package static let formatVersion = 12
  package static let keyRulesVersion = 14
  package static let pageSize = 16
  package static let engineVersion = 20
  package static let schemaDigest = 24
  package static let created = 32
  package static let imageId = 40
  package static let identity = 56

  package static let currentFormat: UInt16 = 2
  package static let currentKeyRules: UInt16 = 1
  package static let currentEngine: UInt32 = 1
}

/// The state's layout: Docs/Format.md section 4.
package enum StateLayout {
  package static let commit = 4
  package static let time = 12
  package static let nextRecord = 20
  package static let nextName = 28
  package static let generation = 32
  package static let oldestJournal = 36
  package static let size = 44
}
