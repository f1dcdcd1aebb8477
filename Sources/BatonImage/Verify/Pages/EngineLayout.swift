/// The header every page begins with: Docs/Format.md section 14.
package enum PageLayout {
  package static let number = 0
  package static let flags = 10
  package static let lower = 12
  package static let upper = 14
  /// Overflow pages hold the length of their run where others hold `lower` and `upper`.
  package static let runLength = 12
  package static let size = 16

  package static let minimumPageSize = 512
  package static let maximumPageSize = 32_768
  /// The first page that is not a meta page.
  package static let firstPage: UInt64 = 2
}

/// The kinds of a page, exactly one of which its flags name.
package enum PageKind {
  package static let branch: UInt16 = 0x01
  package static let leaf: UInt16 = 0x02
  package static let overflow: UInt16 = 0x04
  package static let meta: UInt16 = 0x08
}

/// A meta page: Docs/Format.md section 15. Offsets count from the start of the page.
package enum MetaLayout {
  package static let magic = 16
  package static let version = 20
  package static let mapSize = 32
  package static let freeTree = 40
  package static let mainTree = 88
  package static let lastPage = 136
  package static let transaction = 144
  package static let size = 152

  package static let magicNumber: UInt32 = 0xBEEF_C0DE
  package static let currentVersion: UInt32 = 1
}

/// A tree's record: Docs/Format.md section 15.
package enum TreeLayout {
  /// The page size in the record of the free tree, unused in others.
  package static let padding = 0
  package static let flags = 4
  package static let depth = 6
  package static let branchPages = 8
  package static let leafPages = 16
  package static let overflowPages = 24
  package static let entries = 32
  package static let root = 40
  package static let size = 48

  package static let integerKeys: UInt16 = 0x08
  /// The root of a tree without pages.
  package static let noPage = UInt64.max
  /// The engine's cursors go no deeper.
  package static let maximumDepth = 32
}

/// A node: Docs/Format.md section 17.
package enum NodeLayout {
  package static let low = 0
  package static let high = 2
  package static let flags = 4
  package static let keySize = 6
  package static let key = 8

  /// The value is in an overflow run; the node holds the run's first page number.
  package static let overflow: UInt16 = 0x01
  /// The value is the record of a tree.
  package static let tree: UInt16 = 0x02
  package static let pageNumberSize = 8
}
