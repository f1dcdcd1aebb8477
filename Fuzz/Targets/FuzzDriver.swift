import ImageFixtures
import Synchronization

/// What the entries of libFuzzer's programs call.
package enum FuzzDriver {
  private static let scratch = Mutex(Scratch())

  /// Runs a target on an input; a finding ends the process, as a crash does.
  package static func run(_ target: FuzzTarget, _ input: UnsafeBufferPointer<UInt8>) {
    // SAFETY: the caller's buffer is valid while this call runs, and the array copies it.
    let bytes = unsafe Array(input)
    scratch.withLock { scratch in
      do throws(Finding) {
        try target.run(bytes, scratch: scratch)
      } catch {
        fatalError("finding: \(error)")
      }
    }
  }
}
