/// What an image is meant to be: records by key in dictionaries, and nothing on a disk.
struct ReferenceStore {
  /// A field's value.
  indirect enum Value: Equatable {
    case null
    /// A scalar as its JSON token.
    case leaf(String)
    /// A record's key.
    case link(String)
    case list([Value])
    /// Records and nulls, not nested; the keys are nil for null.
    case links([String?])
  }

  /// A field: its value and the errors beside it.
  struct Cell: Equatable {
    var value: Value
    var errors: [ModelError] = []
    /// The value is the last good one; the field is null under the errors.
    var isStale = false

    /// Whether the field reads as null because of its errors.
    var isErrored: Bool { !errors.isEmpty && (isStale || value == .null) }
  }

  struct Record: Equatable {
    var type: String
    var cells: [String: Cell] = [:]
  }

  static let root = "client:root"

  var records: [String: Record] = [
    root: Record(type: "Query"),
    "client:root:mutation": Record(type: "Mutation"),
    "client:root:subscription": Record(type: "Subscription"),
  ]

  /// The errors of the response being committed that no field has taken yet.
  private var pending: [ModelError] = []

  // MARK: Committing

  /// Takes a response in (R3); what happened to each record that changed.
  mutating func commit(_ response: ModelResponse) -> [String: RecordChange] {
    guard case .object(_, _, let members)? = response.data else { return [:] }
    let before = records
    pending = response.errors
    write(members, to: Self.root, at: [])
    pending = []
    return RecordChange.changes(from: before, to: records)
  }

  private mutating func write(
    _ members: [ModelResponse.Member], to record: String, at path: [ModelError.Step]
  ) {
    for member in members {
      guard let field = member.asked.field else { continue }
      let place = path + [.key(member.asked.responseKey)]
      let key = member.asked.storageKey
      if case .null = member.answer {
        writeNull(key, of: record, errors: takeErrors(at: place))
        continue
      }
      let value = value(of: member.answer, below: "\(record):\(key)", field: field, at: place)
      let errors = takeErrors(at: place)
      records[record]?.cells[key] = Cell(value: value, errors: errors)
    }
  }

  /// A null that no error covers is written; one that is covered leaves the last good value.
  private mutating func writeNull(_ key: String, of record: String, errors: [ModelError]) {
    guard !errors.isEmpty else {
      records[record]?.cells[key] = Cell(value: .null)
      return
    }
    var cell = Cell(value: .null, errors: errors)
    if let old = records[record]?.cells[key], !old.isErrored || old.isStale {
      cell.value = old.value
      cell.isStale = true
    }
    records[record]?.cells[key] = cell
  }

  private mutating func value(
    of answer: ModelResponse.Answer, below key: String, field: ModelSchema.Field,
    at path: [ModelError.Step]
  ) -> Value {
    switch answer {
    case .null: return .null
    case .leaf(let token): return .leaf(token)
    case .list(let elements):
      let values = elements.enumerated().map { index, element in
        value(
          of: element, below: "\(key):\(index)", field: field, at: path + [.index(index)])
      }
      return Self.list(of: values, field: field)
    case .object(let type, let id, let members):
      // Without an id the path is the key, which ends in the type where that is not given (R1).
      let isAbstract = ModelSchema.isAbstract(field.type)
      let record = id ?? (isAbstract ? "\(key):\(type)" : key)
      records[record, default: Record(type: type)].type = type
      write(members, to: record, at: path)
      return .link(record)
    }
  }

  /// A list; one of objects that holds no list keeps links.
  private static func list(of values: [Value], field: ModelSchema.Field) -> Value {
    guard ModelSchema.isComposite(field.type) else { return .list(values) }
    var links: [String?] = []
    for value in values {
      switch value {
      case .link(let key): links.append(key)
      case .null: links.append(nil)
      default: return .list(values)
      }
    }
    return .links(links)
  }

  /// The errors at a path or below it that no deeper field took.
  private mutating func takeErrors(at path: [ModelError.Step]) -> [ModelError] {
    let taken = pending.filter { $0.path.starts(with: path) }
    pending.removeAll { $0.path.starts(with: path) }
    return taken
  }
}
