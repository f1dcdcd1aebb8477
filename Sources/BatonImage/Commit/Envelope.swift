/// The members of a response's outermost object, as places in the document.
struct Envelope {
  /// Where a member's value is: the reader's cursor before it and behind it.
  struct Member: BitwiseCopyable {
    var start: Int
    var end: Int
  }

  /// The members that a response may have, those of its parts too.
  private enum Name: Int, CaseIterable {
    case data, errors, extensions, incremental, pending, path, id, subPath, items, completed

    static let keys = allCases.map { ResponseKey("\($0)") }

    /// Whether the value is checked where it is read.
    var isReadLater: Bool { self == .data || self == .incremental }
  }

  /// Whether the reader was left before the data, and nothing behind them is known yet.
  private(set) var isOpen = false

  private var members = InlineArray<10, Member?>(repeating: nil)

  var data: Member? { self[.data] }
  var errors: Member? { self[.errors] }
  var extensions: Member? { self[.extensions] }
  var incremental: Member? { self[.incremental] }
  var pending: Member? { self[.pending] }
  var path: Member? { self[.path] }
  var id: Member? { self[.id] }
  var subPath: Member? { self[.subPath] }
  var items: Member? { self[.items] }
  var completed: Member? { self[.completed] }

  /// Finds the members of the object the reader stands before, which it passes.
  ///
  /// The members are checked here, but for the data, which are checked where they are read, up to
  /// `end`.
  ///
  /// - Parameter upToData: leaves the reader before the data where they are an object and come first,
  ///   as they mostly do: that spares looking for their end. `readRest` finds what follows then.
  @_lifetime(reader: copy reader)
  init(_ reader: inout JSONReader, upToData: Bool = false) throws(ImageError) {
    guard try reader.enterObject() else { return }
    if upToData {
      var first = reader
      let key = try first.key()
      if Self.name(key, in: reader.bytes) == .data, first.character == UInt8(ascii: "{") {
        reader = first
        isOpen = true
        return
      }
    }
    try readMembers(&reader)
  }

  /// Finds the members behind the data, which the reader has passed.
  @_lifetime(reader: copy reader)
  mutating func readRest(_ reader: inout JSONReader) throws(ImageError) {
    isOpen = false
    if try reader.nextMember() { try readMembers(&reader) }
  }

  /// Whether a member follows that says anything of the data, or brings more of them.
  var hasOthers: Bool {
    for name in Name.allCases where self[name] != nil { return true }
    return false
  }

  @_lifetime(reader: copy reader)
  private mutating func readMembers(_ reader: inout JSONReader) throws(ImageError) {
    repeat {
      let key = try reader.key()
      let start = reader.cursor
      guard let name = Self.name(key, in: reader.bytes) else {
        try reader.skip()
        continue
      }
      guard self[name] == nil else {
        throw reader.problem("the member \(name) is given twice")
      }
      if name.isReadLater { reader.leap() } else { try reader.skip() }
      self[name] = Member(start: start, end: reader.cursor)
    } while try reader.nextMember()
  }

  private static func name(_ key: JSONString, in bytes: Span<UInt8>) -> Name? {
    for (name, known) in zip(Name.allCases, Name.keys) where known.matches(key, in: bytes) {
      return name
    }
    return nil
  }

  private subscript(name: Name) -> Member? {
    get { members[name.rawValue] }
    set { members[name.rawValue] = newValue }
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
