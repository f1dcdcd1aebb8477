import BatonImage
import BatonPlan
import Testing

/// Interfaces, unions, types nobody knows, and fields under conditions.
@Suite(.timeLimit(.minutes(60))) struct AbstractTypeTests {
  @Test func `each object is read by the fragments that are on its type`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      {
        subjects {
          __typename
          ... on Node { id }
          ... on Issue { title state }
          ... on PullRequest { title isDraft }
        }
        actors { __typename login ... on Bot { version } ...Person }
      }
      fragment Person on User { name ... on Node { id } }
      """)
    let data = """
      {"subjects":[{"__typename":"Issue","id":"A","title":"i","state":"OPEN"},null,\
      {"__typename":"PullRequest","id":"B","title":"p","isDraft":true}],\
      "actors":[{"__typename":"Bot","login":"b","version":1},\
      {"__typename":"User","login":"u","name":"n","id":"U"}]}
      """
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: data)
      try image.expect(keys: ["A", "B", "U", "client:root:actors:0:Bot"])
    }
    try image.expectSound()
  }

  @Test func `fields of a fragment on another type are not taken, whoever answers them`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      "{ subject { __typename ... on Issue { id title } ... on PullRequest { id isDraft } } }")
    try image.commit(
      #"{"data":{"subject":{"__typename":"Issue","id":"A","title":"t","isDraft":true}}}"#, of: plan)
    try image.expect(record: "A", #"{"__typename": "Issue", "id": "A", "title": "t"}"#)
  }

  static let membership = """
    { actor { __typename ... on Actor { __isActor: __typename login } ... on Node { __isNode: __typename id } } }
    """

  @Test func `a type no schema knows is what its answers say, in the next launch too`() throws {
    let image = try TestImage()
    let plan = try plan(Self.membership, nil)
    try image.commit(
      #"{"data":{"actor":{"__typename":"Robot","__isActor":"Robot","login":"r"}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        plan, reads: #"{"actor":{"__typename":"Robot","__isActor":"Robot","login":"r"}}"#)
    }
    // Now the image knows that a Robot is an Actor and no Node: a missing login is missing.
    let other = try BatonImageTests.plan(
      "{ robot: other { __typename ... on Actor { login name } ... on Node { id } } }", nil)
    try image.commit(#"{"data":{"robot":{"__typename":"Robot","login":"x"}}}"#, of: other)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        other, reads: #"{"robot":{"__typename":"Robot","login":"x"}}"#, missing: ["robot.name"])
    }
    try image.expectSound()
  }

  @Test func `an answer that a type satisfies a condition outweighs one that it does not`() throws {
    let image = try TestImage()
    let plan = try plan(Self.membership, nil)
    try image.commit(#"{"data":{"actor":{"__typename":"Robot"}}}"#, of: plan)
    try image.expect(plan, reads: #"{"actor":{"__typename":"Robot"}}"#)
    try image.commit(
      #"{"data":{"actor":{"__typename":"Robot","__isNode":"Robot","id":"R"}}}"#, of: plan)
    try image.commit(#"{"data":{"actor":{"__typename":"Robot"}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(record: "R", #"{"__typename": "Robot", "id": "R"}"#)
    }
  }

  @Test func `a type the schema does not have is read where a fragment names it or its answers`()
    throws
  {
    let image = try TestImage()
    let plan = try Hub.plan(
      "{ subjects { __typename ... on Node { __isNode: __typename id } ... on Issue { title } } }")
    let data = #"{"subjects":[{"__typename":"Discussion","__isNode":"Discussion","id":"D"}]}"#
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: data)
      try image.expect(record: "D", #"{"__typename": "Discussion", "id": "D"}"#)
    }
  }

  @Test func `without a schema a link is what the document selects fields of`() throws {
    let image = try TestImage()
    let plan = try plan(
      "{ a { id b { c d { e } } } list { id } nested { id } json scalars }", nil)
    let data = """
      {"a":{"id":"A","b":{"c":1.50,"d":null}},"list":[{"id":"B"},null],"nested":[[{"id":"C"}],[null]],\
      "json":{"k":[1]},"scalars":[[1,"x"],[null,true]]}
      """
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: data)
      try image.expect(keys: ["A", "A:b", "B", "C"])
    }
    try image.expectSound()
  }

  // MARK: Conditions

  static let conditional = """
    query Q($yes: Boolean!, $no: Boolean = false) {
      issue {
        id
        title @include(if: $yes)
        state @skip(if: $yes)
        number @include(if: $no)
        weight @include(if: true) @skip(if: false)
        ... @include(if: $no) { tags }
        ...More @skip(if: $no)
      }
    }
    fragment More on Issue { isPinned }
    """

  @Test(arguments: [
    (#"{"yes":true}"#, #""id":"A","title":"t","weight":1.5,"isPinned":true"#),
    (#"{"yes":false}"#, #""id":"A","state":"OPEN","weight":1.5,"isPinned":true"#),
    (
      #"{"yes":true,"no":true}"#, #""id":"A","title":"t","number":7,"weight":1.5,"tags":["x"]"#
    ),
  ])
  func `a field counts when its conditions hold, in commits and in reads`(
    _ variables: String, _ expected: String
  ) throws {
    let image = try TestImage()
    let plan = try Hub.plan(Self.conditional)
    // A service that answers all of them, whatever was asked.
    try image.commit(
      """
      {"data":{"issue":{"id":"A","title":"t","state":"OPEN","number":7,"weight":1.5,"tags":["x"],
      "isPinned":true}}}
      """, of: plan, variables)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, variables, reads: #"{"issue":{\#(expected)}}"#)
    }
    let members = try #require(try image.record("A")).split(separator: ", ").count
    #expect(members == expected.split(separator: ",").count + 1)
  }

  @Test func `one plan under other conditions reads other fields of one image`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(Self.conditional)
    for flag in ["true", "false", "true"] {
      try image.commit(
        #"{"data":{"issue":{"id":"A","title":"\#(flag)","state":"\#(flag)","weight":1.5,"isPinned":true}}}"#,
        of: plan, #"{"yes":\#(flag)}"#)
    }
    try image.expect(
      plan, #"{"yes":false}"#,
      reads: #"{"issue":{"id":"A","state":"false","weight":1.5,"isPinned":true}}"#)
    try image.expect(
      plan, #"{"yes":true}"#,
      reads: #"{"issue":{"id":"A","title":"true","weight":1.5,"isPinned":true}}"#)
  }

  @Test func `selections of one response key are read as one`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      {
        issue { id settings { theme } }
        ... { issue { title settings { depth } } }
        ...More
      }
      fragment More on Query { issue { ... on Node { id } settings { inner { theme } } } }
      """)
    let data = """
      {"issue":{"id":"A","settings":{"theme":"t","depth":1,"inner":{"theme":"i"}},"title":"x"}}
      """
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: data)
    }
  }

  @Test func `one field under several names is one field, by its arguments`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      query Q($f: String) {
        issue {
          id
          plain: body
          text: body(format: "text")
          html: body(format: "html")
          chosen: body(format: $f)
        }
      }
      """)
    try image.commit(
      #"{"data":{"issue":{"id":"A","plain":"p","text":"t","html":"h","chosen":"c"}}}"#, of: plan,
      #"{"f":"markdown"}"#)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        record: "A",
        """
        {"__typename": "Issue", "body": "t", "body(format:\\"html\\")": "h", \
        "body(format:\\"markdown\\")": "c", "id": "A"}
        """)
      try image.expect(
        plan, #"{"f":null}"#,
        reads: #"{"issue":{"id":"A","plain":"t","text":"t","html":"h","chosen":"t"}}"#)
    }
  }

  @Test func `swapped aliases of two fields are read by the fields`() throws {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"issue":{"id":"A","title":"s","state":"t"}}}"#,
      of: Hub.plan("{ issue { id title: state state: title } }"))
    try image.beforeAndAfterReopening { image in
      try image.expect(
        Hub.issue("title state"), reads: #"{"issue":{"id":"A","title":"t","state":"s"}}"#)
    }
  }
}
