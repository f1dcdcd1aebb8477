/// What is wrong inside a value, and at which of its bytes.
struct Problem {
  var message: String
  var offset: Int

  init(_ message: String, at offset: Int = 0) {
    self.message = message
    self.offset = offset
  }

  /// The same problem in a value that begins `distance` bytes before.
  func moved(by distance: Int) -> Problem {
    Problem(message, at: offset + distance)
  }
}

extension Inspection {
  /// Writes down a problem of a value.
  func fault(_ problem: Problem?, in structure: @autoclosure () -> String, _ value: StoredValue) {
    guard let problem else { return }
    log.fault(structure(), at: value.offset + UInt64(problem.offset), problem.message)
  }
}

extension Span<UInt8> {
  /// Whether the bytes are UTF-8.
  var isUTF8: Bool {
    (try? UTF8Span(validating: self)) != nil
  }
}

/// The entries of a value of `aliases`, `keys`, `operations` or `misses`: Docs/Format.md section 3.
enum EntryList {
  /// Runs `check` on each entry, which is given its first byte's place; the first problem, of an
  /// entry or of the list itself, or nil.
  static func problem(
    in value: Span<UInt8>, _ check: (_ entry: Span<UInt8>) -> Problem?
  ) -> Problem? {
    var place = 4
    guard place < value.count else { return Problem("a value without entries") }
    while place < value.count {
      guard value.count - place >= 4 else { return Problem("an entry's length is cut", at: place) }
      let length = Int(value.u32(at: place))
      let start = place + 4
      guard length <= value.count - start else {
        return Problem("an entry of \(length) bytes passes the value's end", at: place)
      }
      if let problem = check(value.extracting(start..<start + length)) {
        return problem.moved(by: start)
      }
      place = start + length
    }
    return nil
  }
}
