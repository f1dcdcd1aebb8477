import TestSupport

/// A service of a few issues in a few repositories, which are renamed, moved, renumbered and given
/// new ids while it is asked.
struct SubjectService {
  private struct Issue {
    var number: Int
    var title = "t0"
    var repository: Int
    var isGone = false
  }

  private var issues: [Issue]
  private var names = ["w", "v"]
  private var generator: SeededGenerator
  /// Which of its ids each subject is answered with, within one response.
  private var versions: [Int] = []

  static let issueCount = 5
  static let repositoryCount = 2
  /// All ids that may be asked for.
  static let ids =
    ["A", "B", "C"].flatMap { version in
      (0..<issueCount).map { "\(version)\($0)" } + (0..<repositoryCount).map { "R\(version)\($0)" }
    }
  static let numbers = 0...4
  /// The names that each repository has had or may have; a name never leads to another one.
  static let names = [["w", "u"], ["v", "x"]]

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    issues = (0..<Self.issueCount).map { Issue(number: $0, repository: $0 % Self.repositoryCount) }
  }

  typealias Exchange = (variables: String, response: String, answer: SubjectStore.Answer)

  private typealias Object = SubjectStore.Object

  // MARK: The service's own life

  private mutating func live() {
    let count = Self.issueCount + Self.repositoryCount
    versions = (0..<count).map { _ in
      generator.oneIn(4) ? Int.random(in: 0...2, using: &generator) : 0
    }
    let index = Int.random(in: 0..<issues.count, using: &generator)
    switch Int.random(in: 0...5, using: &generator) {
    case 0:
      move(index, to: Int.random(in: Self.numbers, using: &generator), of: issues[index].repository)
    case 1: issues[index].title = "t\(Int.random(in: 0...3, using: &generator))"
    case 2:
      move(
        index, to: issues[index].number,
        of: Int.random(in: 0..<Self.repositoryCount, using: &generator))
    case 3: issues[index].isGone.toggle()
    case 4 where generator.oneIn(2):
      let repository = Int.random(in: 0..<Self.repositoryCount, using: &generator)
      names[repository] = Self.names[repository].randomElement(using: &generator) ?? ""
    default: break
    }
  }

  /// Gives an issue its place, or takes turns with the one that has it.
  private mutating func move(_ index: Int, to number: Int, of repository: Int) {
    let other = issues.firstIndex { $0.number == number && $0.repository == repository }
    if let other {
      issues[other].number = issues[index].number
      issues[other].repository = issues[index].repository
    }
    issues[index].number = number
    issues[index].repository = repository
  }

  private func id(ofIssue index: Int) -> String {
    ["A", "B", "C"][versions[index]] + String(index)
  }

  private func id(ofRepository index: Int) -> String {
    "R" + ["A", "B", "C"][versions[Self.issueCount + index]] + String(index)
  }

  // MARK: Answers

  /// What `nodes(ids:)` answers.
  mutating func refresh() -> Exchange {
    live()
    var asked: [String] = []
    for _ in 0..<Int.random(in: 1...5, using: &generator) {
      if let id = Self.ids.randomElement(using: &generator) { asked.append(id) }
    }
    var answer = SubjectStore.Answer()
    var texts: [String] = []
    var errors: [String] = []
    for (position, id) in asked.enumerated() {
      guard let index = Int(String(id.last ?? "0")) else { continue }
      if id.hasPrefix("R") {
        texts.append(repository(index, asked: id, &answer))
      } else if !issues[index].isGone {
        texts.append(issue(index, asked: id, &answer))
      } else {
        texts.append("null")
        let path: [ModelError.Step] = [.key("nodes"), .index(position)]
        let error: ModelError? =
          switch index {
          case 0: nil
          case 1: ModelError(message: "gone", path: path, type: "NOT_FOUND")
          case 2: ModelError(message: "secret", path: path, type: "FORBIDDEN")
          default: ModelError(message: "slow", path: path)
          }
        if let error { errors.append(error.text) }
        answer.asked.append(.init(id: id, isAnswered: false, error: error))
      }
    }
    let ids = asked.map { "\"\($0)\"" }.joined(separator: ",")
    let tail = errors.isEmpty ? "" : ",\"errors\":[\(errors.joined(separator: ","))]"
    return (
      "{\"ids\":[\(ids)]}", "{\"data\":{\"nodes\":[\(texts.joined(separator: ","))]}\(tail)}",
      answer
    )
  }

  /// What `node(id:)` answers.
  mutating func look() -> Exchange {
    live()
    var answer = SubjectStore.Answer()
    let index = Int.random(in: 0..<Self.issueCount, using: &generator)
    let id = ["A", "B", "C"][Int.random(in: 0...2, using: &generator)] + String(index)
    let text = issues[index].isGone ? "null" : issue(index, asked: id, &answer)
    answer.asked = []
    answer.root["node(id:\"\(id)\")"] =
      answer.objects.first.map { .link($0.id) } ?? .leaf("null")
    return ("{\"id\":\"\(id)\"}", "{\"data\":{\"node\":\(text)}}", answer)
  }

  /// What `repository(name:) { issue(number:) }` answers.
  mutating func discover() -> Exchange {
    live()
    var answer = SubjectStore.Answer()
    let found = Int.random(in: 0..<Self.repositoryCount, using: &generator)
    let name = Self.names[found].randomElement(using: &generator) ?? ""
    let number = Int.random(in: Self.numbers, using: &generator)
    let variables = "{\"name\":\"\(name)\",\"number\":\(number)}"
    // A former name leads to the repository still, or to nothing.
    guard names[found] == name || generator.oneIn(2) else {
      answer.root["repository(name:\"\(name)\")"] = .leaf("null")
      return (variables, "{\"data\":{\"repository\":null}}", answer)
    }
    let key = SubjectStore.NaturalKey(name: name)
    var repository = Object(
      id: self.id(ofRepository: found), type: "Repository",
      fields: [
        ("id", .leaf("\"\(self.id(ofRepository: found))\"")),
        ("name", .leaf("\"\(names[found])\"")),
      ],
      naturalKey: key)
    let index = issues.firstIndex { $0.number == number && $0.repository == found && !$0.isGone }
    var text = "null"
    var object: Object?
    if let index {
      let id = self.id(ofIssue: index)
      let title = "\"\(issues[index].title)\""
      object = Object(
        id: id, type: "Issue",
        fields: [
          ("id", .leaf("\"\(id)\"")), ("number", .leaf(String(number))), ("title", .leaf(title)),
        ],
        naturalKey: .init(name: name, number: number))
      text = "{\"id\":\"\(id)\",\"number\":\(number),\"title\":\(title)}"
    }
    repository.fields.append(
      ("issue(number:\(number))", object.map { .link($0.id) } ?? .leaf("null")))
    answer.root["repository(name:\"\(name)\")"] = .link(repository.id)
    answer.objects = [repository] + (object.map { [$0] } ?? [])
    return (
      variables,
      "{\"data\":{\"repository\":{\"id\":\"\(repository.id)\",\"name\":\"\(names[found])\","
        + "\"issue\":\(text)}}}", answer
    )
  }

  private func issue(
    _ index: Int, asked: String, _ answer: inout SubjectStore.Answer
  ) -> String {
    let issue = issues[index]
    let id = self.id(ofIssue: index)
    let repositoryId = self.id(ofRepository: issue.repository)
    answer.asked.append(.init(id: asked, isAnswered: true))
    answer.objects.append(
      Object(
        id: id, type: "Issue",
        fields: [
          ("id", .leaf("\"\(id)\"")), ("number", .leaf(String(issue.number))),
          ("title", .leaf("\"\(issue.title)\"")), ("repository", .link(repositoryId)),
        ], asked: asked))
    let name = names[issue.repository]
    answer.objects.append(
      Object(
        id: repositoryId, type: "Repository",
        fields: [("id", .leaf("\"\(repositoryId)\"")), ("name", .leaf("\"\(name)\""))]))
    return "{\"__typename\":\"Issue\",\"id\":\"\(id)\",\"number\":\(issue.number),"
      + "\"title\":\"\(issue.title)\",\"repository\":{\"id\":\"\(repositoryId)\","
      + "\"name\":\"\(name)\"}}"
  }

  private func repository(
    _ index: Int, asked: String, _ answer: inout SubjectStore.Answer
  ) -> String {
    let id = self.id(ofRepository: index)
    answer.asked.append(.init(id: asked, isAnswered: true))
    answer.objects.append(
      Object(
        id: id, type: "Repository",
        fields: [("id", .leaf("\"\(id)\"")), ("name", .leaf("\"\(names[index])\""))],
        asked: asked))
    return "{\"__typename\":\"Repository\",\"id\":\"\(id)\",\"name\":\"\(names[index])\"}"
  }
}
