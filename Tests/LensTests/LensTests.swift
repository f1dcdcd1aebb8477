import BatonImage
import BatonPlan
import Foundation
import TestSupport
import Testing

@Suite struct LensTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func image(_ numbers: Range<Int>) throws -> Image {
    let image = try Image.open(path: folder.file("rows.image"))
    try Subject.commit(numbers, to: image)
    return image
  }

  @Test(.timeLimit(.minutes(60)))
  func `1200 rows that nodes brought read as the answer had them, field by field`() throws {
    let image = try image(1..<1201)
    try image.close()
    let reopened = try Image.open(path: folder.file("rows.image"))
    let snapshot = try reopened.snapshot()
    for number in (1..<1201).shuffled() {
      let subject = Subject(number: number)
      if subject.isPullRequest {
        try check(pullRequest: subject, in: snapshot)
      } else {
        try check(issue: subject, in: snapshot)
      }
    }
  }

  private func check(issue subject: Subject, in snapshot: borrowing Snapshot) throws {
    guard let row = try snapshot.lens(IssueRow_issue.self, id: subject.id) else {
      Issue.record("no row \(subject.id)")
      return
    }
    #expect(try row.id == subject.id)
    #expect(try row.issueNumber == subject.number)
    #expect(try row.title == subject.title)
    #expect(try row.weight == subject.weight)
    #expect(try row.tags == subject.tags)
    #expect(try row.updatedAt == subject.updatedAt)
    #expect(try row.typeName == "Issue")
    #expect(try row.repository.id == subject.repositoryId)
    #expect(try row.repository.nameWithOwner == subject.repository)
    switch try row.state {
    case .known(let state): #expect(state.rawValue == subject.state)
    case .unknown(let text): #expect(text == "LOCKED" && subject.state == "LOCKED")
    }
    if let author = try row.author {
      #expect(try author.login == subject.login)
      #expect(try author.typeName == (subject.isBot ? "Bot" : "User"))
      // Under a condition on the type, and so not there for another.
      if !subject.isBot { #expect(try author.id == "U_\(subject.login ?? "")") }
    } else {
      #expect(subject.login == nil)
    }
    var names: [String] = []
    guard let labels = try row.labels else {
      Issue.record("no labels")
      return
    }
    var ids: [String] = []
    try labels.forEach { (label) throws(FieldProblem) in
      names.append(try label.name)
      ids.append(try label.id)
    }
    #expect(names == subject.labels)
    #expect(ids == subject.labels.map { "LA_\($0)" })
    if let record = try row.labelsRecord {
      #expect(try record.totalCount == subject.labels.count)
    }
    #expect(try labels.pageInfo == PageInfo(hasNextPage: false, endCursor: "c-end"))
  }

  private func check(pullRequest subject: Subject, in snapshot: borrowing Snapshot) throws {
    guard let row = try snapshot.lens(PullRequestRow_pullRequest.self, id: subject.id) else {
      Issue.record("no row \(subject.id)")
      return
    }
    #expect(try row.id == subject.id)
    #expect(try row.typeName == "PullRequest")
    #expect(try row.number == subject.number)
    #expect(try row.title == subject.title)
    #expect(try row.repository.id == subject.repositoryId)
    #expect(try row.repository.nameWithOwner == subject.repository)
    #expect(try row.prState == subject.state)
    #expect(try row.isDraft == (subject.number % 2 == 0))
  }

  @Test func `a lens of another type or an unknown id is nil`() throws {
    let snapshot = try image(1..<8).snapshot()
    let issue = try snapshot.lens(IssueRow_issue.self, id: "PR_7") == nil
    let unknown = try snapshot.lens(IssueRow_issue.self, id: "nobody") == nil
    #expect(issue)
    #expect(unknown)
  }

  @Test func `a field the image never received is a typed problem with record and field`() throws {
    let image = try image(1..<2)
    let response = #"{"data":{"nodes":[{"__typename":"Issue","id":"I_new","title":"t"}]}}"#
    _ = try image.commit(
      parts: [Array(response.utf8)], of: Schema.refresh,
      variables: ["ids": .list([.string("I_new")])])
    let snapshot = try image.snapshot()
    guard let row = try snapshot.lens(IssueRow_issue.self, id: "I_new") else {
      Issue.record("no row")
      return
    }
    #expect(try row.title == "t")
    #expect(try row.state(of: "number") == .missing)
    var problem: FieldProblem?
    do throws(FieldProblem) { _ = try row.issueNumber } catch { problem = error }
    #expect(problem == FieldProblem(record: "I_new", field: "number", reason: .missing))
    let availability = try snapshot.availability(of: IssueRow_issue.self, id: "I_new")
    let fields = availability.missing.map(\.field)
    #expect(availability.missing.allSatisfy { $0.record == "I_new" })
    #expect(fields.contains("number") && fields.contains("labels(first:5)"))
    #expect(!fields.contains("title"))
    #expect(availability.records == ["I_new"])
  }

  @Test func `null, errored with its last good value, and a wrong kind are told apart`() throws {
    let image = try image(1..<2)
    let response = """
      {"data":{"nodes":[{"__typename":"Issue","id":"I_1","title":null,"number":1.5,"weight":null}]},
       "errors":[{"message":"hidden","type":"FORBIDDEN","path":["nodes",0,"title"]}]}
      """
    _ = try image.commit(
      parts: [Array(response.utf8)], of: Schema.refresh,
      variables: ["ids": .list([.string("I_1")])])
    let snapshot = try image.snapshot()
    guard let row = try snapshot.lens(IssueRow_issue.self, id: "I_1") else {
      Issue.record("no row")
      return
    }
    #expect(try row.state(of: "weight") == .null)
    #expect(try row.weight == nil)
    guard case .errored(let errors, let hasStale) = try row.state(of: "title") else {
      Issue.record("not errored")
      return
    }
    #expect(errors.map(\.code) == ["FORBIDDEN"] && hasStale)
    #expect(try row.acceptingStale.title == Subject(number: 1).title)
    var reasons: [FieldProblem.Reason] = []
    do throws(FieldProblem) { _ = try row.issueNumber } catch { reasons.append(error.reason) }
    do throws(FieldProblem) { _ = try row.string("body") } catch { reasons.append(error.reason) }
    #expect(reasons == [.mismatch("the value is no Int"), .notSelected])
  }

  @Test func `a copy holds what the lens showed after the snapshot ended`() async throws {
    let image = try image(1..<7)
    let copy = try copy(of: "I_4", in: image)
    let later = await Task.detached { copy }.value
    #expect(try later.string("title") == Subject(number: 4).title)
    let repository: RecordCopy<IssueRow_issue.Repository> = try later.link("repository")
    #expect(try repository.string("nameWithOwner") == Subject(number: 4).repository)
    #expect(later.state(of: "weight") == .value)
  }

  private func copy(of id: String, in image: Image) throws -> RecordCopy<IssueRow_issue> {
    let snapshot = try image.snapshot()
    if let row = try snapshot.lens(IssueRow_issue.self, id: id) { return try row.copy() }
    throw FieldProblem(record: id, field: "", reason: .missing)
  }

  @Test func `rows of many ids come in the order asked, from one state`() throws {
    let image = try image(1..<40)
    let snapshot = try image.snapshot()
    try Subject.commit(1..<2, to: image)
    var seen: [String] = []
    let ids = ["I_3", "nobody", "I_1", "PR_7", "I_3"]
    try snapshot.forEach(IssueRow_issue.self, ids: ids) { id, lens in
      seen.append(lens == nil ? "-" : id)
    }
    #expect(seen == ["I_3", "-", "I_1", "-", "I_3"])
    var count = 0
    try snapshot.forEachRecord(ofType: "Issue", IssueRow_issue.self) { _ in count += 1 }
    #expect(count == (1..<40).filter { !Subject(number: $0).isPullRequest }.count)
  }

  @Test func `an operation reads from records that other operations brought`() throws {
    let image = try image(1..<3)
    let snapshot = try image.snapshot()
    let ids: Value = .list([.string("I_2"), .string("I_77"), .string("I_1")])
    let result = try snapshot.read(Schema.refresh, variables: ["ids": ids])
    #expect(result.missing == [[.key("nodes"), .index(1)]])
    let availability = try snapshot.availability(of: Schema.refresh, variables: ["ids": ids])
    #expect(availability.missing == [.init(record: "I_77", field: nil)])
  }
}
