/// Issues over launches, in dictionaries: what is not used for a whole launch goes at the next, but
/// for names and what is pinned (R8).
struct LaunchStore {
  struct Issue: Equatable {
    /// Nil when the issue was deleted.
    var title: String?
    var isPinned = false
    /// The fields were given up, and the names are left.
    var isEvicted = false
    /// The launch that used the issue last; nil when its fields were given up.
    var used: Int?
  }

  private(set) var issues: [String: Issue] = [:]
  /// The fields of the root, `issueBy(number:)` and `node(id:)`, by their storage keys.
  private(set) var links: [String: String] = [:]
  /// The natural keys, which are those with a number.
  private(set) var keys: [String: String] = [:]
  /// Launches count from their first write.
  private var launch = 0
  private var isCounted = false
  private var isSwept = false
  /// What this launch used, as far as that is not written to the issues yet.
  private var uses: Set<String> = []

  // MARK: Steps

  /// Takes answered issues in; whether anything changed.
  mutating func commit(
    _ answers: [(id: String, title: String)], link: String? = nil, isNaturalKey: Bool = false
  ) -> Bool {
    let before = self
    for answer in answers {
      issues[answer.id, default: Issue()].title = answer.title
      issues[answer.id]?.isEvicted = false
    }
    if let link, let id = answers.first?.id {
      links[link] = id
      if isNaturalKey { keys[link] = id }
    }
    let isChanged = issues != before.issues || links != before.links || keys != before.keys
    uses.formUnion(answers.map(\.id))
    if isChanged { finish() }
    return isChanged
  }

  /// A write of which the issue is not used; whether it changed anything.
  mutating func change(_ id: String, _ body: (inout Issue) -> Void) -> Bool {
    guard let before = issues[id] else { return false }
    body(&issues[id, default: Issue()])
    guard issues[id] != before else { return false }
    finish()
    return true
  }

  mutating func beginLaunch() {
    if !uses.isEmpty { count() }
    write()
    isCounted = false
    isSwept = false
  }

  // MARK: Launches

  private mutating func count() {
    if !isCounted { launch += 1 }
    isCounted = true
  }

  private mutating func write() {
    for id in uses where issues[id] != nil { issues[id]?.used = launch }
    uses = []
  }

  /// Ends a write: the first one of a launch gives up what the launch before did not use.
  private mutating func finish() {
    count()
    guard !isSwept, launch > 2 else { return }
    isSwept = true
    var hasGone = false
    for (id, issue) in issues where !issue.isPinned && !uses.contains(id) {
      guard let used = issue.used, used <= launch - 2 else { continue }
      if !keys.values.contains(id) {
        issues[id] = nil
        hasGone = true
      } else {
        issues[id]?.used = nil
        if issue.title != nil {
          issues[id]?.title = ""
          issues[id]?.isEvicted = true
          hasGone = true
        }
      }
    }
    if hasGone { links = links.filter { issues[$0.value] != nil } }
  }

  // MARK: Text

  /// The store as `export` writes an image.
  var dump: String {
    let fields = links.map { key, id in
      ", \"\(key.replacing("\"", with: "\\\""))\": {\"__ref\": \"\(id)\"}"
    }.sorted().joined()
    var lines = [
      "client:root": "{\"__typename\": \"Query\"\(fields)}",
      "client:root:mutation": "{\"__typename\": \"Mutation\"}",
      "client:root:subscription": "{\"__typename\": \"Subscription\"}",
    ]
    for (id, issue) in issues where !issue.isEvicted {
      lines[id] =
        issue.title.map {
          "{\"__typename\": \"Issue\", \"id\": \"\(id)\", \"title\": \"\($0)\"}"
        } ?? "null"
    }
    let sorted = lines.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return "{" + sorted.map { "\n  \"\($0.key)\": \($0.value)" }.joined(separator: ",") + "\n}\n"
  }

  /// The natural keys with the ids they lead to, a line each.
  var names: [String] { keys.map { "\($0) \($1)" }.sorted() }
}
