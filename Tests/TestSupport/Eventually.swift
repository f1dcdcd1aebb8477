/// Asks again and again, until a condition holds: whether it did within five minutes, under a
/// sanitizer within an hour.
///
/// For what happens soon on its own, and later on a machine that does much else: tests that wait for
/// processes hold the threads that others would run on.
public func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async throws -> Bool {
  let deadline = ContinuousClock.now + .seconds(Sanitizers.isAny ? 3600 : 300)
  while try !condition() {
    guard ContinuousClock.now < deadline else { return false }
    try await Task.sleep(for: .milliseconds(5))
  }
  return true
}
