import BatonImage

/// A field of a record at hand.
enum FieldQuestion: Question {
  static let name = "B2"
  static let title = "a field of a record at hand"

  /// How often a sample reads.
  private static let reads = 10_000

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let subjects = try SubjectImage(path: setting.folder.path("subjects"), records: 1000)
    let snapshot = try subjects.image.snapshot()
    let fields = try SubjectFields(snapshot)
    guard let number = try snapshot.number(ofId: Array(Batch(2).ids[3].utf8)),
      let row = try snapshot.row(number)
    else { throw ImageError.notFound("the subject") }
    var (int, text, owned) = (Samples(), Samples(), Samples())
    for round in 0..<setting.count(400, quick: 100) + 5 {
      if round == 5 { (int, text, owned) = (Samples(), Samples(), Samples()) }
      consume(try int.time(reads) { () throws(ImageError) in try readNumbers(row, fields) })
      consume(try text.time(reads) { () throws(ImageError) in try readTexts(row, fields) })
      try owned.time(reads / 10) { () throws(ImageError) in try readStrings(row, fields) }
    }
    answer.add("a number", int)
    answer.add("a text in place", text)
    answer.add("a text as String", owned)
    answer.compare("a number, ns", int.median, .atMost(30))
    answer.compare("a text in place, ns", text.median, .atMost(30))
  }

  private static func readNumbers(
    _ row: borrowing RowView, _ fields: SubjectFields
  ) throws(ImageError) -> Int64 {
    var sum: Int64 = 0
    for index in 0..<reads { sum &+= try number(row, fields.numbers[index & 7]) }
    return sum
  }

  /// Not inlined, so that no reading is shared with the one before.
  @inline(never)
  static func number(
    _ row: borrowing RowView, _ field: UInt32
  ) throws(ImageError) -> Int64 {
    guard let index = row.index(of: field) else { return 0 }
    return try row.cell(at: index).int ?? 1
  }

  private static func readTexts(
    _ row: borrowing RowView, _ fields: SubjectFields
  ) throws(ImageError) -> Int {
    var sum = 0
    for index in 0..<reads { sum &+= try text(row, fields.numbers[index & 7]) }
    return sum
  }

  @inline(never)
  static func text(
    _ row: borrowing RowView, _ field: UInt32
  ) throws(ImageError) -> Int {
    guard let index = row.index(of: field) else { return 0 }
    let text = try row.cell(at: index).payload
    return text.count > 0 ? text.count + Int(text[text.count - 1]) : 0
  }

  private static func readStrings(
    _ row: borrowing RowView, _ fields: SubjectFields
  ) throws(ImageError) {
    for _ in 0..<reads / 10 {
      guard let index = row.index(of: fields.title) else { return }
      consume(try row.cell(at: index).payload.text())
    }
  }
}
