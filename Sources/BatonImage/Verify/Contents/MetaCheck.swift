/// Checks the header and the state: Docs/Format.md section 4.
extension Inspection {
  func checkMeta() {
    var hasHeader = false
    var hasState = false
    forEach(.meta) { key, value in
      switch key {
      case MetaKey.header:
        hasHeader = true
        fault(headerProblem(value.span), in: "header", value)
      case MetaKey.state:
        hasState = true
        fault(stateProblem(value.span), in: "state", value)
      default:
        fault(Problem("a key no image has"), in: "meta \(key)", value)
      }
    }
    guard whole.contains(.meta) else { return }
    if !hasHeader { log.fault("header", at: nil, "there is none") }
    if !hasState { log.fault("state", at: nil, "there is none") }
    if !hasHeader || !hasState { whole.remove(.meta) }
  }

  private func headerProblem(_ header: Span<UInt8>) -> Problem? {
    guard header.count >= HeaderLayout.identity else {
      return Problem("a header of \(header.count) bytes")
    }
    guard Int(header.u32(at: HeaderLayout.pageSize)) == file.pageSize else {
      return Problem("another page size than the engine's", at: HeaderLayout.pageSize)
    }
    guard header.u32(at: HeaderLayout.engineVersion) == HeaderLayout.currentEngine else {
      return Problem("another engine version", at: HeaderLayout.engineVersion)
    }
    var place = HeaderLayout.identity
    for text in ["identity", "lookups", "account"] {
      guard header.count - place >= 4 else { return Problem("the \(text) is cut", at: place) }
      let length = Int(header.u32(at: place))
      guard length <= header.count - place - 4 else {
        return Problem("the \(text) passes the header's end", at: place)
      }
      guard header.extracting(place + 4..<place + 4 + length).isUTF8 else {
        return Problem("the \(text) is not UTF-8", at: place + 4)
      }
      place += 4 + length
    }
    guard place == header.count else { return Problem("bytes behind the account", at: place) }
    return (try? Header(header).identityRules()) == nil
      ? Problem("the identity or the lookups can't be read", at: HeaderLayout.identity) : nil
  }

  private func stateProblem(_ bytes: Span<UInt8>) -> Problem? {
    guard bytes.count == StateLayout.size, let read = try? ImageCounters(bytes) else {
      return Problem("a state of \(bytes.count) bytes")
    }
    guard read.commit <= ImageCounters.maximumCommit else {
      return Problem("\(read.commit) as the last commit", at: StateLayout.commit)
    }
    guard read.nextRecord >= UInt64(RowLayout.firstRecord), read.nextRecord <= 1 << 32 else {
      return Problem("\(read.nextRecord) as the next record", at: StateLayout.nextRecord)
    }
    guard read.nextName >= NameKind.firstFree, read.nextName <= NameKind.maximumCount + 1 else {
      return Problem("\(read.nextName) as the next name", at: StateLayout.nextName)
    }
    guard read.oldestJournal <= read.commit else {
      return Problem(
        "a journal from commit \(read.oldestJournal) on after commit \(read.commit)",
        at: StateLayout.oldestJournal)
    }
    state = read
    report.commit = read.commit
    return nil
  }
}
