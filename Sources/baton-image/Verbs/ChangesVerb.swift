import BatonImage
import BatonPlan
import Foundation

/// `changes`: the journal, a line a commit.
enum ChangesVerb: Verb {
  static let name = "changes"
  static let operands = "IMAGE [--since N] [--follow] [--json]"
  static let summary = "list what each commit changed"
  static let options = [since, follow, .json]
  static let operandCount = 1...1

  private static let since = Option(
    name: "--since", value: "N", help: "only commits after number N; else all that are kept")
  private static let follow = Option(
    name: "--follow", value: nil, help: "go on with new commits; with --json, a document a line")

  /// Seconds from one look for new commits to the next.
  private static let pause = 0.2

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    var start: UInt64?
    if let text = arguments[since] {
      guard let number = UInt64(text) else {
        throw Failure(.usage, "--since: '\(text)' is no commit number")
      }
      start = number
    }
    var reader = ChangesReader(path: arguments.operands[0], since: start)
    guard arguments.has(follow) else {
      try list(&reader, isJSON: arguments.has(.json))
      return .done
    }
    while true {
      for commit in try reader.next() {
        Output.print(
          arguments.has(.json)
            ? CanonicalJSON.text(of: ChangesReport.json(commit)) : ChangesReport.text(commit))
      }
      if reader.isAtEnd { Thread.sleep(forTimeInterval: pause) }
    }
  }

  private static func list(_ reader: inout ChangesReader, isJSON: Bool) throws(Failure) {
    var commits: [Value] = []
    repeat {
      for commit in try reader.next() {
        if isJSON {
          commits.append(ChangesReport.json(commit))
        } else {
          Output.print(ChangesReport.text(commit))
        }
      }
    } while !reader.isAtEnd
    guard isJSON else { return }
    Output.print(
      CanonicalJSON.text(
        of: .object([
          .init("commit", .number(reader.last)), .init("changes", .list(commits)),
        ])))
  }
}

/// Reads an image's journal piece by piece, from a fresh look at the file each time.
struct ChangesReader {
  /// A commit with the names of what it changed.
  struct Commit {
    struct Change {
      var key: String
      var what: JournalDraft.What
      var fields: [String]
    }

    var entry: JournalEntry
    var changes: [Change]
  }

  private let path: String
  /// The commit read last; nil before the first look when the journal's start is meant.
  private var position: UInt64?
  private var imageId: [UInt8]?
  /// The image's last commit at the last look.
  private(set) var last: UInt64 = 0

  /// How many commits are read at once.
  private static let batch = 256

  init(path: String, since position: UInt64?) {
    self.path = path
    self.position = position
  }

  /// Whether every commit was read at the last look.
  var isAtEnd: Bool { position == last }

  /// The next commits, in order; none when there is nothing new.
  mutating func next() throws(Failure) -> [Commit] {
    let since = position
    let image = try library(path) { () throws(ImageError) in try UntrustedImage(path: path) }
    guard imageId == nil || imageId == image.header.imageId else {
      throw Failure(.failed, "\(path) was replaced by another image")
    }
    imageId = image.header.imageId
    let (part, commits) = try library(path) { () throws(ImageError) in
      try image.reading { (snapshot) throws(ImageError) in
        let oldest = try snapshot.counters().oldestJournal
        let start = if let since { since } else { max(1, oldest) - 1 }
        let part = try snapshot.journal(since: start, limit: Self.batch)
        var commits: [Commit] = []
        for entry in part.entries { commits.append(try Self.named(entry, in: snapshot)) }
        return (part, commits)
      }
    }
    last = part.counters.commit
    if let since, since > last {
      throw Failure(.failed, "there is no commit \(since) yet; the last is \(last)")
    }
    if part.isCut {
      throw Failure(
        .failed,
        "the changes since commit \(since ?? 0) are no longer kept; the journal begins with "
          + "commit \(part.counters.oldestJournal)")
    }
    position = commits.last?.entry.commit ?? last
    return commits
  }

  private static func named(
    _ entry: JournalEntry, in snapshot: borrowing PageSnapshot
  ) throws(ImageError) -> Commit {
    var changes: [Commit.Change] = []
    for change in entry.changes {
      var fields: [String] = []
      for field in change.fields { fields.append(try snapshot.name(field)) }
      let isKept = try snapshot.row(change.record) != nil
      changes.append(
        Commit.Change(
          key: isKept ? try snapshot.keyText(of: change.record) : "record \(change.record)",
          what: change.what, fields: fields.sorted()))
    }
    return Commit(entry: entry, changes: changes)
  }
}
