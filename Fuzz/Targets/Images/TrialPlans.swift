import BatonDocuments
import BatonPlan

/// Plans that read the sample image, and a response that writes to it.
enum TrialPlans {
  static let load = compile("Load")
  static let refresh = compile("Refresh")
  static let row = compile(fragment: "Row")

  static func variables(of plan: Plan) -> Variables {
    plan.name == "Refresh" ? ["ids": .list([.string("I_1"), .string("x"), .string("")])] : [:]
  }

  static let response = Array(
    """
    {"data": {"nodes": [
      {"__typename": "Issue", "id": "I_1", "title": "Crash at end", "number": 5,
       "labels": {"id": "L_1"}, "author": {"id": "U_1"}, "nodes": null},
      {"__typename": "Issue", "id": "I_new", "title": "New", "number": 6, "labels": null,
       "author": {"name": "nobody"}, "nodes": [1, [2]]},
      null,
      {"__typename": "Issue", "id": "I_3", "title": "Back again", "number": 7, "labels": null,
       "author": null, "nodes": null}
    ]}, "errors": [{"message": "gone", "path": ["nodes", 2], "type": "NOT_FOUND"}]}
    """.utf8)

  private static let text = """
    query Load { nodes { __typename ...Row } }
    query Refresh($ids: [ID!]!) { nodes(ids: $ids) { __typename ...Row } }
    fragment Row on Issue {
      id title number labels(first: 10) { id title } author { id name } nodes
    }
    """

  private static func compile(_ operation: String) -> Plan {
    do { return try Document(Source(name: "trial", text: text)).plan(operation: operation) } catch {
      fatalError("\(error)")
    }
  }

  private static func compile(fragment: String) -> Plan {
    do { return try Document(Source(name: "trial", text: text)).plan(fragment: fragment) } catch {
      fatalError("\(error)")
    }
  }
}
