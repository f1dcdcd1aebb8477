import BatonImage
import Foundation
import Synchronization

/// Threads that read rows of an image, as screens do, until they are told to end.
final class Readers: Sendable {
  enum Pace: Int {
    /// They read nothing.
    case still
    /// Fifty rows, then a millisecond's rest: what a screen that scrolls asks for, and less than a
    /// core for all of them.
    case resting
    /// One row after another.
    case busy
  }

  private let image: Image
  private let batches: Int
  private let pace = Atomic<Int>(Pace.still.rawValue)
  private let isEnding = Atomic<Bool>(false)
  private let rows = Atomic<Int>(0)
  private let failure = Mutex<(any Error)?>(nil)
  private let running = DispatchGroup()

  init(_ subjects: SubjectImage, count: Int) {
    image = subjects.image
    batches = subjects.batches
    for index in 0..<count {
      running.enter()
      Thread.detachNewThread { [self] in
        do { try read(as: index) } catch { failure.withLock { $0 = error } }
        running.leave()
      }
    }
  }

  /// How many rows were read so far.
  var rowsRead: Int { rows.load(ordering: .relaxed) }

  func set(_ pace: Pace) { self.pace.store(pace.rawValue, ordering: .relaxed) }

  /// Ends the threads, and throws what went wrong in one.
  func end() throws {
    isEnding.store(true, ordering: .relaxed)
    running.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  private func read(as index: Int) throws {
    var round = index << 32
    while !isEnding.load(ordering: .relaxed) {
      let pace = Pace(rawValue: pace.load(ordering: .relaxed))
      if pace == .still {
        Thread.sleep(forTimeInterval: 0.0002)
        continue
      }
      round += 1
      let batch = Batch(Int(Batch.mix(UInt64(round)) % UInt64(batches)))
      let keys = batch.ids.map { Array($0.utf8) }
      try Self.read(keys, image.snapshot())
      rows.add(keys.count, ordering: .relaxed)
      if pace == .resting { Thread.sleep(forTimeInterval: 0.001) }
    }
  }

  static func read(_ keys: [[UInt8]], _ snapshot: borrowing Snapshot) throws {
    let fields = try SubjectFields(snapshot)
    for key in keys { consume(try SubjectRow.read(key, fields, snapshot)) }
  }
}
