/// The store as `export` writes an image.
extension ReferenceStore {
  var dump: String {
    let keys = records.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let lines = keys.map { "\n  \"\(Self.escaped($0))\": \(line(of: $0))" }
    return "{" + lines.joined(separator: ",") + "\n}\n"
  }

  private func line(of key: String) -> String {
    guard let record = records[key] else { return "null" }
    var members = ["\"__typename\": \"\(record.type)\""]
    let cells = record.cells.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (key, cell) in cells {
      let value = cell.isStale ? "null" : Self.text(of: cell.value)
      members.append("\"\(Self.escaped(key))\": \(value)")
    }
    let errors = cells.compactMap { key, cell in
      cell.errors.first.map { error in
        "\"\(Self.escaped(key))\": {\"message\": \"\(error.message)\", "
          + "\"path\": \"\(error.dottedPath)\"}"
      }
    }
    if !errors.isEmpty { members.append("\"__errors\": {\(errors.joined(separator: ", "))}") }
    let stale = cells.filter(\.value.isStale).map { key, cell in
      "\"\(Self.escaped(key))\": \(Self.text(of: cell.value))"
    }
    if !stale.isEmpty { members.append("\"__stale\": {\(stale.joined(separator: ", "))}") }
    return "{" + members.joined(separator: ", ") + "}"
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .null, .leaf: return inner(value)
    case .link: return "{\"__ref\": \(inner(value))}"
    case .links: return "{\"__refs\": \(inner(value))}"
    case .list: return hasLinks(value) ? "{\"__refs\": \(inner(value))}" : inner(value)
    }
  }

  private static func inner(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .leaf(let token): token
    case .link(let key): "\"\(escaped(key))\""
    case .links(let keys): inner(.list(keys.map { $0.map { .link($0) } ?? .null }))
    case .list(let elements): "[" + elements.map(inner).joined(separator: ", ") + "]"
    }
  }

  private static func hasLinks(_ value: Value) -> Bool {
    switch value {
    case .null, .leaf: false
    case .link: true
    case .links(let keys): keys.contains { $0 != nil }
    case .list(let elements): elements.contains(where: hasLinks)
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\"", with: "\\\"")
  }
}
