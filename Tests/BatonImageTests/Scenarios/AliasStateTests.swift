import BatonImage
import BatonPlan
import Testing

/// S12 where the records of the two ids are not just there: deleted, pinned, missed.
@Suite(.tags(.S12), .timeLimit(.minutes(60))) struct AliasStateTests {
  static let old = AliasTests.old
  static let new = AliasTests.new

  enum Deleted: CaseIterable, Sendable { case old, new, both }

  @Test(arguments: AliasTests.Sign.allCases, Deleted.allCases)
  func `an id that is replaced after a deletion is one record, with what was not deleted`(
    _ sign: AliasTests.Sign, _ deleted: Deleted
  ) throws {
    let image = try TestImage()
    let list = try Hub.plan("{ recent { id title state } }")
    try image.commit(
      """
      {"data":{"recent":[{"id":"\(Self.old)","title":"o","state":"OPEN"},
      {"id":"\(Self.new)","title":"n","state":"CLOSED"}]}}
      """, of: list)
    if deleted != .new { try image.image.forget(id: Self.old) }
    if deleted != .old { try image.image.forget(id: Self.new) }
    try image.reopen()
    try image.commit(AliasTests.answer(sign), of: Hub.refresh, AliasTests.asked(sign))
    let state = [Deleted.old: #","state":"CLOSED""#, .new: #","state":"OPEN""#][deleted] ?? ""
    let missing = deleted == .both ? ["recent.0.state", "recent.1.state"] : []
    try image.beforeAndAfterReopening { image in
      let row = #"{"id":"I_synA","title":"t1"\#(state)}"#
      try image.expect(list, reads: #"{"recent":[\#(row),\#(row)]}"#, missing: missing)
      try image.expect(keys: [Self.new])
    }
    try image.expectSound()
  }

  @Test(arguments: AliasTests.Sign.allCases, [[Self.old], [Self.new], [Self.old, Self.new]])
  func `a pin of either id is the one record's, and misses of both end`(
    _ sign: AliasTests.Sign, _ pinned: [String]
  ) throws {
    let image = try TestImage()
    try image.commit(
      #"{"data":{"recent":[{"id":"\#(Self.old)","title":"o"},{"id":"\#(Self.new)","title":"n"}]}}"#,
      of: Hub.plan("{ recent { id title } }"))
    for id in pinned { try image.image.pin(id) }
    for id in [Self.old, Self.new] {
      try image.commit(#"{"data":{"nodes":[null]}}"#, of: Hub.refresh, #"{"ids":["\#(id)"]}"#)
    }
    try image.commit(AliasTests.answer(sign), of: Hub.refresh, AliasTests.asked(sign))
    try image.beforeAndAfterReopening { image in
      let snapshot = try image.image.snapshot()
      for id in [Self.old, Self.new] {
        let number = try #require(try snapshot.liveRecord(id))
        let isPinned = try snapshot.row(number)?.flags.contains(.pinned)
        #expect(isPinned == true)
        #expect(try image.misses(of: id) == nil)
      }
    }
    try image.image.unpin(Self.old)
    try image.image.unpin(Self.new)
    let snapshot = try image.image.snapshot()
    let number = try #require(try snapshot.liveRecord(Self.new))
    let isPinned = try snapshot.row(number)?.flags.contains(.pinned)
    #expect(isPinned == false)
  }
}
