import BatonImage
import BatonPlan
import Testing

struct NaturalKeyTests {
  private func keys(
    _ document: String, _ variables: Variables = [:], _ identity: IdentityRules = .global
  ) throws -> [String] {
    let plan = Operations.operation(nil, of: document).plan
    return plan.naturalKeys(variables: try plan.resolvedVariables(variables), identity: identity)
  }

  @Test func `keys are the paths of fields with arguments that end in an id, deepest first`() throws
  {
    let found = try keys(
      """
      query Q($owner: String!, $number: Int!) {
        repository(name: "w", owner: $owner) {
          id
          issue(number: $number) { id title labels(first: 2) { nodes { id } } }
          owner { id }
        }
        viewer { id }
      }
      """, ["owner": .string("o"), "number": .int(7)])
    #expect(
      found == [
        #"repository(name:"w",owner:"o")/issue(number:7)"#, #"repository(name:"w",owner:"o")"#,
      ])
  }

  @Test func `fragments, aliases and conditions are followed`() throws {
    let document = """
      query Q($deep: Boolean!) {
        r: repository(name: "w") { ...R ... @include(if: $deep) { issue(number: 7) { ...I } } }
      }
      fragment R on Repository { id }
      fragment I on Node { ... on Issue { id } }
      """
    #expect(
      try keys(document, ["deep": .boolean(true)]) == [
        #"repository(name:"w")/issue(number:7)"#, #"repository(name:"w")"#,
      ])
    #expect(try keys(document, ["deep": .boolean(false)]) == [#"repository(name:"w")"#])
  }

  @Test func `the first in the document comes first among the deepest`() throws {
    let found = try keys("{ b: b(n: 1) { id } a: a(n: 1) { id } }")
    #expect(found == ["b(n:1)", "a(n:1)"])
  }

  @Test func `what is no key is not named`() throws {
    // Without an id, without arguments, a lookup, an argument left out by its variable.
    #expect(try keys(#"{ repository(name: "w") { name } }"#) == [])
    #expect(try keys("{ viewer { id issue(number: 7) { id } } }") == [])
    #expect(try keys(#"{ node(id: "I_1") { id } }"#) == [])
    #expect(try keys("query Q($n: Int) { issue(number: $n) { id } }") == [])
    #expect(try keys("query Q($n: Int) { issue(number: $n) { id } }", ["n": .int(1)]).count == 1)
  }

  @Test func `an id may be split over the places that select one field`() throws {
    #expect(
      try keys(#"{ a(n: 1) { ...F } a(n: 1) { id } } fragment F on A { b(m: 2) { id } }"#)
        == ["a(n:1)/b(m:2)", "a(n:1)"])
  }

  @Test func `other key fields and transient fields are heeded`() throws {
    let document = #"{ asset(name: "a") { ... on Asset { uuid } } }"#
    #expect(try keys(document) == [])
    let rules = IdentityRules(types: ["Asset": ["uuid"]])
    #expect(try keys(document, [:], rules) == [#"asset(name:"a")"#])
    let transient = IdentityRules(transientFields: ["Query.asset"])
    #expect(try keys(#"{ asset(name: "a") { id } }"#, [:], transient) == [])
  }
}
