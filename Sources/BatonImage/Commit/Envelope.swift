/// The members of a response's outermost object, as places in the document.
struct Envelope {
  /// Where a member's value is: the reader's cursor before it and behind it.
  struct Member {
    var start: Int
    var end: Int
  }

  var data: Member?
  var errors: Member?
  var extensions: Member?
  var incremental: Member?
  var pending: Member?
  var path: Member?
  var id: Member?
  var subPath: Member?
  var items: Member?
  var completed: Member?

  /// Finds the members of the object the reader stands before, which it passes.
  ///
  /// The members are checked here, but for the data, which are checked where they are read, up to
  /// `end`.
  @_lifetime(reader: copy reader)
  init(_ reader: inout JSONReader) throws(ImageError) {
    guard try reader.enterObject() else { return }
    repeat {
      let key = try reader.key()
      let start = reader.cursor
      let name = JSONText.text(key, in: reader.bytes)
      guard let place = Self.place(of: name) else {
        try reader.skip()
        continue
      }
      guard self[keyPath: place] == nil else {
        throw reader.problem("the member \(name) is given twice")
      }
      if name == "data" || name == "incremental" { reader.leap() } else { try reader.skip() }
      self[keyPath: place] = Member(start: start, end: reader.cursor)
    } while try reader.nextMember()
  }

  private static func place(of name: String) -> WritableKeyPath<Envelope, Member?>? {
    switch name {
    case "data": \.data
    case "errors": \.errors
    case "extensions": \.extensions
    case "incremental": \.incremental
    case "pending": \.pending
    case "path": \.path
    case "id": \.id
    case "subPath": \.subPath
    case "items": \.items
    case "completed": \.completed
    default: nil
    }
  }
}

extension JSONReader {
  /// A reader before a member of the envelope.
  @_lifetime(copy self)
  func at(_ member: Envelope.Member) -> JSONReader {
    var reader = self
    reader.cursor = member.start
    return reader
  }

  /// Checks that a member was read to its end: brackets that don't match lead elsewhere.
  func check(endOf member: Envelope.Member) throws(ImageError) {
    guard cursor == member.end else { throw problem("the brackets don't match") }
  }
}
