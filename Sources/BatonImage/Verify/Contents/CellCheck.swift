/// Checks a cell: Docs/Format.md section 7. Linear in the cell, without recursion.
struct CellCheck {
  let inspection: Inspection

  /// The first problem of a cell, kind byte first, or nil.
  func problem(in cell: Span<UInt8>) -> Problem? {
    guard cell.count > 0 else { return Problem("an empty cell") }
    guard let kind = CellKind(rawValue: cell[0] & CellKind.mask) else {
      return Problem("a cell of kind \(cell[0] & CellKind.mask)")
    }
    guard cell[0] & ~(CellKind.mask | CellKind.stale | CellKind.errors) == 0 else {
      return Problem("a cell with unknown flags")
    }
    var start = 1
    if cell[0] & CellKind.errors != 0 {
      var reader = ByteReader(cell, at: 1)
      guard let length = reader.length() else {
        return Problem("an errors block passes the cell's end", at: 1)
      }
      start = reader.position + length
      let block = cell.extracting(reader.position..<start)
      if let problem = inspection.errorsProblem(block) {
        return problem.moved(by: reader.position)
      }
    } else if cell[0] & CellKind.stale != 0 {
      return Problem("a stale value without errors")
    }
    let payload = cell.extracting(start...)
    let problem = kind == .list ? listProblem(payload) : scalarProblem(kind, payload)
    return problem?.moved(by: start)
  }

  /// The first problem of a list's elements, however deep.
  private func listProblem(_ list: Span<UInt8>) -> Problem? {
    var reader = ByteReader(list)
    // Where each list the reader is in ends, outermost first.
    var ends = [list.count]
    while let end = ends.last {
      let place = reader.position
      if place == end {
        ends.removeLast()
        continue
      }
      guard let byte = reader.byte(), let kind = CellKind(rawValue: byte) else {
        return Problem("a list's element of unknown kind", at: place)
      }
      guard let length = reader.length(), length <= end - reader.position else {
        return Problem("a list's element passes the list's end", at: place)
      }
      if kind == .list {
        guard ends.count < CellKind.maximumDepth else {
          return Problem("lists nested more than \(CellKind.maximumDepth) deep", at: place)
        }
        ends.append(reader.position + length)
        continue
      }
      let start = reader.position
      guard let payload = reader.part(length) else { return Problem("a cut list", at: place) }
      if let problem = scalarProblem(kind, payload) { return problem.moved(by: start) }
    }
    return nil
  }

  private func scalarProblem(_ kind: CellKind, _ payload: Span<UInt8>) -> Problem? {
    switch kind {
    case .null, .false, .true:
      return payload.count == 0 ? nil : Problem("a payload where there is none")
    case .int:
      return intProblem(payload)
    case .float:
      return floatProblem(payload)
    case .string:
      return payload.isUTF8 ? nil : Problem("a string that is not UTF-8")
    case .source:
      return inspection.json.isValue(payload) ? nil : Problem("a source text that is not JSON")
    case .link:
      guard payload.count == 4 else { return Problem("a link of \(payload.count) bytes") }
      return linkProblem(payload, at: 0)
    case .links:
      guard payload.count % 4 == 0 else { return Problem("links of \(payload.count) bytes") }
      for place in stride(from: 0, to: payload.count, by: 4) where payload.u32(at: place) != 0 {
        if let problem = linkProblem(payload, at: place) { return problem }
      }
      return nil
    case .list:
      return Problem("a list where a scalar belongs")
    }
  }

  private func linkProblem(_ payload: Span<UInt8>, at place: Int) -> Problem? {
    let number = payload.u32(at: place)
    return inspection.isGiven(UInt64(number))
      ? nil : Problem("a link to record \(number), which was never given", at: place)
  }

  private func intProblem(_ payload: Span<UInt8>) -> Problem? {
    guard let number = CellView.int(payload) else {
      return Problem("an integer of \(payload.count) bytes")
    }
    let fewest =
      Int8(exactly: number) != nil
      ? 1 : Int16(exactly: number) != nil ? 2 : Int32(exactly: number) != nil ? 4 : 8
    return payload.count == fewest
      ? nil : Problem("an integer of \(payload.count) bytes that \(fewest) hold")
  }

  private func floatProblem(_ payload: Span<UInt8>) -> Problem? {
    guard payload.count >= 8 else { return Problem("a float of \(payload.count) bytes") }
    let number = Double(bitPattern: payload.u64(at: 0))
    guard number.isFinite else { return Problem("a float that is not finite") }
    guard payload.count > 8 else { return nil }
    let text = payload.extracting(8...)
    guard let token = JSONScalar(text, from: 0, to: text.count, first: text[0]),
      let stated = token.float(in: text), stated.bitPattern == number.bitPattern
    else { return Problem("a float's text that is not the number's", at: 8) }
    return nil
  }
}

extension Inspection {
  /// The first problem of an errors block, or nil: Docs/Format.md section 7.
  func errorsProblem(_ block: Span<UInt8>) -> Problem? {
    guard block.count > 0 else { return Problem("an empty errors block") }
    var reader = ByteReader(block)
    while !reader.isAtEnd {
      for part in 0..<4 {
        let place = reader.position
        guard let text = reader.prefixed() else { return Problem("an error is cut", at: place) }
        guard text.isUTF8 else { return Problem("an error that is not UTF-8", at: place) }
        // Path and extensions are kept as they came.
        let opening = part == 1 ? UInt8(ascii: "[") : part == 3 ? UInt8(ascii: "{") : nil
        guard let opening, text.count > 0 else { continue }
        guard text[0] == opening, json.isValue(text) else {
          return Problem("an error's path or extensions are not JSON", at: place)
        }
      }
    }
    return nil
  }
}
