import BatonImage
import Foundation
import Synchronization

/// Reading with two threads against one.
enum ParallelReadsQuestion: Question {
  static let name = "B10"
  static let title = "rows of 8 fields by id, of 100,000 records, by two threads"

  /// How many rows each thread reads in a sample: some milliseconds, so that starting the second
  /// thread counts for little.
  private static let rows = 4000

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let subjects = try SubjectImage(
      path: setting.folder.path("subjects"), records: setting.count(100_000, quick: 20_000))
    // Each thread reads others, anywhere.
    let keys = (0..<2).map { thread in
      (0..<rows).map { index in
        let pick = Batch.mix(UInt64(thread << 32 | index))
        let batch = Int(pick % UInt64(subjects.batches))
        return Array(Batch.id("I_kwDO", batch, Int(pick >> 40) % Subjects.batch).utf8)
      }
    }
    var (one, two, sumOne, sumTwo) = (Samples(), Samples(), Samples(), Samples())
    for round in 0..<setting.count(400, quick: 100) + 5 {
      if round == 5 {
        (one, two, sumOne, sumTwo) = (Samples(), Samples(), Samples(), Samples())
      }
      // An operation is a row of each thread.
      try one.time(rows) { try read(subjects.image, keys.prefix(1)) }
      try two.time(rows) { try read(subjects.image, keys[...]) }
      sumOne.time(rows) { calculate(threads: 1) }
      sumTwo.time(rows) { calculate(threads: 2) }
    }
    answer.add("one thread, a row", one)
    answer.add("two threads, a row of each", two)
    let gain = 2 * one.best / two.best
    if ProcessInfo.processInfo.activeProcessorCount > 1 {
      answer.compare("rows of two threads / rows of one", gain, .atLeast(1.8))
    } else {
      answer.compare("rows of two threads / rows of one, on one core", gain)
    }
    answer.add("arithmetic of one thread", sumOne)
    answer.add("arithmetic of two threads", sumTwo)
    let machine = 2 * sumOne.best / sumTwo.best
    answer.compare("arithmetic of two threads / of one", machine)
    answer.compare("rows' gain / arithmetic's gain", gain / machine, .atLeast(0.9))
    answer.note("arithmetic shows what the machine has to give: less than 2 when others use it")
    answer.note("by the best: other work on the machine takes the second thread's core first")
  }

  /// What was calculated, which keeps it from being left out.
  private static let sum = Atomic<UInt64>(0)

  /// Works for about as long as the rows take and touches no memory.
  private static func calculate(threads: Int) {
    DispatchQueue.concurrentPerform(iterations: threads) { index in
      var number = UInt64(index) &+ sum.load(ordering: .relaxed)
      for _ in 0..<rows * 300 { number = Batch.mix(number) }
      sum.wrappingAdd(number, ordering: .relaxed)
    }
  }

  /// Reads each list on a thread of its own.
  private static func read(_ image: Image, _ keys: ArraySlice<[[UInt8]]>) throws {
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: keys.count) { index in
      do { try Readers.read(keys[index], image.snapshot()) } catch {
        failure.withLock { $0 = error }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
