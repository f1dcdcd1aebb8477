import BatonDocuments
import BatonPlan

/// A schema of one text, and of client extensions to it.
func schema(_ text: String, client: String...) throws -> Schema {
  try Schema(
    sources: [Source(name: "schema", text: text)] + client.map { Source(name: "client", text: $0) })
}

/// The plan of the only operation of a document.
func plan(_ text: String, _ schema: Schema?) throws -> Plan {
  try Document(Source(name: "document", text: text)).plan(schema: schema)
}

/// The plan of a fragment of a document.
func plan(fragment name: String, _ text: String, _ schema: Schema?) throws -> Plan {
  try Document(Source(name: "document", text: text)).plan(fragment: name, schema: schema)
}
