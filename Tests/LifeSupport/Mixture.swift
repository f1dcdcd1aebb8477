public import BatonImage
import BatonPlan
import TestSupport

/// Commits of all kinds, by chance.
public struct Mixture {
  private var generator: SeededGenerator
  private let seed: UInt64
  private var turn = 0

  public init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    self.seed = seed
  }

  /// Makes one commit that changes something; its number.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  public mutating func commit(to image: Image) throws -> UInt64 {
    while true {
      turn += 1
      if let commit = try attempt(image) { return commit }
    }
  }

  private mutating func number() -> Int { Int.random(in: 1...30, using: &generator) }

  /// A subject with a title that no other turn gives.
  private mutating func subject() -> Subject {
    let login = generator.oneIn(3) ? nil : "user-\(Int.random(in: 0..<5, using: &generator))"
    return Subject(number(), title: "\(seed) \(turn)", login: login)
  }

  /// Makes one commit; nil when there was nothing to change.
  private mutating func attempt(_ image: Image) throws -> UInt64? {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<8:
      let count = Int.random(in: 1...8, using: &generator)
      return number(try image.refresh((0..<count).map { _ in subject() }))
    case 8..<10: return try image.forget(id: "I_\(number())")
    case 10..<12:
      let query = "query \(Int.random(in: 0..<6, using: &generator))"
      return number(try image.search(query, finding: [subject(), subject()]))
    case 12..<14: return number(try image.discover(subject(), in: "widgets"))
    case 14: return number(try alias(image))
    case 15: return number(try fail(image))
    case 16 where generator.oneIn(8): return number(try image.removeAll())
    default: return number(try edit(image))
    }
  }

  private func number(_ outcome: CommitOutcome) -> UInt64? {
    outcome.pagesWritten > 0 ? outcome.commit : nil
  }

  /// Answers one id with another.
  private mutating func alias(_ image: Image) throws -> CommitOutcome {
    let new = "N_\(turn % 7)"
    return try image.commit(
      ["nodes": [["__typename": "Issue", "id": new, "title": "\(seed) \(turn)"]]],
      of: Documents.refresh, ["ids": .list([.string("I_\(number())")])])
  }

  /// Edits by hand: fields set, cleared and failed, and more of them than a row has.
  private mutating func edit(_ image: Image) throws -> CommitOutcome {
    let (number, other, kind) = (number(), number(), Int.random(in: 0..<5, using: &generator))
    let text = "\(seed) \(turn)"
    return try image.write(named: "edit") { editor in
      let record = try editor.record("I_\(number)", type: "Issue")
      switch kind {
      case 0: try editor.clear("title", of: record)
      case 1: try editor.set("tags", to: [.string(text), nil], on: record)
      case 2:
        for field in 0..<80 { try editor.set("wide\(field)", to: .string(text), on: record) }
      case 3:
        for field in 40..<80 { try editor.clear("wide\(field)", of: record) }
      default:
        let linked = try editor.record("I_\(other)", type: "Issue")
        try editor.set("related", to: .links([linked, nil, record]), on: record)
      }
    }
  }

  /// A field that fails under an error.
  private mutating func fail(_ image: Image) throws -> CommitOutcome {
    let (number, text) = (number(), "\(seed) \(turn)")
    return try image.write { editor in
      let error = FieldError(message: text, pathText: #"["nodes",0,"state"]"#, code: "FORBIDDEN")
      try editor.fail("state", with: [error], on: editor.record("I_\(number)", type: "Issue"))
    }
  }
}
