import BatonImage
import BatonPlan
import Testing

/// A field of one kind, with two values of it.
struct FieldKind: Sendable, CustomStringConvertible {
  /// What the document asks for.
  var selection: String
  /// The field's storage key as it is exported.
  var key: String
  var old: String
  var new: String
  /// The old value as it is exported.
  var exported: String
  /// How an error's path goes on below the field.
  var below = ""

  var description: String { selection }

  static let all: [FieldKind] = [
    FieldKind(
      selection: "title", key: "title", old: #""old""#, new: #""new""#, exported: #""old""#),
    FieldKind(
      selection: "weight", key: "weight", old: "1.5", new: "1.50", exported: "1.5"),
    FieldKind(
      selection: "databaseId", key: "databaseId", old: "9007199254740993",
      new: "9007199254740992", exported: "9007199254740993"),
    FieldKind(
      selection: #"body(format: "html")"#, key: #"body(format:\"html\")"#, old: #""""#,
      new: #""x""#, exported: #""""#),
    FieldKind(
      selection: "payload", key: "payload", old: #"{"k":[1,{"z":null}]}"#,
      new: #"{"k": [1,{"z":null}]}"#, exported: #""{\"k\":[1,{\"z\":null}]}""#),
    FieldKind(
      selection: "tags", key: "tags", old: #"["x",null]"#, new: "[]", exported: #"["x", null]"#,
      below: ",1"),
    FieldKind(
      selection: "matrix", key: "matrix", old: "[[1],[],null]", new: "[[1],[null],null]",
      exported: "[[1], [], null]", below: ",0,0"),
    FieldKind(
      selection: "repository { id nameWithOwner }", key: "repository",
      old: #"{"id":"R1","nameWithOwner":"a"}"#, new: #"{"id":"R2","nameWithOwner":null}"#,
      exported: #"{"__ref": "R1"}"#, below: #","nameWithOwner""#),
    FieldKind(
      selection: "settings { theme }", key: "settings", old: #"{"theme":"o"}"#,
      new: #"{"theme":"n"}"#, exported: #"{"__ref": "A:settings"}"#, below: #","theme""#),
    FieldKind(
      selection: "author { __typename login ... on User { id } }", key: "author",
      old: #"{"__typename":"Bot","login":"b"}"#,
      new: #"{"__typename":"User","login":"u","id":"U"}"#,
      exported: #"{"__ref": "A:author:Bot"}"#, below: #","login""#),
    FieldKind(
      selection: "assignees { id }", key: "assignees", old: #"[{"id":"U1"},null]"#,
      new: #"[null,{"id":"U1"}]"#, exported: #"{"__refs": ["U1", null]}"#, below: #",1,"id""#),
    FieldKind(
      selection: "related { id }", key: "related", old: #"[[{"id":"X"}],[]]"#, new: "[null]",
      exported: #"{"__refs": [["X"], []]}"#, below: ",0"),
  ]
}

/// The state a field is in, and what an answer makes of it.
struct FieldState: Equatable {
  enum Value: Equatable { case old, new, null, missing }
  var value: Value
  /// The message of the error beside it.
  var error: String?
  /// The last good value that an error keeps.
  var stale: Value?

  static let old = FieldState(value: .old)
  static let new = FieldState(value: .new)
  static let null = FieldState(value: .null)
  static let missing = FieldState(value: .missing)

  static func errored(_ message: String, keeping stale: Value? = nil) -> FieldState {
    FieldState(value: .null, error: message, stale: stale)
  }

  /// M2 to M5: a value and a null are written, a null under an error is an error beside the last good
  /// value, what is not in the answer stays.
  func after(_ answer: MergeCase.Answer) -> FieldState {
    switch answer {
    case .value: return .new
    case .null: return .null
    case .absent: return self
    case .coveredNull:
      if error != nil { return .errored("newer", keeping: stale) }
      return .errored("newer", keeping: value == .missing ? nil : value)
    }
  }
}

/// S42: each answer to each state, for fields of every kind, in a row and outside of it, in the launch
/// that brought the state and in the next one.
@Suite(.tags(.S42), .timeLimit(.minutes(60))) struct MergeMatrixTests {
  /// Where the field is, and when it is answered.
  enum Setting: CaseIterable, Sendable {
    case sameLaunch, nextLaunch, outsideOfTheRow
  }

  /// One state of a field and one answer to it, on a record of its own.
  struct Cell: Sendable, CustomStringConvertible {
    var before: MergeCase.Before
    var answer: MergeCase.Answer

    var id: String { "A-\(before)-\(answer)" }
    var variables: String { #"{"ids":["\#(id)"]}"# }
    var expected: FieldState { MergeMatrixTests.state(before).after(answer) }
    var description: String { "\(before), then \(answer)" }

    static let all: [Cell] = MergeCase.Before.allCases.flatMap { before in
      MergeCase.Answer.allCases.map { Cell(before: before, answer: $0) }
    }

    func response(_ value: String?, error: String? = nil, of kind: FieldKind) -> String {
      let field = value.map { #","f":\#($0)"# } ?? ""
      let errors = error.map {
        #","errors":[{"message":"\#($0)","path":["nodes",0,"f"\#(kind.below)]}]"#
      }
      return #"{"data":{"nodes":[{"__typename":"Issue","id":"\#(id)"\#(field)}]}\#(errors ?? "")}"#
    }

    func preparation(_ kind: FieldKind) -> [String] {
      switch before {
      case .value: [response(kind.old, of: kind)]
      case .null: [response("null", of: kind)]
      case .errored: [response("null", error: "older", of: kind)]
      case .stale: [response(kind.old, of: kind), response("null", error: "older", of: kind)]
      case .missing: [response(nil, of: kind)]
      }
    }

    func response(of kind: FieldKind) -> String {
      switch answer {
      case .value: response(kind.new, of: kind)
      case .null: response("null", of: kind)
      case .coveredNull: response("null", error: "newer", of: kind)
      case .absent: response(nil, of: kind)
      }
    }
  }

  static func state(_ before: MergeCase.Before) -> FieldState {
    switch before {
    case .value: .old
    case .null: .null
    case .errored: .errored("older")
    case .stale: .errored("older", keeping: .old)
    case .missing: .missing
    }
  }

  static func check(
    _ image: TestImage, _ plan: Plan, _ kind: FieldKind, _ cell: Cell, is state: FieldState,
    _ comment: Comment
  ) throws {
    let reading = try image.read(plan, cell.variables)
    let field =
      switch state.value {
      case .old: #","f":\#(kind.old)"#
      case .new: #","f":\#(kind.new)"#
      case .null: #","f":null"#
      case .missing: ""
      }
    #expect(
      reading.data == #"{"nodes":[{"__typename":"Issue","id":"\#(cell.id)"\#(field)}]}"#, comment)
    #expect(reading.missing == (state.value == .missing ? ["nodes.0.f"] : []), comment)
    #expect(reading.errors == (state.error.map { ["nodes.0.f: \($0)"] } ?? []), comment)
    let line = try #require(try image.record(cell.id))
    #expect(line.contains(#""__errors""#) == (state.error != nil), comment)
    if let stale = state.stale {
      let value =
        stale == .null ? "null" : kind.exported.replacing(#""A:"#, with: "\"\(cell.id):")
      #expect(line.contains(#""__stale": {"\#(kind.key)": \#(value)}"#), "\(comment): \(line)")
    } else {
      #expect(!line.contains(#""__stale""#), comment)
    }
  }

  @Test(arguments: FieldKind.all, Setting.allCases)
  func `each answer to each state of a field of any kind gives the one right state, once`(
    _ kind: FieldKind, _ setting: Setting
  ) throws {
    let plan = try Hub.plan(
      """
      query Q($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Issue { f: \(kind.selection) } } }
      """)
    let image = try TestImage()
    for cell in Cell.all {
      if setting == .outsideOfTheRow { try Self.fill(image, cell) }
      for response in cell.preparation(kind) {
        try image.commit(response, of: plan, cell.variables)
      }
    }
    for cell in Cell.all {
      try Self.check(image, plan, kind, cell, is: Self.state(cell.before), "before \(cell)")
    }
    if setting != .sameLaunch { try image.reopen() }
    for cell in Cell.all {
      let outcome = try image.commit(cell.response(of: kind), of: plan, cell.variables)
      let isEqual = cell.expected == Self.state(cell.before)
      #expect((outcome.pagesWritten == 0) == isEqual, "\(cell)")
    }
    try image.beforeAndAfterReopening { image in
      for cell in Cell.all {
        try Self.check(image, plan, kind, cell, is: cell.expected, "\(cell)")
        let again = try image.commit(cell.response(of: kind), of: plan, cell.variables)
        #expect(again.pagesWritten == 0 && again.fieldsChanged == 0, "\(cell), twice")
      }
    }
    try image.expectSound()
  }

  /// Gives a record so many fields that the next ones have no place in its row.
  static func fill(_ image: TestImage, _ cell: Cell) throws {
    let fields = (0..<80).map { "f\($0): body(limit: \($0))" }.joined(separator: " ")
    let members = (0..<80).map { #""f\#($0)":"v""# }.joined(separator: ",")
    try image.commit(
      #"{"data":{"issue":{"id":"\#(cell.id)",\#(members)}}}"#,
      of: Hub.plan("{ issue { id \(fields) } }"))
  }
}
