/// The store of subjects as `export` writes an image, and as reads answer.
extension SubjectStore {
  /// The lines of an export, with those of a deletion's payload where there is one.
  func dump(payload deleted: String?) -> String {
    var lines: [String: String] = [
      "client:root": line(Subject(type: "Query", fields: root)),
      "client:root:mutation": "{\"__typename\": \"Mutation\"}",
      "client:root:subscription": "{\"__typename\": \"Subscription\"}",
    ]
    if let deleted {
      let payload = "client:root:mutation:deleteIssue"
      lines["client:root:mutation"] =
        "{\"__typename\": \"Mutation\", \"deleteIssue\": {\"__ref\": \"\(payload)\"}}"
      lines[payload] = "{\"__typename\": \"Deleted\", \"deletedId\": \"\(deleted)\"}"
    }
    for (id, subject) in subjects { lines[id] = subject.isDeleted ? "null" : line(subject) }
    let sorted = lines.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return "{" + sorted.map { "\n  \"\($0.key)\": \($0.value)" }.joined(separator: ",") + "\n}\n"
  }

  private func line(_ subject: Subject) -> String {
    let fields = subject.fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let members = fields.map { key, value in
      let text =
        switch value {
        case .leaf(let token): token
        case .link(let id): "{\"__ref\": \"\(resolve(id) ?? "?")\"}"
        }
      return "\"\(key.replacing("\"", with: "\\\""))\": \(text)"
    }
    return "{" + (["\"__typename\": \"\(subject.type)\""] + members).joined(separator: ", ") + "}"
  }

  /// All names beside ids, a line each.
  var names: [String] {
    keys.map { "\($0.text) \($1.id) \($1.isLive)" }.sorted()
      + aliases.map { "\($0) is \($1)" }.sorted()
  }

  /// What `nodes(ids:) { __typename id ... on Issue { title } ... on Repository { name } }` reads.
  func read(_ ids: [String]) -> ReferenceStore.Answer {
    var answer = ReferenceStore.Answer()
    var elements: [String] = []
    for (index, id) in ids.enumerated() {
      if let key = resolve(id), let subject = subjects[key] {
        if subject.isDeleted {
          elements.append("null")
          continue
        }
        var members = ["\"__typename\":\"\(subject.type)\""]
        for field in ["id", subject.type == "Issue" ? "title" : "name"] {
          if case .leaf(let token)? = subject.fields[field] {
            members.append("\"\(field)\":\(token)")
          } else {
            answer.missing.insert("nodes.\(index).\(field)")
          }
        }
        elements.append("{" + members.joined(separator: ",") + "}")
      } else {
        elements.append("null")
        if let miss = misses[id] {
          if let error = miss.error { answer.errors.append("nodes.\(index): \(error.line)") }
        } else {
          answer.missing.insert("nodes.\(index)")
        }
      }
    }
    answer.data = "{\"nodes\":[\(elements.joined(separator: ","))]}"
    return answer
  }

  // MARK: Writes without a response

  /// Sets, or with nil clears, a field of a record, which is made when there is none.
  mutating func write(_ field: String, _ value: Value?, of id: String, type: String) {
    begin()
    let old = subjects
    let given = id
    let id = resolve(id) ?? id
    if subjects[id] == nil {
      subjects[id] = Subject(type: type, fields: ["id": .leaf("\"\(id)\"")])
    } else if subjects[id]?.isDeleted == true {
      subjects[id]?.fields["id"] = .leaf("\"\(given)\"")
    }
    subjects[id]?.isDeleted = false
    subjects[id]?.fields[field] = value
    finish(since: old)
  }

  mutating func add(alias: String, to id: String) {
    begin()
    let old = subjects
    finish(since: old, uniting: alias, into: id)
  }

  mutating func add(key: NaturalKey, to id: String) {
    begin()
    if let id = resolve(id) { set(key, id) }
  }
}
