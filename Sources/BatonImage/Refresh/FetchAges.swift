import BatonPlan

/// When an operation last answered an id.
///
/// A row keeps the commit that last changed it, and an equal answer writes nothing, so the time of
/// an answer needs a place of its own: the table `fetches` has those of records, the table
/// `operations` an entry of the operation for each other id (Docs/Format.md section 10). It costs no
/// commit: times stay in memory until one that writes takes them along, or the image is closed.
extension Image {
  /// Notes that ids were asked for at a time, by the records they lead to.
  func noteFetched(
    _ plan: Plan, _ lookup: ListLookup, _ variables: Variables, _ answer: ListAnswer,
    at time: Int64
  ) throws(ImageError) {
    guard !answer.ids.isEmpty else { return }
    let count = life.launch.note(plan, lookup, variables, answer, at: time)
    if count > Self.maximumFetches { try flush() }
  }

  /// How many times are gathered in memory before they are written without a commit. A program that
  /// brings so many within seconds asks for the same ids again, mostly, and each is written once.
  private static let maximumFetches = 1 << 15
}

/// The times at which an operation last answered records and ids, from memory and the disk.
struct FetchAges {
  /// Milliseconds since 1970, by the number of the record; none of a record without a row.
  private(set) var records: [UInt32: Int64] = [:]
  /// The same of ids that led to no record, by the id that was asked.
  private(set) var ids: [String: Int64] = [:]
  private let prefix: [UInt8]
  private let variable: String
  /// The other variables in canonical form: the same ids asked with others are other answers.
  private let others: [UInt8]

  init(
    _ plan: Plan, _ lookup: ListLookup, _ variables: Variables, in snapshot: borrowing Snapshot,
    memory launch: Launch
  ) throws(ImageError) {
    prefix = Array(plan.name.utf8) + [0]
    variable = lookup.variable
    others = Self.text(variables, without: lookup.variable)
    var found: [Fetch] = []
    let start = prefix
    try snapshot.forEach(.operations, from: 0) { (_, value) throws(ImageError) in
      try Entries.forEach(value) { payload in
        if let fetch = Fetch(payload), fetch.text.bytes.starts(with: start) { found.append(fetch) }
        return true
      }
      return true
    }
    for fetch in found { add(fetch.text, fetch.time) }
    for (text, time) in launch.fetches where text.bytes.starts(with: start) { add(text, time) }
    let operation = OperationText(plan, lookup, variables)
    for (record, time) in launch.fetches(of: operation) { try add(record, time, in: snapshot) }
    for (record, time) in try snapshot.fetchTimes(of: operation) {
      try add(record, time, in: snapshot)
    }
  }

  /// Adds the time of a record; it counts for the record that it is now.
  private mutating func add(
    _ record: UInt32, _ time: Int64, in snapshot: borrowing Snapshot
  ) throws(ImageError) {
    guard let row = try snapshot.row(record) else { return }
    let number = try row.target() ?? record
    records[number] = max(records[number] ?? time, time)
  }

  private mutating func add(_ text: OperationText, _ time: Int64) {
    let json = Array(text.bytes[prefix.count...])
    guard case .object(let members)? = try? Value(json: json.span) else { return }
    let variables = Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    guard case .list(let ids)? = variables[variable],
      Self.text(variables, without: variable) == others
    else { return }
    for case .string(let id) in ids { self.ids[id] = max(self.ids[id] ?? time, time) }
  }

  private static func text(_ variables: Variables, without name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    let members = variables.filter { $0.key != name }.map { Value.Member($0.key, $0.value) }
    CanonicalJSON.append(.object(members), to: &bytes)
    return bytes
  }
}

extension RecordSource where Self: ~Copyable {
  /// When a list lookup last answered each record that it has a time of on the disk.
  borrowing func fetchTimes(
    of operation: OperationText
  ) throws(ImageError) -> [(record: UInt32, time: Int64)] {
    var times: [(record: UInt32, time: Int64)] = []
    guard let name = try number(of: operation) else { return times }
    try forEach(.fetches, from: UInt64(name) << 32) { key, value in
      guard FetchBlock.operation(ofKey: key) == name, let first = FetchBlock.firstRecord(ofKey: key)
      else { return false }
      for group in FetchBlock(value).groups {
        for record in FetchBlock.numbers(group.records, from: first) {
          times.append((record, group.time))
        }
      }
      return true
    }
    return times
  }
}
