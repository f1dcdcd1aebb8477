import BatonImage
import BatonPlan

/// One path done a number of times and nothing timed: what instructions are counted of.
///
/// The counts of two runs that differ in `times` alone differ by that many times the path.
enum HotPath: String, CaseIterable {
  /// A response whose every record changed.
  case commit
  /// The same response again.
  case unchanged
  /// Fifty rows of eight fields by id.
  case rows
  /// One field by id.
  case field
  /// A number of a record at hand.
  case number
  /// A text of it, in place.
  case text
  case open
  /// Responses to ever other questions, as B3 commits them. Nothing is counted of it: which pages a
  /// commit comes to differs from one to the next.
  case refresh

  func run(times: Int, _ setting: Setting) throws {
    let path = setting.folder.path("hot")
    let batches = self == .refresh ? 500 : 10
    let subjects = try SubjectImage(path: path, records: batches * Subjects.records)
    switch self {
    case .refresh: try Self.refresh(times, subjects)
    case .commit: try Self.commit(times, subjects, isChanged: true)
    case .unchanged: try Self.commit(times, subjects, isChanged: false)
    case .rows: try Self.readRows(times, subjects)
    case .field: try Self.readField(times, subjects)
    case .number, .text: try readAtHand(times, subjects)
    case .open:
      try subjects.image.close()
      for _ in 0..<times { try Self.open(path) }
    }
  }

  private static func commit(_ times: Int, _ subjects: SubjectImage, isChanged: Bool) throws {
    let batch = Batch(5)
    let variables = batch.variables
    // Made before, so that making them costs the same whatever `times` is.
    let responses = (0..<50).map { batch.response(revision: isChanged ? $0 + 1 : 0) }
    for index in 0..<times {
      let response = responses[index % responses.count]
      consume(try subjects.image.commit(response.span, of: subjects.plan, variables: variables))
    }
  }

  private static func refresh(_ times: Int, _ subjects: SubjectImage) throws {
    for index in 0..<times {
      let (batch, response) = subjects.refresh(index)
      consume(try subjects.commit(response, of: batch))
    }
  }

  private static func readRows(_ times: Int, _ subjects: SubjectImage) throws {
    let keys = Batch(5).ids.map { Array($0.utf8) }
    let snapshot = try subjects.image.snapshot()
    let fields = try SubjectFields(snapshot)
    for _ in 0..<times {
      for key in keys { consume(try SubjectRow.read(key, fields, snapshot)) }
    }
  }

  private static func readField(_ times: Int, _ subjects: SubjectImage) throws {
    let keys = Batch(5).ids.map { Array($0.utf8) }
    let snapshot = try subjects.image.snapshot()
    let fields = try SubjectFields(snapshot)
    for index in 0..<times {
      consume(try SubjectRow.readNumber(keys[index % keys.count], fields, snapshot))
    }
  }

  private func readAtHand(_ times: Int, _ subjects: SubjectImage) throws {
    let snapshot = try subjects.image.snapshot()
    let fields = try SubjectFields(snapshot)
    guard let number = try snapshot.number(ofId: Array(Batch(5).ids[0].utf8)),
      let row = try snapshot.row(number)
    else { throw ImageError.notFound("the subject") }
    for index in 0..<times {
      let field = fields.numbers[index & 7]
      if self == .number {
        consume(try FieldQuestion.number(row, field))
      } else {
        consume(try FieldQuestion.text(row, field))
      }
    }
  }

  private static func open(_ path: String) throws {
    let image = try Image.open(path: path)
    try readFirst(image.snapshot())
    try image.close()
  }

  private static func readFirst(_ snapshot: borrowing Snapshot) throws {
    consume(try snapshot.number(ofId: Array(Batch(5).ids[0].utf8)))
  }
}
