import BatonImage
import BatonPlan

/// One row of eight fields by id as owned values, and one field by id in place.
enum RowByIdQuestion: Question {
  static let name = "B1"
  static let title = "a row of 8 fields by id, and one field by id, of 100,000 records"

  private struct Times {
    var raw = Samples()
    var row = Samples()
    var field = Samples()
    var layoutRow = Samples()
    var layoutField = Samples()
    var textRow = Samples()
  }

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let fixture = try ReadFixture(setting, records: 100_000)
    let rounds = setting.count(200, quick: 40)
    var times = Times()
    for round in 0..<rounds + 5 {
      if round == 5 { times = Times() }
      try measure(round, fixture, &times)
    }
    answer.add("raw LMDB, two gets", times.raw)
    answer.add("image, row", times.row)
    answer.add("SQLite layout, row", times.layoutRow)
    answer.add("SQLite with JSON, row", times.textRow)
    answer.add("image, field", times.field)
    answer.add("SQLite layout, field", times.layoutField)
    answer.compare("row / two raw gets", times.row.median / times.raw.median, .atMost(2.5))
    answer.compare(
      "SQLite layout row / row", times.layoutRow.median / times.row.median, .atLeast(2))
    answer.compare(
      "SQLite layout field / field", times.layoutField.median / times.field.median, .atLeast(5))
    answer.compare("SQLite with JSON row / row", times.textRow.median / times.row.median)
  }

  /// A round: each contender reads the same subjects.
  private static func measure(
    _ round: Int, _ fixture: ReadFixture, _ times: inout Times
  ) throws {
    let subjects = fixture.subjects(round: round)
    let keys = subjects.map { (hash: $0.hash, number: UInt64($0.number)) }
    let count = subjects.count
    consume(try times.raw.time(count) { try fixture.raw.get(keys) })
    let snapshot = try fixture.subjectImage.image.snapshot()
    let fields = try SubjectFields(snapshot)
    try times.row.time(count) {
      for subject in subjects { consume(try SubjectRow.read(subject.key, fields, snapshot)) }
    }
    try times.field.time(count) {
      for subject in subjects {
        consume(try SubjectRow.readNumber(subject.key, fields, snapshot))
      }
    }
    try times.layoutRow.time(count) {
      for subject in subjects {
        _ = try fixture.layout.row(subject.id) { row in consume(try SubjectRow(row, fields)) }
      }
    }
    try times.layoutField.time(count) {
      for subject in subjects {
        _ = try fixture.layout.row(subject.id) { row in consume(try SubjectRow.number(row, fields))
        }
      }
    }
    let few = subjects.prefix(subjects.count / 10)
    try times.textRow.time(few.count) {
      for subject in few { consume(try textRow(subject.id, fixture.text)) }
    }
  }

  private static func textRow(_ id: String, _ store: TextStore) throws -> [String] {
    guard let record = try store.record(id) else { return [] }
    let texts = ["id", "title", "state", "url", "createdAt", "updatedAt"]
    consume(record["number"] as? Int)
    consume(record["isPinned"] as? Bool)
    return texts.map { record[$0] as? String ?? "" }
  }
}
