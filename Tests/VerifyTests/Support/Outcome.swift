import BatonImage
import ImageFixtures
import Testing

extension ImageFixture {
  /// Demands of a harmed copy of this image what the format promises: `verify` ends with a report
  /// or a typed error, and every value that is read is the right one or reported. Where `verify`
  /// finds nothing, everything must be there.
  ///
  /// Returns whether something was reported.
  @discardableResult
  func demandRightOutcome(_ path: String, _ what: String) -> Bool {
    let isSound: Bool
    do {
      isSound = try Verifier.verify(at: path).isSound
    } catch {
      isSound = false
    }
    do throws(ImageError) {
      try PageFile(path: path).reading { (snapshot) throws(ImageError) in
        for table in ImageTable.allCases {
          do throws(ImageError) {
            try readAll(table, snapshot, isSound: isSound, what)
          } catch {
            #expect(!isSound, "\(what): sound, but \(error)")
          }
          snapshot.releasePages()
        }
      }
    } catch {
      #expect(!isSound, "\(what): sound, but \(error)")
    }
    return !isSound
  }

  private func holds(_ value: Span<UInt8>, _ table: ImageTable, _ key: UInt64) -> Bool {
    guard let expected = tables[table]?[key] else { return false }
    return expected.span.isEqual(to: value)
  }

  private func readAll(
    _ table: ImageTable, _ snapshot: borrowing PageSnapshot, isSound: Bool, _ what: String
  ) throws(ImageError) {
    let values = tables[table] ?? [:]
    var met = 0
    do throws(ImageError) {
      try snapshot.forEach(table, from: 0) { (key, value) throws(ImageError) in
        met += 1
        if !holds(value, table, key) {
          Issue.record("\(what): \(table) \(key) reads as something else")
        }
        return true
      }
      if isSound, met != values.count { Issue.record("\(what): \(table) lost entries") }
    } catch {
      if isSound { throw error }
    }
    for key in values.keys.prefix(8) {
      if let value = try snapshot.value(table, key), !holds(value, table, key) {
        Issue.record("\(what): \(table) \(key) is found as something else")
      }
    }
  }
}
