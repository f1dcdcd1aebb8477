import BatonDocuments
import BatonImage
import BatonPlan
import TestSupport

/// A schema, identity rules and commits with one marker in all that is transient: in the names of
/// types, fields, arguments, operations and labels, in values, ids, variables and errors.
struct Planted {
  let marker: String

  /// A marker of random letters, which no other text has.
  init(using generator: inout SeededGenerator) {
    let letters = Array("bcdfghjklmnpqrstvwxz")
    marker = "zq" + String((0..<10).compactMap { _ in letters.randomElement(using: &generator) })
  }

  /// A commit: its document, variables and the parts of its response.
  struct Commit {
    var document: String
    var variables = "{}"
    var parts: [String]
  }

  var schemaText: String {
    """
    interface Node { id: ID! }
    union Subject = Issue | \(marker)Type
    input \(marker)Input { \(marker)Word: String }
    type Query {
      node(id: ID!): Node
      nodes(ids: [ID!]!): [Node]
      issue: Issue
      issueBy(number: Int): Issue
      subject: Subject
      subjects: [Subject]
      board: [[Subject]]
      \(marker)Root(word: String, \(marker)Argument: \(marker)Input): Issue
      \(marker)Words: [String]
      \(marker)Page(first: Int, word: String): List
      \(marker)Look(id: ID): \(marker)Type
      one(word: String): \(marker)Type
      many: [\(marker)Type]
    }
    type Mutation {
      \(marker)Do(id: ID, word: String): Payload
      touch(id: ID, word: String): Payload
    }
    type Subscription { \(marker)Happened(word: String): Payload touched: Payload }
    type Payload { issue: Issue secret: \(marker)Type deletedId: ID edge: Edge }
    type List { edges: [Edge] pageInfo: Info }
    type Edge { cursor: String node: Issue \(marker)Note: String secret: \(marker)Type }
    type Info { hasNextPage: Boolean endCursor: String }
    type Issue implements Node {
      id: ID! title: String \(marker)Own(word: String): String secret: \(marker)Type
      list(first: Int): List
    }
    type \(marker)Type implements Node {
      id: ID! word: String inner: \(marker)Type issue: Issue by(number: Int): Issue
    }
    """
  }

  var rules: IdentityRules {
    IdentityRules(
      types: ["\(marker)Type": ["word"]], transientTypes: ["\(marker)Type"],
      transientFields: [
        "Query.\(marker)Root", "Query.\(marker)Words", "Query.\(marker)Page",
        "Mutation.\(marker)Do", "Subscription.\(marker)Happened", "Issue.\(marker)Own",
        "Edge.\(marker)Note",
      ],
      lookups: [Lookup("Query.\(marker)Look", type: "\(marker)Type", argument: "id")])
  }

  // MARK: Commits

  var commits: [Commit] { places + failures + names + writes + parts }

  /// Transient fields and types at every place of a query.
  private var places: [Commit] {
    [
      Commit(
        document: """
          query \(marker)Op($w: String, $i: \(marker)Input) {
            \(marker)Root(word: $w, \(marker)Argument: $i) { id title }
            other: \(marker)Root(word: "\(marker)l", \(marker)Argument: {\(marker)Word: "x"}) { id }
            \(marker)Words
            issue { id title }
          }
          """, variables: #"{"w":"\#(marker)v","i":{"\#(marker)Word":"\#(marker)i"}}"#,
        parts: [
          """
          {"data":{"\(marker)Root":{"id":"\(marker)1","title":"\(marker)t"},"other":null,
          "\(marker)Words":["\(marker)w"],"issue":{"id":"A","title":"t"}}}
          """
        ]),
      Commit(
        document: """
          query \(marker)Op($w: String) {
            one(word: $w) { id word inner { id word } issue { id title } }
            many { id word issue { id secret { word } } }
            issue { id secret { id word } \(marker)Own(word: $w) }
          }
          """, variables: #"{"w":"\#(marker)v"}"#,
        parts: [
          """
          {"data":{"one":{"id":"\(marker)1","word":"\(marker)w","inner":{"id":"\(marker)2",
          "word":"\(marker)x"},"issue":{"id":"\(marker)3","title":"\(marker)t"}},
          "many":[null,{"id":"\(marker)4","word":"\(marker)w","issue":null}],
          "issue":{"id":"A","secret":{"id":"\(marker)5","word":"\(marker)w"},
          "\(marker)Own":"\(marker)o"}}}
          """
        ]),
      Commit(
        document: """
          query \(marker)Op {
            subject { __typename ... on Node { id } ... on \(marker)Type { word } }
            subjects { __typename ... on Node { id } ... on \(marker)Type { word } }
            board { __typename ... on Node { id } ... on \(marker)Type { word } }
          }
          """,
        parts: [
          """
          {"data":{"subject":{"__typename":"\(marker)Type","id":"\(marker)1","word":"\(marker)w"},
          "subjects":[{"__typename":"Issue","id":"A"},{"__typename":"\(marker)Type",
          "id":"\(marker)2","word":"\(marker)w"}],"board":[[{"__typename":"Issue","id":"B"}],null,
          [{"__typename":"\(marker)Type","id":"\(marker)3","word":"\(marker)w"}]]}}
          """
        ]),
      Commit(
        document: """
          query \(marker)Op($w: String) {
            \(marker)Page(first: 2, word: $w) @connection(key: "\(marker)_list") {
              edges { cursor node { id title } } pageInfo { hasNextPage endCursor }
            }
            issue {
              id
              list(first: 2) @connection(key: "Issue_list") {
                edges { cursor \(marker)Note secret { word } node { id \(marker)Own } }
                pageInfo { hasNextPage endCursor }
              }
            }
          }
          """, variables: #"{"w":"\#(marker)v"}"#,
        parts: [
          """
          {"data":{"\(marker)Page":{"edges":[{"cursor":"\(marker)c","node":{"id":"\(marker)1",
          "title":"\(marker)t"}}],"pageInfo":{"hasNextPage":true,"endCursor":"\(marker)c"}},
          "issue":{"id":"A","list":{"edges":[{"cursor":"c","\(marker)Note":"\(marker)n",
          "secret":{"word":"\(marker)w"},"node":{"id":"B","\(marker)Own":"\(marker)o"}}],
          "pageInfo":{"hasNextPage":false,"endCursor":"c"}}}}}
          """
        ]),
    ]
  }

  /// Errors at, below and above what is transient, with their paths, codes and extensions.
  private var failures: [Commit] {
    let extra =
      #""type":"\#(marker)C","extensions":{"code":"\#(marker)D","\#(marker)k":["\#(marker)v"]}"#
    func error(_ path: String) -> String {
      #"{"message":"\#(marker)m","path":[\#(path)],\#(extra)}"#
    }
    let document = """
      query \(marker)Op($w: String) {
        one(word: $w) { id word issue { id title } }
        many { word }
        \(marker)Root(word: $w) { id title }
        issue { id title secret { word issue { title } } \(marker)Own }
        subjects { __typename ... on Issue { id \(marker)Own } }
      }
      """
    let paths = [
      #""one""#, #""one","issue","title""#, #""many",0,"word""#, #""\#(marker)Root","title""#,
      #""issue","secret","word""#, #""issue","secret","issue","title""#,
      #""issue","\#(marker)Own""#,
      #""subjects",0,"\#(marker)Own""#,
    ]
    let beside = paths.map(error).joined(separator: ",")
    let bubbled = paths[4...7].map(error).joined(separator: ",")
    return [
      Commit(
        document: document, variables: #"{"w":"\#(marker)v"}"#,
        parts: [
          """
          {"data":{"one":null,"many":[null],"\(marker)Root":null,"issue":{"id":"A","title":"t",
          "secret":null,"\(marker)Own":null},"subjects":[{"__typename":"Issue","id":"B",
          "\(marker)Own":null}]},"errors":[\(beside)]}
          """
        ]),
      // Nulls that went up from what is transient to what is not.
      Commit(
        document: document, variables: #"{"w":"\#(marker)v"}"#,
        parts: [
          """
          {"data":{"one":null,"many":null,"\(marker)Root":null,"issue":null,"subjects":[null]},
          "errors":[\(bubbled)]}
          """
        ]),
      // An error of the response as a whole stays with the outcome.
      Commit(
        document: "query \(marker)Op { issue { id title } many { word } }",
        parts: [
          #"{"data":{"issue":{"id":"A","title":"t"},"many":[]},"errors":[{"message":"\#(marker)m",\#(extra)}]}"#
        ]),
    ]
  }

  /// Ids, aliases and natural keys of what is transient, or under it.
  private var names: [Commit] {
    [
      Commit(
        document: """
          query \(marker)Op($ids: [ID!]!, $id: ID!) {
            nodes(ids: $ids) { __typename id ... on \(marker)Type { word by(number: 1) { id } } }
            node(id: $id) { __typename id ... on \(marker)Type { word } }
            \(marker)Look(id: $id) { id word }
          }
          """, variables: #"{"ids":["\#(marker)1","A","\#(marker)3"],"id":"\#(marker)4"}"#,
        parts: [
          """
          {"data":{"nodes":[{"__typename":"\(marker)Type","id":"\(marker)1","word":"\(marker)w",
          "by":{"id":"\(marker)5"}},{"__typename":"Issue","id":"A"},{"__typename":"\(marker)Type",
          "id":"\(marker)new","word":"\(marker)w"}],"node":{"__typename":"\(marker)Type",
          "id":"\(marker)other","word":"\(marker)w"},"\(marker)Look":{"id":"\(marker)4",
          "word":"\(marker)w"}},"extensions":{"warnings":[{"type":"DEPRECATION","message":"m",
          "data":{"legacy_global_id":"\(marker)1","next_global_id":"\(marker)2"}}]}}
          """
        ]),
      Commit(
        document: """
          query \(marker)Op($w: String) {
            \(marker)Root(word: $w) { id }
            one(word: $w) { by(number: 7) { id title } }
            issueBy(number: 8) { id secret { by(number: 9) { id title } } }
          }
          """, variables: #"{"w":"\#(marker)v"}"#,
        parts: [
          """
          {"data":{"\(marker)Root":{"id":"\(marker)1"},"one":{"by":{"id":"\(marker)2",
          "title":"\(marker)t"}},"issueBy":{"id":"A","secret":{"by":{"id":"\(marker)3",
          "title":"\(marker)t"}}}}}
          """
        ]),
      // Nothing transient comes back, or is asked for in the end.
      Commit(
        document: """
          query \(marker)Op($w: String, $no: Boolean!) {
            issue { id title secret @include(if: $no) { word } }
            \(marker)Root(word: $w) @skip(if: true) { id }
          }
          """, variables: #"{"w":"\#(marker)v","no":false}"#,
        parts: [#"{"data":{"issue":{"id":"A","title":"t"}}}"#]),
    ]
  }

  /// Payloads of mutations and subscriptions.
  private var writes: [Commit] {
    [
      Commit(
        document: """
          mutation \(marker)Op($w: String, $c: [ID!]!) {
            \(marker)Do(id: "\(marker)1", word: $w) { issue { id title } deletedId }
            other: touch(id: "A", word: $w) {
              issue { id title \(marker)Own }
              secret { id word issue { id } }
              edge @appendEdge(connections: $c) { cursor \(marker)Note node { id } }
            }
          }
          """,
        variables:
          #"{"w":"\#(marker)v","c":["client:root:__\#(marker)_list_connection","A:__Issue_list_connection"]}"#,
        parts: [
          """
          {"data":{"\(marker)Do":{"issue":{"id":"\(marker)2","title":"\(marker)t"},
          "deletedId":"\(marker)3"},"other":{"issue":{"id":"A","title":"t",
          "\(marker)Own":"\(marker)o"},"secret":{"id":"\(marker)4","word":"\(marker)w","issue":null},
          "edge":{"cursor":"d","\(marker)Note":"\(marker)n","node":{"id":"B"}}}}}
          """
        ]),
      Commit(
        document: """
          mutation \(marker)Op { \(marker)Do(id: "A") { deletedId @deleteRecord } }
          """, parts: [#"{"data":{"\#(marker)Do":{"deletedId":"\#(marker)1"}}}"#]),
      Commit(
        document: """
          subscription \(marker)Op($w: String) { \(marker)Happened(word: $w) { issue { id title } } }
          """, variables: #"{"w":"\#(marker)v"}"#,
        parts: [
          #"{"data":{"\#(marker)Happened":{"issue":{"id":"\#(marker)1","title":"\#(marker)t"}}}}"#
        ]),
      Commit(
        document: "subscription \(marker)Op { touched { issue { id title } secret { word } } }",
        parts: [
          #"{"data":{"touched":{"issue":{"id":"A","title":"u"},"secret":{"word":"\#(marker)w"}}}}"#
        ]),
    ]
  }

  /// Deferred parts with something transient in them, or about it.
  private var parts: [Commit] {
    let document = """
      query \(marker)Op($w: String) {
        issue {
          id
          ... @defer(label: "\(marker)Label") { title \(marker)Own(word: $w) secret { word } }
        }
        one(word: $w) { id ... @defer(label: "\(marker)Other") { word issue { id } } }
      }
      """
    let first = #"{"data":{"issue":{"id":"A"},"one":{"id":"\#(marker)1"}}"#
    return [
      Commit(
        document: document, variables: #"{"w":"\#(marker)v"}"#,
        parts: [
          first + #","hasNext":true}"#,
          """
          {"label":"\(marker)Label","path":["issue"],"data":{"title":"t","\(marker)Own":"\(marker)o",
          "secret":{"word":"\(marker)w"}},"hasNext":false}
          """,
        ]),
      Commit(
        document: document, variables: #"{"w":"\#(marker)v"}"#,
        parts: [
          first
            + #","pending":[{"id":"0","path":["issue"],"label":"\#(marker)Label"}],"hasNext":true}"#,
          """
          {"incremental":[{"id":"0","data":{"title":"t","\(marker)Own":null,"secret":null},
          "errors":[{"message":"\(marker)m","path":["issue","secret","word"]},
          {"message":"\(marker)m","path":["issue","\(marker)Own"],"extensions":{"\(marker)":1}}]}],
          "completed":[{"id":"0"}],"hasNext":false}
          """,
        ]),
    ]
  }
}
