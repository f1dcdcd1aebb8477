import BatonImage
import BatonPlan
import Foundation
import LifeSupport
import TestSupport
import Testing

/// Events may be logged anywhere: none holds anything that came from data.
@Suite(.timeLimit(.minutes(60)))
struct EventTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  /// In all that is planted: ids, arguments, strings, errors, the account.
  private static let marker = "PLANTED"

  /// The name of an event's case; another case than these doesn't compile.
  private static func name(of event: ImageEvent) -> String {
    switch event {
    case .opened: "opened"
    case .discarded: "discarded"
    case .evicted: "evicted"
    case .checkpointed: "checkpointed"
    case .slowReader: "slowReader"
    case .wiped: "wiped"
    }
  }

  private func options(_ events: Events, sizeLimit: Int? = nil) -> Image.Options {
    var options = Image.Options(
      account: Self.marker, sizeLimit: sizeLimit, snapshotLimit: .zero,
      events: { events.add($0) })
    options.checkpointInterval = .milliseconds(20)
    options.onIncompatible = .discard
    return options
  }

  /// Commits subjects, keys, aliases, errors and arguments, all with the marker in them.
  private func plant(in image: Image) throws {
    let marker = Self.marker
    try image.commit(
      [
        "nodes": (0..<50).map {
          ["__typename": "Issue", "id": "\(marker)-\($0)", "title": "\(marker) title \($0)"]
        }
      ], of: Documents.refresh, ["ids": .list((0..<50).map { .string("\(marker)-\($0)") })])
    try image.discover(Subject(1, title: marker), in: marker)
    try image.search(marker, finding: [Subject(2, title: marker, login: marker)])
    try image.commit(
      ["nodes": [["__typename": "Issue", "id": "\(marker)-new", "title": marker]]],
      of: Documents.refresh, ["ids": .list([.string("\(marker)-0")])])
    let response = """
      {"data":{"nodes":[null]},"errors":[{"message":"\(marker)","type":"NOT_FOUND","path":["nodes",0]}]}
      """
    _ = try image.commit(
      parts: [Array(response.utf8)], of: Documents.refresh,
      variables: ["ids": .list([.string("\(marker)-gone")])])
    try image.write(named: marker) { editor in
      let record = try editor.record("\(marker)-edited", type: "Issue")
      try editor.set(#"title(of:"\#(marker)")"#, to: .string(marker), on: record)
      try editor.pin(record)
    }
  }

  private func read(_ image: Image) throws {
    let snapshot = try image.snapshot(owner: "the screen")
    _ = try snapshot.id(of: #"repository(name:"\#(Self.marker)",owner:"octo")/issue(number:1)"#)
    Thread.sleep(forTimeInterval: 0.002)
  }

  @Test func `no event of a run holds anything that came from data`() throws {
    let events = Events()
    let image = try Image.open(path: path, options: options(events))
    try plant(in: image)
    try read(image)
    for _ in 0..<6000 where !events.all.map(Self.name).contains("checkpointed") {
      Thread.sleep(forTimeInterval: 0.01)
    }
    try image.close()
    // Over the limit, then one commit that doesn't fit at all.
    let limited = try Image.open(path: path, options: options(events, sizeLimit: 200_000))
    for turn in 0..<8 {
      try limited.refresh((0..<50).map { Subject(100 + turn * 50 + $0, title: Self.marker) })
    }
    try limited.refresh((2000..<5000).map { Subject($0, title: Self.marker) })
    try limited.close()
    // Damaged, and of other rules.
    try damage()
    var untrusting = options(events)
    untrusting.trust = .untrusted
    let fresh = try Image.open(path: path, options: untrusting)
    try plant(in: fresh)
    try fresh.close()
    var other = options(events)
    other.identity = IdentityRules(transientTypes: [Self.marker])
    let changed = try Image.open(path: path, options: other)
    try changed.close()

    let names = Set(events.all.map(Self.name))
    #expect(
      names == ["opened", "discarded", "evicted", "checkpointed", "slowReader", "wiped"])
    #expect(events.all.contains(.discarded(.damaged)))
    for event in events.all {
      var text = "\(event)" + String(reflecting: event)
      dump(event, to: &text)
      #expect(!text.contains(Self.marker), "\(text)")
      #expect(!text.contains(folder.path), "\(text)")
    }
    #expect(
      events.all.contains { event in
        if case .slowReader(let owner, _) = event { owner == "the screen" } else { false }
      })
  }

  /// Changes a byte in each page behind the meta pages.
  private func damage() throws {
    let file = try FileHandle(forUpdating: URL(filePath: path))
    let size = try file.seekToEnd()
    for offset in stride(from: UInt64(3 * 4096 + 100), to: size, by: 4096) {
      try file.seek(toOffset: offset)
      let byte = try file.read(upToCount: 1)?.first ?? 0
      try file.seek(toOffset: offset)
      try file.write(contentsOf: Data([byte ^ 0x55]))
    }
    try file.close()
  }
}
