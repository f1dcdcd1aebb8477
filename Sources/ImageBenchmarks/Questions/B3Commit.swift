import BatonImage
import BatonPlan

/// A response of fifty subjects, from bytes to committed.
enum CommitQuestion: Question {
  static let name = "B3"
  static let title = "a response of 50 subjects, 200 records all changed, into 100,000 records"

  private struct Times {
    var image = Samples()
    var raw = Samples()
    var layout = Samples()
    var text = Samples()
  }

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    try askWithoutFlush(&answer, setting)
    try askDurable(&answer, setting)
  }

  private static func askWithoutFlush(_ answer: inout Answer, _ setting: Setting) throws {
    let fixture = try ReadFixture(setting, records: 100_000)
    let keys = try RecordKeys(fixture.subjectImage.image.snapshot())
    let commits = setting.count(2000, quick: 400)
    var times = Times()
    var bytes = 0
    for commit in 0..<commits + 50 {
      if commit == 50 { times = Times() }
      let (batch, response) = fixture.subjectImage.refresh(commit)
      bytes = response.count
      try self.commit(response, batch, to: fixture.subjectImage, &times.image)
      let rows = try written(batch, fixture.subjectImage)
      try times.raw.time { try fixture.raw.write(rows) }
      try times.layout.time { try fixture.layout.write(rows, keys: keys) }
      if commit % 20 == 0 { try times.text.time { try fixture.text.commit(response) } }
    }
    answer.add("raw LMDB without sync, the rows alone", times.raw)
    answer.add("image, checkpointed", times.image)
    answer.add("SQLite layout, the rows alone", times.layout)
    answer.add("SQLite with JSON", times.text)
    answer.compare("image / raw LMDB", times.image.mean / times.raw.mean, .atMost(3))
    answer.compare("SQLite layout / image", times.layout.mean / times.image.mean, .atLeast(2))
    answer.compare("SQLite with JSON / image", times.text.mean / times.image.mean)
    answer.note("a response has \(bytes) bytes; ratios are of means")
  }

  private static func askDurable(_ answer: inout Answer, _ setting: Setting) throws {
    let subjects = try SubjectImage(
      path: setting.folder.path("durable"), records: setting.count(100_000, quick: 20_000),
      durability: .durable)
    let raw = try RawStore(path: setting.folder.path("durable-raw"), isSynchronous: true)
    try raw.fill(from: subjects.image.snapshot())
    var times = Times()
    for commit in 0..<setting.count(500, quick: 100) + 10 {
      if commit == 10 { times = Times() }
      let (batch, response) = subjects.refresh(commit)
      try self.commit(response, batch, to: subjects, &times.image)
      let rows = try written(batch, subjects)
      try times.raw.time { try raw.write(rows) }
    }
    answer.add("raw LMDB with sync, the rows alone", times.raw)
    answer.add("image, durable", times.image)
    answer.compare("image / raw LMDB, with sync", times.image.mean / times.raw.mean, .atMost(1.5))
  }

  private static func commit(
    _ response: [UInt8], _ batch: Batch, to subjects: SubjectImage, _ samples: inout Samples
  ) throws {
    let outcome = try subjects.commit(response, of: batch, &samples)
    guard outcome.recordsChanged == Subjects.records else {
      throw ImageError.notFound("\(outcome.recordsChanged) records changed")
    }
  }

  /// The rows as the commit left them.
  private static func written(_ batch: Batch, _ subjects: SubjectImage) throws -> RowList {
    try RowList(subjects.image.snapshot(), numbers: subjects.numbers(ofBatch: batch.number))
  }
}
