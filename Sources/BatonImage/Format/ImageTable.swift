/// The tables of an image, with the numbers Docs/Format.md section 2 gives them.
package enum ImageTable: UInt64, CaseIterable, Sendable {
  case meta = 1
  case records
  case cells
  case ids
  case aliases
  case keys
  case keysof
  case names
  case nameids
  case types
  case operations
  case misses
  case stamps
  case journal

  /// The table's name in the file.
  package var name: String { String(describing: self) }
}

/// The keys of the table `meta`.
package enum MetaKey {
  package static let header: UInt64 = 1
  package static let state: UInt64 = 2
}
