import BatonImage
import BatonPlan
import Testing

/// Records without an id are the place they were found at (R1).
@Suite(.timeLimit(.minutes(60))) struct PathTests {
  @Test func `a path is the parent's key, the storage key and the indexes`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      """
      {
        milestone { title parent { title } }
        plans { title }
        issue { id settings { theme list { depth inner { theme } } } }
        repository(owner: "o", name: "n") { settings { theme } }
      }
      """)
    let data = """
      {"milestone":{"title":"m","parent":{"title":"p"}},\
      "plans":[[{"title":"00"},null],[],[{"title":"20"},{"title":"21"}]],\
      "issue":{"id":"A","settings":{"theme":"t","list":[{"depth":0,"inner":null},\
      {"depth":1,"inner":{"theme":"i"}}]}},\
      "repository":{"settings":{"theme":"r"}}}
      """
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: data)
      try image.expect(keys: [
        "A", "A:settings", "A:settings:list:0", "A:settings:list:1", "A:settings:list:1:inner",
        "client:root:milestone", "client:root:milestone:parent", "client:root:plans:0:0",
        "client:root:plans:2:0", "client:root:plans:2:1",
        #"client:root:repository(name:"n",owner:"o")"#,
        #"client:root:repository(name:"n",owner:"o"):settings"#,
      ])
      for key in ["A:settings:list:1:inner", "client:root:plans:2:1"] {
        #expect(try image.record(key) != nil)
      }
    }
    try image.expectSound()
  }

  @Test func `under an interface or union the path ends in the concrete type`() throws {
    let image = try TestImage()
    let plan = try Hub.plan(
      "{ actor { __typename login } actors { __typename login ... on Bot { version } } }")
    let data = """
      {"actor":{"__typename":"Bot","login":"b"},\
      "actors":[{"__typename":"User","login":"u"},{"__typename":"Bot","login":"c","version":2}]}
      """
    try image.commit(#"{"data":\#(data)}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(plan, reads: data)
      try image.expect(keys: [
        "client:root:actor:Bot", "client:root:actors:0:User", "client:root:actors:1:Bot",
      ])
    }
  }

  @Test func `another type at a place of an interface is another record, and the first comes back`()
    throws
  {
    let image = try TestImage()
    let plan = try Hub.plan(
      "{ actor { __typename login ... on Bot { version } ... on User { name } } }")
    try image.commit(
      #"{"data":{"actor":{"__typename":"Bot","login":"b","version":1}}}"#, of: plan)
    try image.commit(
      #"{"data":{"actor":{"__typename":"User","login":"u","name":"n"}}}"#, of: plan)
    try image.expect(
      plan, reads: #"{"actor":{"__typename":"User","login":"u","name":"n"}}"#)
    try image.commit(#"{"data":{"actor":{"__typename":"Bot","login":"c"}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(
        plan, reads: #"{"actor":{"__typename":"Bot","login":"c","version":1}}"#)
    }
  }

  @Test func `another type at a path without a schema replaces the fields of the first`() throws {
    let image = try TestImage()
    let plan = try plan(
      "{ actor { __typename login ... on Bot { version } ... on User { name } } }", nil)
    try image.commit(
      #"{"data":{"actor":{"__typename":"Bot","login":"b","version":1}}}"#, of: plan)
    try image.commit(#"{"data":{"actor":{"__typename":"User","name":"n"}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(record: "client:root:actor", #"{"__typename": "User", "name": "n"}"#)
      try image.expect(
        plan, reads: #"{"actor":{"__typename":"User","name":"n"}}"#, missing: ["actor.login"])
    }
    try image.expectSound()
  }

  @Test func `another type at a path drops what of the first was outside its row`() throws {
    let image = try TestImage()
    let fields = (0..<100).map { "f\($0)" }
    let plan = try plan(
      "{ thing { __typename ... on One { \(fields.joined(separator: " ")) } ... on Two { g f99 } } }",
      nil)
    let members = fields.map { #""\#($0)":1"# }.joined(separator: ",")
    try image.commit(#"{"data":{"thing":{"__typename":"One",\#(members)}}}"#, of: plan)
    try image.commit(#"{"data":{"thing":{"__typename":"Two","g":2}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(record: "client:root:thing", #"{"__typename": "Two", "g": 2}"#)
    }
    try image.expectSound()
  }

  @Test func `a null under an error keeps nothing of a record that was of another type`() throws {
    let image = try TestImage()
    let plan = try plan("{ thing { __typename name } }", nil)
    try image.commit(#"{"data":{"thing":{"__typename":"One","name":"n"}}}"#, of: plan)
    try image.commit(
      """
      {"data":{"thing":{"__typename":"Two","name":null}},
      "errors":[{"message":"m","path":["thing","name"]}]}
      """, of: plan)
    try image.expect(
      record: "client:root:thing",
      """
      {"__typename": "Two", "name": null, \
      "__errors": {"name": {"message": "m", "path": "thing.name"}}}
      """)
  }

  @Test func `an object that has an id one time and none the next is two records, each kept`()
    throws
  {
    let image = try TestImage()
    let plan = try Hub.plan("{ issue { id title number } }")
    try image.commit(#"{"data":{"issue":{"id":"A","title":"a"}}}"#, of: plan)
    try image.commit(#"{"data":{"issue":{"id":null,"title":"p"}}}"#, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["A", "client:root:issue"])
      try image.expect(
        plan, reads: #"{"issue":{"id":null,"title":"p"}}"#, missing: ["issue.number"])
    }
  }

  @Test(.tags(.S25)) func `answers without an id live under the field that was asked, apart`()
    throws
  {
    let image = try TestImage()
    let outcome = try image.commit(
      """
      {"data":{"nodes":[{},{"__typename":"PullRequest"},
      {"__typename":"Issue","id":"A","number":1,"title":"x","state":"OPEN"}]}}
      """, of: Hub.refresh, #"{"ids":["x","y","A"]}"#)
    #expect(outcome.ids?.map(\.status) == [.ok, .ok, .ok])
    #expect(outcome.ids?.map(\.id) == [nil, nil, "A"])
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: [
        "A", #"client:root:nodes(ids:["x","y","A"]):0"#,
        #"client:root:nodes(ids:["x","y","A"]):1:PullRequest"#,
      ])
    }
    try image.expectSound()
  }

  @Test func `an id that reads like another record's path is exported apart from it`() throws {
    let image = try TestImage()
    let plan = try Hub.plan("{ issue { id title settings { theme } } recent { id title } }")
    try image.commit(
      """
      {"data":{"issue":{"id":"A","title":"a","settings":{"theme":"t"}},
      "recent":[{"id":"A:settings","title":"b"}]}}
      """, of: plan)
    try image.beforeAndAfterReopening { image in
      try image.expect(keys: ["A", "A:settings", "id:A:settings"])
      try image.expect(
        plan,
        reads: """
          {"issue":{"id":"A","title":"a","settings":{"theme":"t"}},\
          "recent":[{"id":"A:settings","title":"b"}]}
          """, missing: [])
    }
  }
}
