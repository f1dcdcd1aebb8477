import BatonImage
import BatonPlan
import ImageFixtures
import Synchronization

/// Commits responses to a small image that holds some records: whatever came in, the image must be
/// sound afterwards, be exported whole, and be read by the plan.
///
/// The first character chooses the plan, the second the image; the parts of a response stand behind
/// them, parted by the character U+001E.
enum ResponseTarget {
  static func run(_ input: [UInt8], scratch: Scratch) throws(Finding) {
    var reader = InputReader(input)
    let entry = ResponsePlans.all[Int(reader.byte() &- UInt8(ascii: "0")) % ResponsePlans.all.count]
    let base = BaseImage.all[Int(reader.byte() &- UInt8(ascii: "0")) % BaseImage.all.count]
    let parts = reader.rest().split(separator: 0x1E, omittingEmptySubsequences: false)
      .map { Array($0) }
    let file = base.bytes(scratch)
    scratch.clear()
    let path = scratch.write(file, as: "committed.image")
    let isCommitted: Bool
    do throws(ImageError) {
      let image = try Image.open(path: path, options: .init(identity: base.identity))
      isCommitted = try commit(parts, entry, to: image)
      try image.close()
    } catch {
      throw Finding("\(error)")
    }
    // A refused response writes nothing: one of sixteen is enough to see that it doesn't.
    if isCommitted || hash(input.span) % 16 == 0 { try check(path, entry, base.identity) }
  }

  /// Commits a response; false when it is refused.
  private static func commit(
    _ parts: [[UInt8]], _ entry: ResponsePlans.Entry, to image: Image
  ) throws(ImageError) -> Bool {
    do throws(ImageError) {
      _ = try image.commit(parts: parts, of: entry.plan, variables: entry.variables)
    } catch {
      switch error {
      case .response(let problem):
        guard problem.offset.map({ $0 >= 0 }) ?? true, !problem.message.isEmpty else {
          throw .engine("a problem outside the response: \(problem)")
        }
        return false
      case .limit: return false
      default: throw error
      }
    }
    guard entry.isRepeatable, parts.count == 1 else { return true }
    let again = try image.commit(parts: parts, of: entry.plan, variables: entry.variables)
    guard again.recordsCreated == 0, again.recordsChanged == 0, again.pagesWritten == 0 else {
      throw .engine("the same response again: \(again)")
    }
    return true
  }

  private static func check(
    _ path: String, _ entry: ResponsePlans.Entry, _ identity: IdentityRules
  ) throws(Finding) {
    do throws(ImageError) {
      let report = try Verifier.verify(at: path)
      guard report.isSound else {
        throw .engine("unsound: \(report.faults.prefix(3))")
      }
      let image = try UntrustedImage(path: path, identity: identity)
      try image.reading { (snapshot) throws(ImageError) in
        var dump: [UInt8] = []
        try snapshot.export { dump.append(contentsOf: $0) }
        _ = try Value(json: dump.span)
        let result = try snapshot.read(
          entry.plan, variables: entry.variables, identity: identity)
        _ = try Value(json: result.data.span)
      }
    } catch {
      throw Finding("after the commit: \(error)")
    }
  }
}

/// An image to commit to, made once a process.
struct BaseImage: Sendable {
  var identity: IdentityRules
  var isFilled: Bool

  static let all = [
    BaseImage(identity: .global, isFilled: false),
    BaseImage(identity: .global, isFilled: true),
    BaseImage(
      identity: IdentityRules(
        scope: .type, types: ["Repository": ["name", "id"]], transientTypes: ["Bot"],
        transientFields: ["Query.viewer"],
        lookups: [Lookup("Query.node", type: "Issue", argument: "id")]),
      isFilled: true),
  ]

  private static let made = Mutex<[Bool: [String: [UInt8]]]>([:])

  /// The bytes of the image's file.
  func bytes(_ scratch: Scratch) -> [UInt8] {
    let name = identity.canonicalText
    if let bytes = Self.made.withLock({ $0[isFilled]?[name] }) { return bytes }
    let path = scratch.path("base.image")
    do throws(ImageError) {
      let image = try Image.open(path: path, options: .init(identity: identity))
      if isFilled {
        for (index, response) in Self.responses {
          let entry = ResponsePlans.all[index]
          _ = try image.commit(
            Array(response.utf8).span, of: entry.plan, variables: entry.variables)
        }
      }
      try image.close()
    } catch {
      fatalError("no base image: \(error)")
    }
    let bytes = scratch.read(path)
    scratch.remove(path)
    Self.made.withLock { $0[isFilled, default: [:]][name] = bytes }
    return bytes
  }

  /// Responses by the index of their plan.
  private static let responses: [(Int, String)] = [
    (
      1,
      #"""
      {"data": {"repository": {"id": "R_1", "name": "w", "issue": {"id": "I_1", "number": 7,
       "title": "Crash", "score": 1.50, "state": "OPEN", "closed": false, "updatedAt": "2026-01-01",
       "extra": {"a": [1, 2]}, "labels": ["bug", null], "author": {"__typename": "User",
       "id": "U_1", "login": "ada"}, "repository": {"id": "R_1", "name": "w"}},
       "settings": {"theme": "dark", "nested": {"theme": "light", "nested": null}}}}}
      """#
    ),
    (
      2,
      #"""
      {"data": {"repository": {"id": "R_1", "issues": {"totalCount": 3, "edges": [
       {"cursor": "c1", "node": {"id": "I_1", "title": "Crash"}},
       {"cursor": "c2", "node": {"id": "I_2", "title": "Slow"}}],
       "pageInfo": {"hasNextPage": true, "hasPreviousPage": false, "startCursor": "c1",
       "endCursor": "c2"}}}}}
      """#
    ),
    (
      0,
      #"""
      {"data": {"nodes": [{"__typename": "Issue", "id": "I_1", "title": "Crash at start"}, null,
       {"__typename": "Issue", "id": "new", "title": "Renamed"}]},
       "errors": [{"message": "gone", "path": ["nodes", 1], "type": "NOT_FOUND"}]}
      """#
    ),
  ]
}
