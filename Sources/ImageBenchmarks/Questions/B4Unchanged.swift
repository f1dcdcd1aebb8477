import BatonImage

/// The same response again.
enum UnchangedQuestion: Question {
  static let name = "B4"
  static let title = "the same response again, into 100,000 records"

  private struct Times {
    var changed = Samples()
    var again = Samples()
    var later = Samples()
    var raw = Samples()
    var layout = Samples()
    var text = Samples()
  }

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let fixture = try ReadFixture(setting, records: setting.count(100_000, quick: 20_000))
    let keys = try RecordKeys(fixture.subjectImage.image.snapshot())
    let subjects = fixture.subjectImage
    var times = Times()
    var pages = 0
    var answered: [(batch: Batch, response: [UInt8])] = []
    for commit in 0..<setting.count(1000, quick: 300) + 50 {
      if commit == 50 { times = Times() }
      let (batch, response) = subjects.refresh(commit)
      _ = try subjects.commit(response, of: batch, &times.changed)
      pages += try subjects.commit(response, of: batch, &times.again).pagesWritten
      try compare(batch, fixture, keys, &times)
      if commit % 20 == 0 {
        try fixture.text.commit(response)
        try times.text.time { try fixture.text.commit(response) }
      }
      answered.append((batch, response))
      // What was answered some commits ago holds unless its batch came up since.
      guard answered.count > 10 else { continue }
      let old = answered.removeFirst()
      guard !answered.contains(where: { $0.batch.number == old.batch.number }) else { continue }
      pages += try subjects.commit(old.response, of: old.batch, &times.later).pagesWritten
    }
    report(times, pages, &answer)
  }

  private static func report(_ times: Times, _ pages: Int, _ answer: inout Answer) {
    answer.add("image, all records changed", times.changed)
    answer.add("image, the same response again", times.again)
    answer.add("image, the same response ten commits later", times.later)
    answer.add("raw LMDB, the rows compared", times.raw)
    answer.add("SQLite layout, the rows compared", times.layout)
    answer.add("SQLite with JSON, the same response again", times.text)
    answer.compare("again / changed", times.again.mean / times.changed.mean, .atMost(0.3))
    answer.compare("ten commits later / changed", times.later.mean / times.changed.mean)
    answer.compare("pages written", Double(pages), .atMost(0))
    answer.compare("SQLite layout / image", times.layout.mean / times.again.mean)
    answer.compare("SQLite with JSON / image", times.text.mean / times.again.mean)
  }

  /// What the stores of rows need at least to see that nothing changed: each row found and compared
  /// with one made before.
  private static func compare(
    _ batch: Batch, _ fixture: ReadFixture, _ keys: RecordKeys, _ times: inout Times
  ) throws {
    let subjects = fixture.subjectImage
    let rows = try RowList(
      subjects.image.snapshot(), numbers: subjects.numbers(ofBatch: batch.number))
    try fixture.raw.write(rows)
    try fixture.layout.write(rows, keys: keys)
    let isHeld = try times.raw.time { try fixture.raw.holds(rows) }
    let isHeldByLayout = try times.layout.time { try fixture.layout.holds(rows, keys: keys) }
    guard isHeld, isHeldByLayout else { throw ImageError.notFound("a row written before") }
  }
}
