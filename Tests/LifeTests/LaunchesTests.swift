import BatonImage
import BatonPlan
import Foundation
import LifeSupport
import TestSupport
import Testing

/// S34: an image that is used for two hundred launches under a size limit.
@Suite(.timeLimit(.minutes(60)))
struct LaunchesTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  private static let limit = 2_000_000
  /// Subjects that the first launch discovers by their natural keys, and none asks for again.
  private static let discovered = 6001...6100

  /// What one launch reads and writes by chance.
  private struct Life {
    var generator = SeededGenerator()
    /// The subjects that were refreshed in any launch.
    var known: [Int] = []
    /// Those that the last launch read or refreshed.
    var shown: Set<Int> = []

    mutating func number() -> Int { Int.random(in: 10..<5000, using: &generator) }

    mutating func run(_ image: Image, _ launch: Int) throws {
      shown = []
      for _ in 0..<30 {
        guard let number = known.randomElement(using: &generator) else { break }
        guard let title = try image.title(of: "I_\(number)") else { continue }
        #expect(title == "subject \(number)")
        shown.insert(number)
      }
      let asked = Set((0..<50).map { _ in number() })
      try image.refresh(asked.map { Subject($0) })
      known += asked
      shown.formUnion(asked)
      for search in 0..<20 {
        let found = (0..<3).map { _ in Subject(number()) }
        try image.search("launch \(launch) search \(search)", finding: found)
      }
    }
  }

  /// Whether an image has a record's fields; asking is no use of it.
  private func has(_ number: Int, in snapshot: borrowing Snapshot) throws -> Bool {
    guard let record = try snapshot.number(ofRecord: "I_\(number)"),
      let row = try snapshot.row(record)
    else { return false }
    return row.flags.isDisjoint(with: [.deleted, .evicted]) && row.cellCount > 1
  }

  private func checkShown(_ life: Life, in image: Image, _ launch: Int) throws {
    let snapshot = try image.snapshot()
    for number in life.shown {
      let isThere = try has(number, in: snapshot)
      #expect(isThere, "subject \(number) before launch \(launch)")
    }
    let isPinnedThere = try has(2, in: snapshot)
    #expect(isPinnedThere)
  }

  private func checkDiscovered(in image: Image) throws {
    let snapshot = try image.snapshot()
    for number in Self.discovered {
      let key = #"repository(owner:"octo",name:"widgets")/issue(number:\#(number))"#
      let id = try snapshot.id(of: key)
      #expect(id == "I_\(number)")
    }
    // The names are kept, not the fields.
    let kept = try Self.discovered.filter { try has($0, in: snapshot) }
    #expect(kept.isEmpty)
  }

  @Test func `200 launches keep what the last one read, what is pinned, and all ids discovered`()
    throws
  {
    var life = Life()
    var largest = 0
    for launch in 1...200 {
      let image = try Image.open(path: path, options: .init(sizeLimit: Self.limit))
      if launch == 1 {
        for number in Self.discovered { try image.discover(Subject(number), in: "widgets") }
        try image.refresh([Subject(2)])
        try image.pin("I_2")
      }
      try checkShown(life, in: image, launch)
      try life.run(image, launch)
      try image.close()
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      largest = max(largest, size)
    }
    print("the file's largest size under a limit of \(Self.limit): \(largest)")
    // The limit and one commit, which changes some hundred pages at most.
    #expect(largest <= Self.limit + 400_000)
    #expect(Set(life.known).count > 2000)
    let image = try Image.open(path: path, options: .init(sizeLimit: Self.limit))
    try checkShown(life, in: image, 201)
    try checkDiscovered(in: image)
    try image.close()
    let report = try Verifier.verify(at: path)
    #expect(report.isSound, "\(report.faults)")
  }
}
