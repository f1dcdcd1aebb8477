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
  case fetches

  /// The table's name in the file.
  ///
  /// Written out: to make it of the case, the runtime reflects, which opening an image should not
  /// pull in.
  package var name: String {
    switch self {
    case .meta: "meta"
    case .records: "records"
    case .cells: "cells"
    case .ids: "ids"
    case .aliases: "aliases"
    case .keys: "keys"
    case .keysof: "keysof"
    case .names: "names"
    case .nameids: "nameids"
    case .types: "types"
    case .operations: "operations"
    case .misses: "misses"
    case .stamps: "stamps"
    case .journal: "journal"
    case .fetches: "fetches"
    }
  }
}

/// The keys of the table `meta`.
package enum MetaKey {
  package static let header: UInt64 = 1
  package static let state: UInt64 = 2
}
