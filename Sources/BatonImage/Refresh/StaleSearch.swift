import BatonPlan
import Foundation

/// Finds the subjects of an operation and sorts out those that are worth asking for.
struct StaleSearch {
  private let plan: Plan
  private let lookup: ListLookup
  private let variables: Variables
  private let identity: IdentityRules
  private let policy: StalePolicy
  /// Milliseconds since 1970.
  private let now: Int64
  private let ages: FetchAges
  private let binding: PlanBinding
  private let memberships: TypeMemberships
  private var changes = ChangeTimes()

  /// A subject that may be worth asking for.
  private struct Candidate {
    var id: String
    /// Its record; 0 when it has none.
    var number: UInt32
    var commit: UInt64 = 0
    var isPinned = false
  }

  init(
    _ plan: Plan, _ lookup: ListLookup, _ variables: Variables, _ identity: IdentityRules,
    _ policy: StalePolicy, now: Date, memory: Launch,
    in snapshot: borrowing Snapshot
  ) throws(ImageError) {
    self.plan = plan
    self.lookup = lookup
    self.variables = variables
    self.identity = identity
    self.policy = policy
    self.now = Int64((now.timeIntervalSince1970 * 1000).rounded(.down))
    ages = try FetchAges(plan, lookup, variables, in: snapshot, memory: memory)
    binding = PlanBinding(
      plan: plan, identity: identity,
      conditions: PlanBinding.conditions(of: plan, variables: variables))
    binding.begin(variables)
    memberships = try TypeMemberships(snapshot)
  }

  mutating func subjects(
    in snapshot: borrowing Snapshot
  ) throws(ImageError) -> [StaleSubject] {
    var stale: [StaleSubject] = []
    var fresh: [StaleSubject] = []
    for candidate in try candidates(in: snapshot) {
      let time = try time(of: candidate, in: snapshot)
      var subject = StaleSubject(
        id: candidate.id, reason: time == nil ? .neverFetched : .old,
        fetchedAt: time.map { Date(timeIntervalSince1970: Double($0) / 1000) },
        isPinned: candidate.isPinned)
      if let miss = try snapshot.miss(of: Array(candidate.id.utf8)) {
        guard isOver(policy.rest(after: miss.count), since: miss.last) else { continue }
        subject.reason = .missed(Int(miss.count))
        stale.append(subject)
      } else if time.map({ isOver(policy.olderThan, since: $0) }) ?? true {
        stale.append(subject)
      } else {
        fresh.append(subject)
      }
    }
    stale += try incomplete(among: fresh, in: snapshot)
    stale.sort { ($0.rank, $0.fetchedAt ?? .distantPast) < ($1.rank, $1.fetchedAt ?? .distantPast) }
    return Array(stale.prefix(policy.limit))
  }

  private func isOver(_ rest: Duration, since time: Int64) -> Bool {
    Double(now - time) >= rest.seconds * 1000
  }

  /// The time of a subject's last answer, or else of its last change.
  private mutating func time(
    of candidate: Candidate, in snapshot: borrowing Snapshot
  ) throws(ImageError) -> Int64? {
    if let time = ages.records[candidate.number] ?? ages.ids[candidate.id] { return time }
    guard candidate.number != 0 else { return nil }
    return try changes.time(of: candidate.number, commit: candidate.commit, in: snapshot)
  }

  // MARK: Candidates

  private func candidates(in snapshot: borrowing Snapshot) throws(ImageError) -> [Candidate] {
    var found: [UInt32: Candidate] = [:]
    var flagged: [UInt32] = []
    try snapshot.forEach(.records, from: UInt64(RowLayout.firstRecord)) {
      (key, value) throws(ImageError) in
      let number = UInt32(truncatingIfNeeded: key)
      let flags = try RowView(value, number: number).flags
      if !flags.isDisjoint(with: [.pinned, .hasNaturalKeys]) { flagged.append(number) }
      return true
    }
    for number in flagged { try add(number, to: &found, in: snapshot) }
    for number in ages.records.keys { try add(number, to: &found, in: snapshot) }
    var unknown: [Candidate] = []
    var asked = Array(ages.ids.keys)
    try snapshot.forEach(.misses, from: 0) { (_, value) throws(ImageError) in
      try Entries.forEach(value) { payload in
        if let miss = Miss(payload) { asked.append(String(decoding: miss.id, as: UTF8.self)) }
        return true
      }
      return true
    }
    for id in Set(asked) {
      guard let key = lookup.key(of: id, identity) else { continue }
      if let number = try snapshot.number(ofId: key) {
        try add(try snapshot.resolved(number), to: &found, in: snapshot)
      } else if try snapshot.miss(of: Array(id.utf8)) != nil {
        unknown.append(Candidate(id: id, number: 0))
      }
    }
    // Records are numbered in the order they were discovered: the same order in each run.
    let known = found.values.sorted { $0.number < $1.number }
    return known + unknown.sorted { $0.id < $1.id }
  }

  /// Adds a record when the operation answered it before, or selects something of it that is worth
  /// keeping fresh.
  private func add(
    _ number: UInt32, to found: inout [UInt32: Candidate], in snapshot: borrowing Snapshot
  ) throws(ImageError) {
    guard found[number] == nil, let row = try snapshot.row(number) else { return }
    let flags = row.flags
    let isPinned = flags.contains(.pinned)
    guard flags.isDisjoint(with: [.pathKey, .deleted, .moved]),
      isPinned || !flags.contains(.evicted),
      let id = lookup.id(ofKey: row.key.text(), identity)
    else { return }
    let commit = row.commit
    let type = row.type == 0 ? "" : try snapshot.name(row.type)
    guard ages.records[number] != nil || ages.ids[id] != nil || isSelected(type) else { return }
    found[number] = Candidate(id: id, number: number, commit: commit, isPinned: isPinned)
  }

  /// Whether the operation selects more of a type than what tells its records apart.
  private func isSelected(_ type: String) -> Bool {
    guard let group = binding.group(of: lookup, knowledge: memberships) else { return false }
    let shape = binding.shape(of: group, type: Array(type.utf8).span, knowledge: memberships)
    let keys = Set(shape.keyFields ?? [])
    return shape.fields.enumerated().contains { index, field in
      !field.isTypename && !field.isClientField && !field.isUncertain && !keys.contains(index)
    }
  }

  // MARK: Completeness

  /// Those of the subjects that lack fields which the operation selects.
  private func incomplete(
    among subjects: [StaleSubject], in snapshot: borrowing Snapshot
  ) throws(ImageError) -> [StaleSubject] {
    var found: [StaleSubject] = []
    for start in stride(from: 0, to: subjects.count, by: BatchWidth.maximum) {
      let part = subjects[start..<min(start + BatchWidth.maximum, subjects.count)]
      var variables = variables
      variables[lookup.variable] = .list(part.map { .string($0.id) })
      let result = try snapshot.read(plan, variables: variables, identity: identity)
      var positions: Set<Int> = []
      for path in result.missing where path.count >= 2 && path[0] == .key(lookup.responseKey) {
        if case .index(let index) = path[1] { positions.insert(index) }
      }
      for position in positions.sorted() {
        var subject = part[start + position]
        subject.reason = .incomplete
        found.append(subject)
      }
    }
    return found
  }
}

extension StaleSubject {
  /// Pinned subjects come first.
  fileprivate var rank: Int { isPinned ? 0 : 1 }
}
