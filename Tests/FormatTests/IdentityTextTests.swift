import BatonImage
import BatonPlan
import Testing

/// The texts of a header that tell how records are told apart: Docs/Format.md section 4.
@Suite struct IdentityTextTests {
  private func header(_ identity: String, _ lookups: String) -> Header {
    Header(
      pageSize: 4096, schemaDigest: 0, created: 0, imageId: [UInt8](repeating: 1, count: 16),
      identity: identity, lookups: lookups, account: "")
  }

  @Test func `rules and lookups are read as they were kept`() throws {
    let rules = try header(
      #"{"default":["id"],"scope":"type","types":{"Label":["name","repo"],"Tag":[]}}"#,
      #"[{"arguments":["id"],"field":"Query.label","type":"Label"},{"arguments":[],"field":"Query.b"}]"#
    ).identityRules()
    #expect(
      rules
        == IdentityRules(
          scope: .type, defaultKey: ["id"], types: ["Label": ["name", "repo"], "Tag": []],
          lookups: [
            Lookup("Query.label", type: "Label", arguments: ["id"]),
            Lookup("Query.b", type: nil, arguments: []),
          ]))
  }

  @Test func `the standard lookups are there once`() throws {
    let none = try header(#"{"default":["id"],"scope":"global","types":{}}"#, "[]").identityRules()
    #expect(none == .global)
    let kept = try header(
      #"{"default":["id"],"scope":"global","types":{}}"#,
      #"[{"arguments":["id"],"field":"Query.node"},{"arguments":["ids"],"field":"Query.nodes"}]"#
    ).identityRules()
    #expect(kept.lookups.map(\.field) == ["Query.node", "Query.nodes"])
  }

  @Test func `the default's texts are the ones known without a parser`() throws {
    #expect(IdentityRules.global.canonicalText == Header.globalIdentity)
    #expect(IdentityRules.global.canonicalLookups == Header.globalLookups)
    // A space more goes through the parser, and comes to the same.
    let parsed = try header(Header.globalIdentity + " ", Header.globalLookups).identityRules()
    #expect(parsed == .global)
  }

  private static let sound = #"{"default":["id"],"scope":"global","types":{}}"#

  @Test(arguments: [
    ("", "[]"), ("[]", "[]"), ("{}", "[]"), ("null", "[]"),
    (#"{"default":["id"],"scope":"graph","types":{}}"#, "[]"),
    (#"{"default":"id","scope":"global","types":{}}"#, "[]"),
    (#"{"default":[1],"scope":"global","types":{}}"#, "[]"),
    (#"{"default":["id"],"scope":"global","types":[]}"#, "[]"),
    (#"{"default":["id"],"scope":"global","types":{"A":"id"}}"#, "[]"),
    (sound, ""), (sound, "{}"), (sound, "[1]"), (sound, #"[{"field":"Query.a"}]"#),
    (sound, #"[{"arguments":[],"field":1}]"#),
    (sound, #"[{"arguments":[],"field":"Query.a","type":1}]"#),
    (sound, #"[{"arguments":[null],"field":"Query.a"}]"#),
  ])
  func `texts that are no rules are damage`(_ identity: String, _ lookups: String) throws {
    let error = #expect(throws: ImageError.self) {
      try header(identity, lookups).identityRules()
    }
    guard case .damaged(let damage)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(damage.structure == "header")
  }
}
