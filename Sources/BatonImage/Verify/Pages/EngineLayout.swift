/// The header every page begins with: Docs/Format.md section 14.
enum PageLayout {
  static let number = 0
  static let flags = 10
  static let lower = 12
  static let upper = 14
  /// Overflow pages hold the length of their run where others hold `lower` and `upper`.
  static let runLength = 12
  static let size = 16

  static let minimumPageSize = 512
  static let maximumPageSize = 32_768
  /// The first page that is not a meta page.
  static let firstPage: UInt64 = 2
}

/// The kinds of a page, exactly one of which its flags name.
enum PageKind {
  static let branch: UInt16 = 0x01
  static let leaf: UInt16 = 0x02
  static let overflow: UInt16 = 0x04
  static let meta: UInt16 = 0x08
}

/// A meta page: Docs/Format.md section 15. Offsets count from the start of the page.
enum MetaLayout {
  static let magic = 16
  static let version = 20
  static let mapSize = 32
  static let freeTree = 40
  static let mainTree = 88
  static let lastPage = 136
  static let transaction = 144
  static let size = 152

  static let magicNumber: UInt32 = 0xBEEF_C0DE
  static let currentVersion: UInt32 = 1
}

/// A tree's record: Docs/Format.md section 15.
enum TreeLayout {
  /// The page size in the record of the free tree, unused in others.
  static let padding = 0
  static let flags = 4
  static let depth = 6
  static let branchPages = 8
  static let leafPages = 16
  static let overflowPages = 24
  static let entries = 32
  static let root = 40
  static let size = 48

  static let integerKeys: UInt16 = 0x08
  /// The root of a tree without pages.
  static let noPage = UInt64.max
  /// The engine's cursors go no deeper.
  static let maximumDepth = 32
}

/// A node: Docs/Format.md section 17.
enum NodeLayout {
  static let low = 0
  static let high = 2
  static let flags = 4
  static let keySize = 6
  static let key = 8

  /// The value is in an overflow run; the node holds the run's first page number.
  static let overflow: UInt16 = 0x01
  /// The value is the record of a tree.
  static let tree: UInt16 = 0x02
  static let pageNumberSize = 8
}
