/// Checks names, their hashes and what is known of types: Docs/Format.md section 5.
extension Inspection {
  func checkNames() {
    forEach(.names) { key, value in
      fault(nameProblem(key, value.span), in: "name \(key)", value)
    }
    if whole.contains(.names) {
      for number in NameKind.query...NameKind.subscription where names[number] == nil {
        log.fault("name \(number)", at: nil, "a root's type has no name")
        whole.remove(.names)
      }
    }
    forEach(.nameids) { key, value in
      fault(numbersProblem(key, value.span), in: "nameids \(key)", value)
    }
  }

  private func nameProblem(_ key: UInt64, _ value: Span<UInt8>) -> Problem? {
    guard let number = UInt32(exactly: key), number >= 1, number <= NameKind.maximumCount,
      number < state?.nextName ?? .max
    else { return Problem("a number that was never given") }
    guard value.count > 5, let kind = NameKind(rawValue: value[4]) else {
      return Problem("no kind and text", at: 4)
    }
    guard value.extracting(5...).isUTF8 else { return Problem("not UTF-8", at: 5) }
    let roots = ["Query", "Mutation", "Subscription"]
    if number < NameKind.firstFree {
      let isRoot =
        kind == .type && value.extracting(5...).isEqual(to: roots[Int(number) - 1].utf8.span)
      guard isRoot else { return Problem("not the root's type", at: 4) }
    }
    if kind == .operation, zeroBytes(in: value.extracting(5...)) < 2 {
      return Problem("no zero bytes behind the operation and its variable", at: 5)
    }
    names.insert(number, .kind(kind))
    links.names.add(hash(value.extracting(4...)), key)
    return nil
  }

  private func zeroBytes(in text: Span<UInt8>) -> Int {
    text.indices.count { text[$0] == 0 }
  }

  private func numbersProblem(_ key: UInt64, _ value: Span<UInt8>) -> Problem? {
    guard value.count > 4, value.count % 4 == 0 else {
      return Problem("\(value.count) bytes are no numbers")
    }
    for place in stride(from: 4, to: value.count, by: 4) {
      links.nameids.add(key, UInt64(value.u32(at: place)))
    }
    return nil
  }

  func checkTypes() {
    forEach(.types) { key, value in
      fault(typeProblem(key, value.span), in: "types \(key >> 32), \(key & 0xFFFF_FFFF)", value)
    }
  }

  private func typeProblem(_ key: UInt64, _ value: Span<UInt8>) -> Problem? {
    for number in [UInt32(key >> 32), UInt32(truncatingIfNeeded: key)] {
      guard isName(number, .type) else { return Problem("\(number) is no type's name") }
    }
    guard value.count == 5, value[4] <= 1 else { return Problem("not a single 0 or 1", at: 4) }
    return nil
  }
}
