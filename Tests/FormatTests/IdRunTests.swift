import BatonImage
import TestSupport
import Testing

/// The runs of the table `ids` against a set of entries.
struct IdRunTests {
  /// The table as a writer keeps it, in memory.
  private struct Runs {
    var runs: [UInt64: [UInt8]] = [:]

    func key(of entry: UInt64) -> UInt64? { runs.keys.filter { $0 >= entry >> 32 }.min() }

    mutating func add(_ entries: Set<UInt64>) {
      var rest = entries.sorted()[...]
      while let first = rest.first {
        let key = key(of: first)
        let last = key ?? IdRun.lastKey
        let part = rest.prefix { $0 >> 32 <= last }
        let run = key.flatMap { runs[$0] } ?? IdRun.encoded([])
        for piece in IdRun.adding(part, to: run.span, key: last) { runs[piece.key] = piece.value }
        rest = rest.dropFirst(part.count)
      }
    }

    mutating func remove(_ entry: UInt64) {
      guard let key = key(of: entry), let run = runs[key],
        let value = IdRun.removing(entry, from: run.span)
      else { return }
      runs[key] = IdRun.count(of: value.span) == 0 && key < IdRun.lastKey ? nil : value
    }

    /// All entries in order of the runs' keys.
    var entries: [UInt64] {
      runs.sorted { $0.key < $1.key }.flatMap { _, run in
        (0..<IdRun.count(of: run.span)).map { IdRun.entry($0, of: run.span) }
      }
    }

    func numbers(under hash: UInt64) throws -> Set<UInt32> {
      guard let run = key(of: hash).flatMap({ runs[$0] }) else { return [] }
      var numbers: Set<UInt32> = []
      try IdRun.forEachNumber(in: run.span, hash: hash) { number in
        numbers.insert(number)
        return true
      }
      return numbers
    }
  }

  /// A hash, from few halves or from all of them.
  private static func hash(_ generator: inout SeededGenerator, isCrowded: Bool) -> UInt64 {
    let hash = generator.next()
    return isCrowded ? (hash % 5) << 32 | 1 << 62 : hash
  }

  @Test(arguments: 0..<24)
  func `runs hold what was added and not removed`(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var runs = Runs()
    var model: Set<UInt64> = []
    for step in 0..<60 {
      var added: Set<UInt64> = []
      for _ in 0..<Int.random(in: 0...(step % 7 == 0 ? 300 : 9), using: &generator) {
        let hash = Self.hash(&generator, isCrowded: seed % 3 == 0)
        added.insert(
          IdRun.entry(hash: hash, number: .random(in: 4...9_000, using: &generator)))
      }
      runs.add(added)
      model.formUnion(added)
      for entry in model.shuffled(using: &generator).prefix(step % 5 == 0 ? 80 : 3) {
        runs.remove(entry)
        model.remove(entry)
      }
      #expect(runs.entries == model.sorted())
      try expectForm(of: runs)
    }
    for entry in model {
      let expected = model.filter { $0 >> 32 == entry >> 32 }
      #expect(
        try runs.numbers(under: entry) == Set(expected.map { UInt32(truncatingIfNeeded: $0) }))
    }
    for entry in model { runs.remove(entry) }
    #expect(runs.runs.keys.allSatisfy { $0 == IdRun.lastKey })
  }

  /// Runs are those of Docs/Format.md section 8, and none is longer than it has to be.
  private func expectForm(of runs: Runs) throws {
    var reached: UInt64?
    for (key, run) in runs.runs.sorted(by: { $0.key < $1.key }) {
      let entries = (0..<IdRun.count(of: run.span)).map { IdRun.entry($0, of: run.span) }
      #expect(key == IdRun.lastKey || !entries.isEmpty)
      let halves = Dictionary(grouping: entries) { $0 >> 32 }
      #expect(halves.keys.allSatisfy { half in half <= key && reached.map { half > $0 } ?? true })
      // Longer only by entries of one half, which no split parts.
      let crowd = halves.values.map(\.count).max() ?? 0
      #expect(entries.count <= IdRun.maximumCount + crowd)
      reached = key
    }
    if !runs.runs.isEmpty { #expect(reached == IdRun.lastKey) }
  }
}
