/// Checks the fetch times of records: Docs/Format.md section 10.
extension Inspection {
  func checkFetches() {
    forEach(.fetches) { key, value in
      let operation = FetchBlock.operation(ofKey: key)
      let block = key & 0xFFFF_FFFF
      fault(fetchProblem(key, value.span), in: "fetches \(operation), \(block)", value)
    }
  }

  private func fetchProblem(_ key: UInt64, _ value: Span<UInt8>) -> Problem? {
    let operation = FetchBlock.operation(ofKey: key)
    guard isName(operation, .operation) else {
      return Problem("\(operation) is no operation's name")
    }
    guard let first = FetchBlock.firstRecord(ofKey: key) else {
      return Problem("a block that no image has")
    }
    guard value.count > FetchBlock.start,
      (value.count - FetchBlock.start) % FetchBlock.groupSize == 0
    else { return Problem("\(value.count) bytes are no groups") }
    var place = FetchBlock.start
    var last = Int64.min
    var met: UInt64 = 0
    for group in FetchBlock(value).groups {
      if place > FetchBlock.start, group.time <= last {
        return Problem("the times don't ascend", at: place)
      }
      guard group.records != 0 else { return Problem("a group of no record", at: place + 8) }
      guard group.records & met == 0 else { return Problem("a record twice", at: place + 8) }
      let highest = UInt64(first) + UInt64(63 - group.records.leadingZeroBitCount)
      let lowest = UInt64(first) + UInt64(group.records.trailingZeroBitCount)
      guard isGiven(lowest), isGiven(highest) else {
        return Problem("a record that was never given", at: place + 8)
      }
      last = group.time
      met |= group.records
      place += FetchBlock.groupSize
    }
    return nil
  }
}
