import BatonImage
import BatonPlan
import Dispatch
import Foundation
import LifeSupport
import Synchronization
import TestSupport
import Testing

/// S32: clearing an image that others read and write.
@Suite(.timeLimit(.minutes(60)))
struct ClearingTests {
  private let opened: OpenedImage
  private var image: Image { opened.image }
  private var path: String { opened.path }

  init() throws { opened = try OpenedImage() }

  /// Runs each body over and over, on a thread of its own, until the last ends by itself.
  private func run(
    _ bodies: [@Sendable () throws -> Void], untilEndOf last: @escaping @Sendable () throws -> Void
  ) -> [String] {
    let problems = Gathered<String>()
    let isOver = Atomic<Bool>(false)
    @Sendable func check(_ body: () throws -> Void) {
      do { try body() } catch { problems.add("\(error)") }
    }
    DispatchQueue.concurrentPerform(iterations: bodies.count + 1) { index in
      guard index > 0 else {
        check(last)
        return isOver.store(true, ordering: .releasing)
      }
      while !isOver.load(ordering: .acquiring) { check(bodies[index - 1]) }
    }
    return problems.all
  }

  private struct Torn: Error {
    var titles: Set<String?>
  }

  @Test func `who reads while others commit and clear sees all of a commit or nothing`() throws {
    let image = image
    let read: @Sendable () throws -> Void = {
      let snapshot = try image.snapshot()
      var titles: Set<String?> = []
      for number in 1...10 {
        guard let record = try snapshot.liveRecord("I_\(number)") else {
          titles.insert(nil)
          continue
        }
        let result = try snapshot.read(
          fragment: Documents.title, of: record, variables: [:], identity: .global)
        titles.insert(result.text)
      }
      guard titles.count == 1 else { throw Torn(titles: titles) }
    }
    let turns = Atomic<Int>(0)
    let write: @Sendable () throws -> Void = {
      let turn = turns.wrappingAdd(1, ordering: .relaxed).newValue
      try image.refresh((1...10).map { Subject($0, title: "turn \(turn)") })
    }
    let problems = run(Array(repeating: read, count: 8) + [write, write]) {
      for _ in 0..<150 { try image.removeAll() }
    }
    #expect(problems == [])
    try image.removeAll()
    #expect(try image.exported() == "{}\n" || !image.exported().contains("I_"))
    for number in 1...10 { #expect(try image.title(of: "I_\(number)") == nil) }
    try image.close()
    #expect(try Verifier.verify(at: path).isSound)
  }

  @Test func `after clearing nothing is known, pinned or not, and writing goes on`() throws {
    try image.refresh([Subject(1), Subject(2)])
    try image.pin("I_1")
    try image.discover(Subject(3), in: "widgets")
    let state = try image.snapshot()
    let cleared = try image.removeAll().commit
    let key = #"repository(name:"widgets",owner:"octo")/issue(number:3)"#
    #expect(try image.snapshot().id(of: key) == nil)
    #expect(try image.title(of: "I_1") == nil)
    #expect(try image.age(of: Documents.search, variables: ["query": .string("x")]) == nil)
    #expect(try image.snapshot().changes(since: cleared - 1).map(\.extent) == [.cleared])
    // A state that was taken before is whole.
    let known = try state.liveRecord("I_1")
    #expect(known != nil)
    try image.refresh([Subject(1, title: "again")])
    #expect(try image.title(of: "I_1") == "again")
  }

  @Test func `clearing tells observers once that their records are missing, and no more`()
    async throws
  {
    try image.refresh([Subject(1), Subject(2)])
    let log = Log(image.observe(Documents.title, id: "I_1"))
    try await log.wait(for: 1)
    _ = try onThread { try image.removeAll() }
    try await log.wait(for: 2)
    #expect(log.entries[1].content == .missing)
    try image.refresh([Subject(2)])
    try image.refresh([Subject(2, title: "other")])
    _ = try onThread { try image.removeAll() }
    try await Task.sleep(for: .milliseconds(150))
    #expect(log.entries.count == 2)
    try image.refresh([Subject(1, title: "back")])
    try await log.waitForTitle("back")
    #expect(log.entries.count == 3)
  }
}
