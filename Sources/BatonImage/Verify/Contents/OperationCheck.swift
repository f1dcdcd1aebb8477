/// Checks operations and misses: Docs/Format.md section 10.
extension Inspection {
  func checkOperations() {
    forEach(.operations) { key, value in
      let problem = EntryList.problem(in: value.span) { operationProblem(key, $0) }
      fault(problem, in: "operations \(key)", value)
    }
    forEach(.misses) { key, value in
      let problem = EntryList.problem(in: value.span) { missProblem(key, $0) }
      fault(problem, in: "misses \(key)", value)
    }
  }

  private func operationProblem(_ key: UInt64, _ entry: Span<UInt8>) -> Problem? {
    guard entry.count > 16 else { return Problem("an operation of \(entry.count) bytes") }
    guard isPast(entry.u64(at: 8)) else { return Problem("of a commit yet to come", at: 8) }
    let text = entry.extracting(16...)
    guard text.isUTF8 else { return Problem("not UTF-8", at: 16) }
    guard hash(text) == key else { return Problem("another text's hash", at: 16) }
    for place in 0..<text.count where text[place] == 0 { return nil }
    return Problem("no zero byte behind the name", at: 16)
  }

  private func missProblem(_ key: UInt64, _ entry: Span<UInt8>) -> Problem? {
    guard entry.count > 25 else { return Problem("a miss of \(entry.count) bytes") }
    guard entry.u32(at: 0) >= 1 else { return Problem("counts no answer") }
    guard entry[4] >= 1, entry[4] <= 4 else { return Problem("kind \(entry[4])", at: 4) }
    let length = Int(entry.u32(at: 21))
    guard length <= entry.count - 25 else { return Problem("the id is cut", at: 21) }
    let id = entry.extracting(25..<25 + length)
    if let problem = idProblem(id) { return problem.moved(by: 25) }
    guard hash(id) == key else { return Problem("another id's hash", at: 25) }
    let errors = entry.extracting((25 + length)...)
    if errors.count == 0 { return nil }
    return errorsProblem(errors)?.moved(by: 25 + length)
  }
}
