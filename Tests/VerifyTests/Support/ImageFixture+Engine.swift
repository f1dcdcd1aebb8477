import BatonImage
import ImageFixtures

extension ImageFixture {
  /// The steps that make a file of the values, with `churn` commits before that leave free pages.
  func steps(churn: Int = 0) -> [EngineFile.Step] {
    var steps: [EngineFile.Step] = []
    for turn in 0..<churn {
      let entries = (0..<60).map { key in
        (key: UInt64(10_000 + key), value: [UInt8](repeating: UInt8(turn), count: 700 + 90 * key))
      }
      steps.append(EngineFile.Step(puts: [("records", entries)]))
      steps.append(
        EngineFile.Step(deletions: [("records", entries.map(\.key))]))
    }
    let puts = ImageTable.allCases.map { table in
      (
        table: table.name,
        entries: (tables[table] ?? [:]).sorted { $0.key < $1.key }
          .map { (key: $0.key, value: $0.value) }
      )
    }
    steps.append(EngineFile.Step(puts: puts))
    return steps
  }

  func write(to path: String, churn: Int = 0) throws {
    try EngineFile.make(at: path, steps(churn: churn))
  }
}
