import BatonImage
import BatonPlan
import Testing

/// Values of variables and configurations, as they are read from JSON.
@Suite struct ValueTests {
  /// Few members are looked through, more are found by name.
  @Test(arguments: [1, 7, 8, 9, 30, 400])
  func `of the members with one name the last counts`(_ count: Int) throws {
    let names = (0..<count).map { "m\($0)" }
    let again = names.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
    let members =
      names.map { #""\#($0)":"first""# } + again.map { #""\#($0)":"second""# }
      + again.map { #""\#($0)":"last""# }
    let text = "{" + members.joined(separator: ",") + "}"
    let value = try Value(json: Array(text.utf8).span)
    let expected = names.enumerated().map { index, name in
      Value.Member(name, .string(index % 3 == 0 ? "last" : "first"))
    }
    #expect(value == .object(expected))
  }

  /// The text of a header's identity may be anything, and large.
  @Test func `many members, one of them named again and again, are read`() throws {
    let distinct = (0..<40_000).map { #""m\#($0)":0"# }
    let same = (0..<40_000).map { _ in #""m39999":1"# }
    let text = "{" + (distinct + same).joined(separator: ",") + "}"
    guard case .object(let members) = try Value(json: Array(text.utf8).span) else {
      Issue.record("an object is expected")
      return
    }
    #expect(members.count == 40_000)
    #expect(members.last == Value.Member("m39999", .int(1)))
  }
}
