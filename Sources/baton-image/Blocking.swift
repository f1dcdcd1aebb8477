import Dispatch
import Synchronization

/// Runs asynchronous work for a verb, which is not.
enum Blocking {
  /// The thread waits for the work, which runs on others.
  static func run<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Result {
    let done = DispatchSemaphore(value: 0)
    let box = Box<Result>()
    Task.detached {
      box.put(await work())
      done.signal()
    }
    done.wait()
    return box.take()
  }

  private final class Box<Result: Sendable>: Sendable {
    private let value = Mutex<Result?>(nil)

    func put(_ result: Result) { value.withLock { $0 = result } }

    func take() -> Result { value.withLock { $0! } }
  }
}
