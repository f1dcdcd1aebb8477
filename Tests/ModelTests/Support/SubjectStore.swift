import BatonImage

/// Issues and repositories by id, with all that leads to them, in dictionaries: what R4, R5 and R9
/// ask of an image.
struct SubjectStore {
  /// A field's value.
  enum Value: Equatable {
    /// A scalar as its JSON token.
    case leaf(String)
    /// A record by the id it had when the link was made: a record that became another one later has
    /// its links still.
    case link(String)
  }

  struct Subject: Equatable {
    var type: String
    var fields: [String: Value] = [:]
    var isDeleted = false
  }

  /// `repository(name:)`, and the issue of a number under it.
  struct NaturalKey: Hashable {
    var name: String
    var number: Int?

    var text: String {
      "repository(name:\"\(name)\")" + (number.map { "/issue(number:\($0))" } ?? "")
    }
  }

  struct Target: Equatable {
    var id: String
    /// False when the record moved away from the key.
    var isLive: Bool
  }

  /// An answered object.
  struct Object {
    var id: String
    var type: String
    var fields: [(key: String, value: Value)]
    /// The id that was asked at its place; nil when none was.
    var asked: String?
    /// The key it was answered for; nil when there is none.
    var naturalKey: NaturalKey?
  }

  /// What came back for an asked id, and the error that says why it is null.
  struct Asked {
    var id: String
    var isAnswered: Bool
    var error: ModelError?
  }

  /// A response, as what it says.
  struct Answer {
    var objects: [Object] = []
    var root: [String: Value] = [:]
    var asked: [Asked] = []
  }

  struct Miss: Equatable {
    var count: Int
    var error: ModelError?
  }

  var subjects: [String: Subject] = [:]
  /// Other ids, each with the id of its record.
  private(set) var aliases: [String: String] = [:]
  private(set) var keys: [NaturalKey: Target] = [:]
  private(set) var misses: [String: Miss] = [:]
  private(set) var root: [String: Value] = [:]
  /// What happened to each subject in the last step.
  private(set) var changes: [String: RecordChange] = [:]

  /// The id of the record that an id leads to; nil when there is none.
  func resolve(_ id: String) -> String? { subjects[id] == nil ? aliases[id] : id }

  // MARK: Steps

  mutating func commit(_ answer: Answer) {
    var old = subjects
    changes = [:]
    var renamed: Set<String> = []
    for (index, object) in answer.objects.enumerated() {
      // Only the old id is known: its record has the new one from now on.
      if let asked = asked(of: object, in: answer), subjects[asked] != nil,
        resolve(object.id) == nil,
        !answer.objects[..<index].contains(where: { [asked, object.id].contains($0.id) })
      {
        renamed.insert(object.id)
        lead(asked, to: object.id)
        Self.rename(asked, to: object.id, in: &subjects)
        Self.rename(asked, to: object.id, in: &old)
        root = root.mapValues { $0 == .link(asked) ? .link(object.id) : $0 }
      }
      let id = resolve(object.id) ?? object.id
      subjects[id, default: Subject(type: object.type)].isDeleted = false
      for (key, value) in object.fields {
        let value = settled(value)
        subjects[id]?.fields[key] = value
      }
    }
    supersede { old[$0]?.fields ?? [:] }
    root.merge(answer.root.mapValues(settled)) { $1 }
    var moved: [String: Subject] = [:]
    for object in answer.objects {
      guard let asked = asked(of: object, in: answer) else { continue }
      if renamed.contains(object.id) { endMisses(of: asked) }
      moved.merge(unite(asked, into: object.id)) { $1 }
    }
    keep(
      answer.objects.compactMap { object in
        guard let key = object.naturalKey, let id = resolve(object.id) else { return nil }
        return (key, id)
      })
    count(answer.asked)
    note(since: old, renamed: renamed, moved: moved)
  }

  mutating func delete(_ id: String) {
    changes = [:]
    guard let id = resolve(id), let subject = subjects[id], !subject.isDeleted else { return }
    changes[id] = RecordChange(what: .deleted, fields: Set(subject.fields.keys))
    subjects[id] = Subject(type: subject.type, isDeleted: true)
  }

  /// Begins a write that no response brings.
  mutating func begin() { changes = [:] }

  /// Ends a write, in which one id may have become another's.
  mutating func finish(
    since old: [String: Subject], uniting alias: String? = nil, into id: String = ""
  ) {
    supersede { old[$0]?.fields ?? [:] }
    let moved = alias.map { unite($0, into: id) }
    note(since: old, renamed: [], moved: moved ?? [:])
  }

  mutating func set(_ key: NaturalKey, _ id: String) { keep([(key, id)]) }

  // MARK: Ids

  /// The id that was asked where another was answered that nobody asked for.
  private func asked(of object: Object, in answer: Answer) -> String? {
    guard let asked = object.asked, asked != object.id,
      !answer.asked.contains(where: { $0.id == object.id })
    else { return nil }
    return asked
  }

  /// Gives a record its new id, wherever it is named.
  private static func rename(
    _ old: String, to new: String, in subjects: inout [String: Subject]
  ) {
    subjects[new] = subjects.removeValue(forKey: old)
    for (id, subject) in subjects {
      subjects[id]?.fields = subject.fields.mapValues { $0 == .link(old) ? .link(new) : $0 }
    }
  }

  /// A value as it is kept: a new link leads to the record that its id means now.
  private func settled(_ value: Value) -> Value {
    guard case .link(let id) = value else { return value }
    return .link(resolve(id) ?? id)
  }

  /// Makes two ids name one record; the record that became another, if one did, under its id.
  private mutating func unite(_ old: String, into new: String) -> [String: Subject] {
    guard let target = resolve(new) else { return [:] }
    guard let source = resolve(old) else {
      aliases[old] = target
      endMisses(of: old)
      return [:]
    }
    guard source != target, let gone = subjects.removeValue(forKey: source) else { return [:] }
    subjects[target]?.fields.merge(gone.fields) { kept, _ in kept }
    lead(source, to: target)
    endMisses(of: old)
    return [source: gone]
  }

  /// Leads all that led to one id to another.
  private mutating func lead(_ old: String, to new: String) {
    for (alias, id) in aliases where id == old { aliases[alias] = new }
    aliases[old] = new
    aliases[new] = nil
    for (key, target) in keys where target.id == old { keys[key]?.id = new }
  }

  // MARK: Natural keys

  /// Marks the keys that records moved away from, and keeps those that took their place: those of
  /// repositories, then those of the issues under them.
  private mutating func supersede(old fields: (String) -> [String: Value]) {
    var issues: [(key: NaturalKey, parent: String?, link: Value?, id: String)] = []
    var repositories: [(key: NaturalKey, id: String)] = []
    for (key, target) in keys where target.isLive {
      guard let subject = subjects[target.id] else { continue }
      let old = fields(target.id)
      if let number = key.number {
        var moved = key
        if case .leaf(String(number))? = old["number"],
          case .leaf(let now)? = subject.fields["number"]
        {
          moved.number = Int(now)
        }
        let parent = newParent(of: key, old["repository"], subject.fields["repository"])
        guard moved != key || parent != nil else { continue }
        let link = subject.fields["repository"]
        issues.append((moved, parent, link == old["repository"] ? nil : link, target.id))
      } else {
        guard case .leaf("\"\(key.name)\"")? = old["name"],
          case .leaf(let now)? = subject.fields["name"], now != "\"\(key.name)\""
        else { continue }
        repositories.append((NaturalKey(name: String(now.dropFirst().dropLast())), target.id))
      }
      keys[key]?.isLive = false
    }
    for found in repositories { keep([found]) }
    for (key, parent, link, id) in issues {
      let parent = parent ?? newHome(of: key, link)
      let live = keys.filter { $1.isLive && $1.id == parent && $0.number == nil }
      let names = parent == nil ? [key.name] : live.map(\.key.name)
      keep(names.map { (NaturalKey(name: $0, number: key.number), id) })
    }
  }

  /// Leads keys to records. Where a name led to another record before, the keys below it that are not
  /// answered now are none any more.
  private mutating func keep(_ found: [(key: NaturalKey, id: String)]) {
    var reused: Set<String> = []
    for (key, id) in found {
      if let before = keys[key], before.id != id, key.number == nil { reused.insert(key.name) }
      keys[key] = Target(id: id, isLive: true)
    }
    let answered = Set(found.map(\.key))
    for key in keys.keys where key.number != nil && reused.contains(key.name) {
      if !answered.contains(key) { keys[key]?.isLive = false }
    }
  }

  /// The repository that a renumbered issue came to link to, when no link says that it left the
  /// key's; nil when it is the key's own, or there is no such link.
  private func newHome(of key: NaturalKey, _ link: Value?) -> String? {
    guard let parent = keys[NaturalKey(name: key.name)]?.id, case .link(let id)? = link else {
      return nil
    }
    let home = resolve(id) ?? id
    return home == parent ? nil : home
  }

  /// The repository that an issue is of now, when it was of the key's.
  private func newParent(of key: NaturalKey, _ old: Value?, _ new: Value?) -> String? {
    guard let parent = keys[NaturalKey(name: key.name)]?.id, case .link(let before)? = old,
      case .link(let after)? = new, resolve(before) == resolve(parent),
      let now = resolve(after), now != resolve(parent)
    else { return nil }
    return now
  }

  // MARK: Misses

  private mutating func count(_ asked: [Asked]) {
    var counted: Set<String> = []
    for ask in asked {
      if ask.isAnswered {
        endMisses(of: ask.id)
      } else if counted.insert(ask.id).inserted {
        misses[ask.id] = Miss(count: (misses[ask.id]?.count ?? 0) + 1, error: ask.error)
      }
    }
  }

  /// Ends the misses of an id, and of the id that its record has now.
  private mutating func endMisses(of id: String) {
    misses[id] = nil
    if let now = resolve(id) { misses[now] = nil }
  }

  // MARK: Changes

  private mutating func note(
    since old: [String: Subject], renamed: Set<String>, moved: [String: Subject]
  ) {
    for (id, gone) in moved {
      changes[id] = RecordChange(what: .moved, fields: Self.difference(old[id], gone))
    }
    for (id, subject) in subjects {
      let before = old[id]
      let fields = Self.difference(before, subject)
      let isNamed = renamed.contains(id) || moved.keys.contains { aliases[$0] == id }
      guard let before else {
        changes[id] = RecordChange(what: .created, fields: fields)
        continue
      }
      if !fields.isEmpty || before.isDeleted != subject.isDeleted || isNamed {
        changes[id] = RecordChange(what: .changed, fields: fields)
      }
    }
  }

  /// The fields that two states of a subject differ in.
  private static func difference(_ before: Subject?, _ after: Subject) -> Set<String> {
    let before = before?.fields ?? [:]
    return Set(before.keys).union(after.fields.keys).filter { before[$0] != after.fields[$0] }
  }
}
