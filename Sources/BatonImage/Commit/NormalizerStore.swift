import BatonPlan

/// What the normalizer asks of the image it writes for: numbers of names and records.
protocol NormalizerStore: ~Copyable, TypeKnowledge {
  /// The number of a name, given when it is new.
  mutating func name(_ text: Span<UInt8>, _ kind: NameKind) throws(ImageError) -> UInt32

  /// The record with a key, by itself or as an alias; nil when the image has none.
  ///
  /// `hash` is that of the kind byte and the key.
  mutating func record(
    hash: UInt64, key: Span<UInt8>, isPath: Bool
  ) throws(ImageError) -> (number: UInt32, isAlias: Bool)?

  /// A number for a record no response named before.
  mutating func newRecord() throws(ImageError) -> UInt32

  /// The record `old` is found by the key `new` from now on, and by its old key as an alias.
  mutating func rekey(_ old: UInt32, to new: Span<UInt8>) throws(ImageError)
}

/// What a response says beside the fields of records.
struct ResponseFindings {
  /// What is to be known of an asked id beside its outcome.
  struct Asked {
    /// The record key that the id is, empty when it can be none; nil when it is the id's own text, as
    /// with global ids.
    var key: [UInt8]?
    /// The errors of a miss, as a block; nil for none.
    var errors: [UInt8]?
    /// The record that was answered, if it is keyed by an id; 0 when none was.
    var record: UInt32 = 0
    /// Whether the record's key is the id.
    var isKey = false
  }

  /// The ids of list lookups, in the order asked, and what came back for each.
  var ids: [IdOutcome] = []
  /// The same ids, as the image has them.
  var asked: [Asked] = []
  /// The records that list lookups answered, by the lookup's slot and the place in the list: no
  /// field keeps them.
  var elements: [(slot: Int, index: Int, number: UInt32)] = []
  /// Whether the plan has such a lookup.
  var hasListLookup = false
  /// Natural keys that the response answered.
  var naturalKeys: [(text: [UInt8], number: UInt32)] = []
  /// Pairs of record keys that name one record, the older first.
  var aliasPairs: [(old: [UInt8], new: [UInt8])] = []
  /// What responses said of types no schema knows.
  var memberships: [(type: String, condition: String, isMember: Bool)] = []
  var merges: [ConnectionMerge] = []
  var edits: [RecordEdit] = []
  /// Whether a transient field or record was met: what names the operation is not kept then.
  var sawTransient = false

  /// The record key of an asked id; empty when it can be none.
  func key(ofAsked index: Int) -> [UInt8] { asked[index].key ?? Array(ids[index].asked.utf8) }

  /// The hash of an asked id's key, without the kind byte.
  func hash(ofAsked index: Int) -> UInt64 {
    if let known = asked[index].key { return BatonImage.hash(known.span) }
    let text = ids[index].asked.utf8
    return BatonImage.hash(text.span)
  }

  /// Whether a record's key is that of an asked id.
  func isKey(_ key: Span<UInt8>, ofAsked index: Int) -> Bool {
    if let known = asked[index].key { return known.span.isEqual(to: key) }
    return isText(key, ofAsked: index)
  }

  /// Whether an id is the text that was asked.
  func isText(_ id: Span<UInt8>, ofAsked index: Int) -> Bool {
    let text = ids[index].asked.utf8
    return text.span.isEqual(to: id)
  }
}

/// By which id the next object was asked for.
enum AskedId {
  case none
  /// By that of a single lookup.
  case text([UInt8])
  /// By one of a list lookup's, at this place among the ids asked.
  case listed(Int)
}

/// A page to merge into its connection.
struct ConnectionMerge: Hashable {
  enum Mode: Hashable {
    case replace
    case append(after: [UInt8])
    case prepend(before: [UInt8])
  }

  /// The record of the connection, and of the page the server answered.
  var connection: UInt32
  var page: UInt32
  var mode: Mode
}

/// An edge or record directive to apply.
struct RecordEdit {
  enum Subject {
    /// Records the field links to.
    case records([UInt32])
    /// Ids the field holds.
    case ids([[UInt8]])
  }

  var directive: EditDirective
  var subject: Subject
}
