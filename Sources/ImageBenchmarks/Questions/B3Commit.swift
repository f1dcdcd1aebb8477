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

  /// How many commits a contender does before the next one's turn. What is asked for is the mean of
  /// sustained work, so each finds the caches as its own commits leave them, not as the others do.
  private static let turn = 25

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    try askWithoutFlush(&answer, setting)
    try askDurable(&answer, setting)
  }

  private static func askWithoutFlush(_ answer: inout Answer, _ setting: Setting) throws {
    let fixture = try ReadFixture(setting, records: 100_000)
    let keys = try RecordKeys(fixture.subjectImage.image.snapshot())
    let turns = setting.count(2000, quick: 400) / turn
    var times = Times()
    var bytes = 0
    for turn in 0..<turns + 2 {
      if turn == 2 { times = Times() }
      let answers = answers(ofTurn: turn, fixture.subjectImage)
      try commit(answers, to: fixture.subjectImage, &times.image)
      let rows = try written(answers, fixture.subjectImage)
      for rows in rows { try times.raw.time { try fixture.raw.write(rows) } }
      for rows in rows { try times.layout.time { try fixture.layout.write(rows, keys: keys) } }
      bytes = answers[0].response.count
      try times.text.time { try fixture.text.commit(answers[0].response) }
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
    for turn in 0..<setting.count(500, quick: 100) / turn + 1 {
      if turn == 1 { times = Times() }
      let answers = answers(ofTurn: turn, subjects)
      try commit(answers, to: subjects, &times.image)
      for rows in try written(answers, subjects) { try times.raw.time { try raw.write(rows) } }
    }
    answer.add("raw LMDB with sync, the rows alone", times.raw)
    answer.add("image, durable", times.image)
    answer.compare("image / raw LMDB, with sync", times.image.mean / times.raw.mean, .atMost(1.5))
  }

  private typealias Refresh = (batch: Batch, response: [UInt8])

  private static func answers(ofTurn turn: Int, _ subjects: SubjectImage) -> [Refresh] {
    (turn * Self.turn..<(turn + 1) * Self.turn).map { subjects.refresh($0) }
  }

  private static func commit(
    _ answers: [Refresh], to subjects: SubjectImage, _ samples: inout Samples
  ) throws {
    for answer in answers {
      let outcome = try subjects.commit(answer.response, of: answer.batch, &samples)
      guard outcome.recordsChanged == Subjects.records else {
        throw ImageError.notFound("\(outcome.recordsChanged) records changed")
      }
    }
  }

  /// The rows as the commits left them.
  private static func written(
    _ answers: [Refresh], _ subjects: SubjectImage
  ) throws -> [RowList] {
    try answers.map {
      try RowList(subjects.image.snapshot(), numbers: subjects.numbers(ofBatch: $0.batch.number))
    }
  }
}
