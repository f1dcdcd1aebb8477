import BatonImage
import BatonPlan

/// The name numbers of a subject's fields in an image.
struct SubjectFields {
  let numbers: [UInt32]

  init(_ snapshot: borrowing Snapshot) throws(ImageError) {
    var numbers: [UInt32] = []
    for key in Subjects.rowFields {
      guard let number = try snapshot.number(ofName: key, .storageKey) else {
        throw .notFound("the image has no field \(key)")
      }
      numbers.append(number)
    }
    self.numbers = numbers
  }

  var title: UInt32 { numbers[2] }
  var number: UInt32 { numbers[1] }
}

/// A subject's eight fields as owned values.
struct SubjectRow {
  var id: String
  var number: Int64
  var title: String
  var state: String
  var url: String
  var createdAt: String
  var updatedAt: String
  var isPinned: Bool

  init(_ row: borrowing RowView, _ fields: SubjectFields) throws(ImageError) {
    let numbers = fields.numbers
    id = try Self.text(row, numbers[0])
    number = try Self.cell(row, numbers[1]).int ?? 0
    title = try Self.text(row, numbers[2])
    state = try Self.text(row, numbers[3])
    url = try Self.text(row, numbers[4])
    createdAt = try Self.text(row, numbers[5])
    updatedAt = try Self.text(row, numbers[6])
    isPinned = try Self.cell(row, numbers[7]).kind == .true
  }

  @_lifetime(copy row)
  private static func cell(
    _ row: borrowing RowView, _ field: UInt32
  ) throws(ImageError) -> CellView {
    guard let index = row.index(of: field) else { throw .notFound("the row lacks a field") }
    return try row.cell(at: index)
  }

  private static func text(
    _ row: borrowing RowView, _ field: UInt32
  ) throws(ImageError) -> String {
    try cell(row, field).payload.text()
  }

  // MARK: By id

  static func read(
    _ key: [UInt8], _ fields: SubjectFields, _ snapshot: borrowing Snapshot
  ) throws(ImageError) -> SubjectRow {
    guard let number = try snapshot.number(ofId: key), let row = try snapshot.row(number) else {
      throw .notFound("a subject is missing")
    }
    return try SubjectRow(row, fields)
  }

  static func readNumber(
    _ key: [UInt8], _ fields: SubjectFields, _ snapshot: borrowing Snapshot
  ) throws(ImageError) -> Int64? {
    guard let number = try snapshot.number(ofId: key), let row = try snapshot.row(number) else {
      throw .notFound("a subject is missing")
    }
    return try self.number(row, fields)
  }

  /// One field in place.
  static func number(
    _ row: borrowing RowView, _ fields: SubjectFields
  ) throws(ImageError) -> Int64? {
    try cell(row, fields.number).int
  }
}
