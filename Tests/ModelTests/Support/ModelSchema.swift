import BatonDocuments

/// The fixed schema the random documents are written for, as data and as text.
enum ModelSchema {
  /// A field of an object type.
  struct Field: Sendable {
    var name: String
    /// The named type, without its lists.
    var type: String
    var listDepth = 0
    var arguments: [(name: String, type: String)] = []
  }

  static let fields: [String: [Field]] = [
    "Query": [
      Field(name: "issue", type: "Issue", arguments: [("number", "Int")]),
      Field(name: "thing", type: "Node", arguments: [("key", "String")]),
      Field(name: "subject", type: "Subject", arguments: [("n", "Int")]),
      Field(
        name: "subjects", type: "Subject", listDepth: 1,
        arguments: [("first", "Int"), ("after", "String")]),
      Field(name: "board", type: "Issue", listDepth: 2),
      Field(name: "grid", type: "Int", listDepth: 2),
      Field(name: "count", type: "Int", arguments: [("of", "String")]),
      Field(name: "sheet", type: "Sheet"),
    ],
    "Sheet": [
      Field(name: "id", type: "ID"),
      Field(name: "cell", type: "Int", arguments: [("n", "Int")]),
      Field(name: "link", type: "Issue", arguments: [("n", "Int")]),
    ],
    "Issue": [
      Field(name: "id", type: "ID"),
      Field(name: "title", type: "String", arguments: [("format", "String")]),
      Field(name: "number", type: "Int"),
      Field(name: "weight", type: "Float"),
      Field(name: "open", type: "Boolean"),
      Field(name: "tags", type: "String", listDepth: 1),
      Field(name: "matrix", type: "Int", listDepth: 2),
      Field(name: "related", type: "Issue", listDepth: 1),
      Field(name: "detail", type: "Detail"),
      Field(name: "subject", type: "Subject", arguments: [("n", "Int")]),
      Field(name: "node", type: "Node"),
      Field(name: "rows", type: "Subject", listDepth: 2),
    ],
    "User": [
      Field(name: "id", type: "ID"),
      Field(name: "name", type: "String"),
      Field(name: "friend", type: "User"),
      Field(name: "notes", type: "Note", listDepth: 1),
    ],
    "Note": [
      Field(name: "text", type: "String"),
      Field(name: "issue", type: "Issue", arguments: [("number", "Int")]),
      Field(name: "detail", type: "Detail"),
    ],
    "Detail": [
      Field(name: "theme", type: "String"),
      Field(name: "depth", type: "Int"),
      Field(name: "inner", type: "Detail"),
      Field(name: "issue", type: "Issue", arguments: [("number", "Int")]),
    ],
    "Node": [Field(name: "id", type: "ID")],
    "Subject": [],
  ]

  /// The object types of an interface or union; of an object type itself.
  static func objectTypes(of type: String) -> [String] {
    switch type {
    case "Node": ["Issue", "User"]
    case "Subject": ["Issue", "Note"]
    default: [type]
    }
  }

  static func isAbstract(_ type: String) -> Bool { type == "Node" || type == "Subject" }

  static func isComposite(_ type: String) -> Bool { fields[type] != nil }

  /// The schema of the data above.
  static let schema: Schema = {
    do {
      return try Schema(sources: [Source(name: "schema", text: text)])
    } catch { preconditionFailure("\(error)") }
  }()

  private static var text: String {
    var text = "interface Node { id: ID! }\nunion Subject = Issue | Note\n"
    for (type, fields) in fields.sorted(by: { $0.key < $1.key }) where !isAbstract(type) {
      let conforms = objectTypes(of: "Node").contains(type) ? " implements Node" : ""
      text += "type \(type)\(conforms) {\n"
      for field in fields { text += "  \(declaration(of: field))\n" }
      text += "}\n"
    }
    return text
  }

  private static func declaration(of field: Field) -> String {
    let arguments = field.arguments.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
    let type =
      String(repeating: "[", count: field.listDepth) + field.type
      + String(repeating: "]", count: field.listDepth)
    let name = field.name + (arguments.isEmpty ? "" : "(\(arguments))")
    return "\(name): \(type)" + (field.type == "ID" ? "!" : "")
  }
}
