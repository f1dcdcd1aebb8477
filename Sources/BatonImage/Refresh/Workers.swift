import Synchronization

/// Runs work on the numbers below `count`, in their order, at most `width` at a time.
func forEach(
  below count: Int, width: Int, _ body: @escaping @Sendable (Int) async -> Void
) async {
  let turns = Turns()
  await withTaskGroup { group in
    for _ in 0..<min(count, width) {
      group.addTask {
        while true {
          let index = turns.next()
          guard index < count else { return }
          await body(index)
        }
      }
    }
  }
}

/// Numbers given out one by one, each to one task.
private final class Turns: Sendable {
  private let count = Atomic(0)

  func next() -> Int {
    count.add(1, ordering: .relaxed).oldValue
  }
}
