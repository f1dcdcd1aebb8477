import BatonImage
import Synchronization

/// What several threads report.
final class Gathered<Element: Sendable>: Sendable {
  private let state = Mutex<[Element]>([])

  var all: [Element] { state.withLock { $0 } }

  func add(_ element: Element) { state.withLock { $0.append(element) } }
}

/// Events of an image.
typealias Events = Gathered<ImageEvent>

/// What calls came to.
typealias Results = Gathered<Result<CommitOutcome, any Error>>
