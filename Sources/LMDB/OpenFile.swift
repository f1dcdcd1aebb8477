/// What the `Environment`s over one file share: it counts them, and keeps the core while there are.
///
/// The registry refers to this weakly and not to the core, which transactions retain at each
/// beginning: an object that was ever referred to weakly is retained at several times the cost.
final class OpenFile: @unchecked Sendable {
  // SAFETY (Sendable): the count is touched with the registry's lock held.
  let core: EnvironmentCore
  var handles = 1

  init(_ core: EnvironmentCore) { self.core = core }
}
