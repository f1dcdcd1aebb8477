import BatonImage
import BatonPlan
import TestSupport
import Testing

/// S23: numbers of services are longer than Swift's types.
@Suite struct NumberTests {
  @Test(
    arguments: [
      ("3000000001", 3_000_000_001), ("9007199254740993", 9_007_199_254_740_993),
      ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
      ("18446744073709551615", nil), ("1e400", nil), ("1.5", nil), ("true", nil),
    ] as [(String, Int?)])
  func `a number that does not fit is the problem of its field alone`(
    _ token: String, _ expected: Int?
  ) throws {
    let folder = try TemporaryFolder()
    var image = try Image.open(path: folder.file("rows.image"))
    let response = """
      {"data":{"nodes":[{"__typename":"Issue","id":"I_1","title":"t","number":\(token),"weight":0.5}]}}
      """
    _ = try image.commit(
      parts: [Array(response.utf8)], of: Schema.refresh,
      variables: ["ids": .list([.string("I_1")])])
    for _ in 0..<2 {
      try check(image, expected)
      try image.close()
      image = try Image.open(path: folder.file("rows.image"))
    }
    try image.close()
  }

  private func check(_ image: Image, _ expected: Int?) throws {
    let snapshot = try image.snapshot()
    guard let row = try snapshot.lens(IssueRow_issue.self, id: "I_1") else {
      Issue.record("no row")
      return
    }
    var number: Int?
    var problem: FieldProblem?
    do throws(FieldProblem) { number = try row.issueNumber } catch { problem = error }
    #expect(number == expected)
    #expect((problem == nil) == (expected != nil))
    if let problem {
      #expect(problem.record == "I_1" && problem.field == "number")
      #expect(problem.reason == .mismatch("the value is no Int"))
    }
    #expect(try row.title == "t")
    #expect(try row.weight == 0.5)
  }
}
