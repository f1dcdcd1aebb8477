internal import LMDB

/// The fetch times of records, where the operation's name is left.
extension SalvageWriting {
  mutating func copyFetches(_ transaction: inout WriteTransaction) throws(ImageError) {
    try copy(.fetches, &transaction) { (copy, key, value, _) throws(ImageError) in
      guard copy.isName(FetchBlock.operation(ofKey: key), .operation),
        let first = FetchBlock.firstRecord(ofKey: key)
      else {
        copy.lose("fetches \(key)", "the operation's name is lost")
        return nil
      }
      var block = FetchBlock()
      for group in FetchBlock(value).groups {
        // No record has the number 0.
        let records = first == 0 ? group.records & ~1 : group.records
        guard records != 0 else { continue }
        block.set(records, to: group.time)
        // Numbers that have a time were given, whether their rows are left or not.
        let highest = UInt64(first) + UInt64(63 - records.leadingZeroBitCount)
        copy.state.nextRecord = max(copy.state.nextRecord, highest + 1)
      }
      return block.encoded
    }
  }
}
