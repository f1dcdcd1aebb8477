import BatonPlan

/// The service of the demonstration: its answers are functions of the issue's number and of the
/// day it is asked on, so that every run shows the same.
struct DemoService {
  static let owner = "harbor"
  static let repository = "lighthouse"
  /// The issue that is discovered.
  static let discovered = 7
  /// The issue that is gone on the second day.
  static let gone = 50
  /// The issues that changed on the second day.
  static let changed: Set<Int> = [8, 21, 34]

  /// The ids of the issues 1 to 50.
  static let ids = (1...50).map(id)

  /// 1 or 2.
  var day: Int

  static func id(ofIssue number: Int) -> String { "I_lighthouse_\(number)" }

  // MARK: Responses

  /// What `IssueQuery` is answered with.
  var discovery: String {
    let issue = issue(Self.discovered)
    let repository = Self.repositoryRecord + [.init("issue", issue)]
    return Self.response(.object([.init("repository", .object(repository))]))
  }

  /// What `RefreshRowsQuery` is answered with for `ids`.
  var refresh: String {
    var nodes: [Value] = []
    var errors: [Value] = []
    for number in 1...Self.ids.count {
      guard day > 1, number == Self.gone else {
        nodes.append(issue(number))
        continue
      }
      errors.append(Self.notFound(Self.id(ofIssue: number), at: nodes.count))
      nodes.append(.null)
    }
    return Self.response(.object([.init("nodes", .list(nodes))]), errors: errors)
  }

  private static func response(_ data: Value, errors: [Value] = []) -> String {
    var members = [Value.Member("data", data)]
    if !errors.isEmpty { members.append(.init("errors", .list(errors))) }
    return CanonicalJSON.text(of: .object(members))
  }

  private static func notFound(_ id: String, at index: Int) -> Value {
    .object([
      .init("type", .string("NOT_FOUND")),
      .init("message", .string("Could not resolve to a node with the id '\(id)'.")),
      .init("path", .list([.string("nodes"), .int(Int64(index))])),
    ])
  }

  // MARK: Objects

  private static let subjects = [
    "The lamp flickers in fog", "Keep the log when the clock is set back", "Spare bulbs run out",
    "Caf\u{E9} opening hours are wrong", "Foghorn wakes the neighbours",
    "Paint the gallery rail before winter", "Radio beacon drifts by two hertz",
  ]
  private static let logins = ["ada", "grace", "joan", "mary"]
  private static let labels = [("bug", "d73a4a"), ("chore", "cfd3d7"), ("lamp", "fbca04")]

  private static let repositoryRecord: [Value.Member] = [
    .init("__typename", .string("Repository")), .init("id", .string("R_lighthouse")),
    .init("nameWithOwner", .string("\(owner)/\(repository)")),
  ]

  private func issue(_ number: Int) -> Value {
    let isChanged = day > 1 && Self.changed.contains(number)
    let title = Self.subjects[number % Self.subjects.count]
    let day = isChanged ? 2 : 1
    return .object([
      .init("__typename", .string("Issue")),
      .init("id", .string(Self.id(ofIssue: number))),
      .init("number", .int(Int64(number))),
      .init("title", .string(isChanged ? title + " (again)" : title)),
      .init("state", .string(number % 5 == 0 || isChanged ? "CLOSED" : "OPEN")),
      .init("updatedAt", .string("2026-03-0\(day)T08:\(10 + number % 50):00Z")),
      .init("author", Self.author(number)),
      .init("labels", Self.labelPage(number)),
      .init("repository", .object(Self.repositoryRecord)),
    ])
  }

  /// Every ninth issue's author has left.
  private static func author(_ number: Int) -> Value {
    guard number % 9 != 0 else { return .null }
    let login = logins[number % logins.count]
    return .object([
      .init("__typename", .string("User")), .init("id", .string("U_\(login)")),
      .init("login", .string(login)),
    ])
  }

  private static func labelPage(_ number: Int) -> Value {
    let nodes = labels.prefix(number % 3 + 1).map { name, color in
      Value.object([
        .init("__typename", .string("Label")), .init("id", .string("L_\(name)")),
        .init("name", .string(name)), .init("color", .string(color)),
      ])
    }
    return .object([
      .init("__typename", .string("LabelConnection")),
      .init("totalCount", .int(Int64(nodes.count))), .init("nodes", .list(nodes)),
    ])
  }
}
