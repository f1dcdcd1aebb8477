/// Reading a document from the store.
extension ReferenceStore {
  /// What reading gives: the data as JSON, the paths of what is missing, and the errors met.
  struct Answer: Equatable {
    var data = ""
    var missing: Set<String> = []
    /// `path: error` each, in order.
    var errors: [String] = []
  }

  func read(_ document: ModelDocument) -> Answer {
    var answer = Answer()
    answer.data = object(Self.root, document.root, of: document, at: [], &answer)
    return answer
  }

  private func object(
    _ key: String, _ selections: [ModelDocument.Selection], of document: ModelDocument,
    at path: [String], _ answer: inout Answer
  ) -> String {
    guard let record = records[key] else { return "null" }
    var members: [String] = []
    for asked in document.collect(selections, type: record.type) {
      let place = path + [asked.responseKey]
      if asked.field == nil {
        members.append("\"__typename\":\"\(record.type)\"")
      } else if let cell = record.cells[asked.storageKey] {
        for error in cell.errors {
          answer.errors.append("\(place.joined(separator: ".")): \(error.line)")
        }
        let value =
          cell.isErrored
          ? "null" : text(of: cell.value, asked.selections, of: document, at: place, &answer)
        members.append("\"\(asked.responseKey)\":\(value)")
      } else {
        answer.missing.insert(place.joined(separator: "."))
      }
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  private func text(
    of value: Value, _ selections: [ModelDocument.Selection], of document: ModelDocument,
    at path: [String], _ answer: inout Answer
  ) -> String {
    switch value {
    case .null: return "null"
    case .leaf(let token): return token
    case .link(let key): return object(key, selections, of: document, at: path, &answer)
    case .links(let keys):
      let elements = keys.map { $0.map { Value.link($0) } ?? .null }
      return text(of: .list(elements), selections, of: document, at: path, &answer)
    case .list(let elements):
      var texts: [String] = []
      for (index, element) in elements.enumerated() {
        texts.append(
          text(of: element, selections, of: document, at: path + [String(index)], &answer))
      }
      return "[" + texts.joined(separator: ",") + "]"
    }
  }
}
