internal import LMDB

/// The other names of records: aliases and natural keys, where the record is left.
extension SalvageWriting {
  mutating func copyAliases(_ transaction: inout WriteTransaction) throws(ImageError) {
    try copy(.aliases, &transaction) { (copy, key, value, _) throws(ImageError) in
      try copy.entries(of: value, "aliases \(key)") { copy, entry in
        guard entry.count > 4, let flags = copy.rows[entry.u32(at: 0)], !flags.contains(.moved)
        else { return false }
        copy.aliased.insert(entry.u32(at: 0))
        copy.report.aliases += 1
        return true
      }
    }
  }

  mutating func copyNaturalKeys(_ transaction: inout WriteTransaction) throws(ImageError) {
    try copy(.keys, &transaction) { (copy, key, value, _) throws(ImageError) in
      try copy.entries(of: value, "keys \(key)") { copy, entry in
        guard entry.count > 13, copy.rows[entry.u32(at: 0)] != nil else { return false }
        if copy.keyed[entry.u32(at: 0)]?.contains(key) != true {
          copy.keyed[entry.u32(at: 0), default: []].append(key)
        }
        copy.state.commit = max(copy.state.commit, entry.u64(at: 5))
        copy.report.keys += 1
        return true
      }
    }
    for (number, hashes) in keyed {
      if let list = HashList.encode(hashes) {
        try put(list, .keysof, UInt64(number), &transaction)
      }
    }
  }

  /// A value with the entries that `isKept` keeps; nil when none is.
  private mutating func entries(
    of value: Span<UInt8>, _ structure: String,
    _ isKept: (inout SalvageWriting, Span<UInt8>) -> Bool
  ) throws(ImageError) -> [UInt8]? {
    var kept: [UInt8] = [0, 0, 0, 0]
    try Entries.forEach(value) { (entry) throws(ImageError) in
      guard isKept(&self, entry) else {
        lose(structure, "the record it leads to is lost")
        return true
      }
      kept.append(u32: UInt32(entry.count))
      kept.append(entry)
      return true
    }
    return kept.count > 4 ? kept : nil
  }
}
