import Foundation
import Synchronization

/// `fork`, which Swift hides for good reasons that the tests of its consequences don't share.
public enum Fork {
  private static let child = Atomic<Int32>(-1)

  /// The thread sanitizer ends a forked child that starts a thread.
  public static var isPossible: Bool { !Sanitizers.isThread }

  public struct Failure: Error {}

  public static var isChild: Bool { child.load(ordering: .relaxed) == 0 }

  /// Forks; true in the child.
  public static func split() throws -> Bool {
    // SAFETY: the C library's fork has this type; the child does little and ends itself.
    guard let symbol = unsafe dlsym(nil, "fork") else { throw Failure() }
    let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
    let number = fork()
    if number < 0 { throw Failure() }
    child.store(number, ordering: .relaxed)
    // A child that hangs would hang its parent, and no time limit reaches either.
    if number == 0 { alarm(30) }
    return number == 0
  }

  /// Ends the process at once, with no handlers.
  public static func end(_ success: Bool) -> Never { _exit(success ? 0 : 1) }

  /// Waits for the child; its status, zero when all was well.
  @discardableResult
  public static func wait() throws -> Int32 {
    var status: Int32 = -1
    // SAFETY: the number is written before the call returns.
    let waited = unsafe waitpid(child.load(ordering: .relaxed), &status, 0)
    if waited < 0 { throw Failure() }
    return status
  }

  /// Runs `work` in a child of this process; zero if it answered true.
  public static func child(_ work: () throws -> Bool) throws -> Int32 {
    if try split() { end((try? work()) ?? false) }
    return try wait()
  }
}
