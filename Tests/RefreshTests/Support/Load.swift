import BatonImage
import Synchronization

/// Counts what is under way at a time.
final class Load: Sendable {
  private let state = Mutex((now: 0, most: 0))

  var most: Int { state.withLock { $0.most } }

  func enter() {
    state.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
  }

  func leave() { state.withLock { $0.now -= 1 } }
}

extension RefreshResult.Status {
  /// The failure, when it is one.
  var failure: ServiceFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}
