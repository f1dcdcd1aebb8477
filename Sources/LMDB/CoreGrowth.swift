internal import CLMDB
internal import Synchronization

extension EnvironmentCore {
  /// Sizes of the map are whole multiples of this: pages of every system.
  private static let grain = 1 << 16

  static func rounded(_ size: Int) -> Int {
    let (sum, overflow) = size.addingReportingOverflow(grain - 1)
    return overflow ? Int.max & ~(grain - 1) : sum & ~(grain - 1)
  }

  var mapSize: Int { environment.mapSize }

  /// What the pages of the newest commit need; the file says so, and may say anything.
  private var neededSize: Int {
    let (pages, none) = environment.lastPage.addingReportingOverflow(1)
    let (size, overflow) = pages.multipliedReportingOverflow(by: environment.pageSize)
    return none || overflow || pages < 0 ? Int.max : size
  }

  /// The size to go on with: twice what there is or what is needed, whichever is more.
  ///
  /// The maximum bounds this process's writes, not its reading of what others wrote. The map's size
  /// that the file names isn't believed.
  private var nextSize: Int {
    let needed = neededSize
    let (double, overflow) = max(mapSize, needed).multipliedReportingOverflow(by: 2)
    return Self.rounded(max(needed, min(overflow ? Int.max : double, options.maximumMapSize)))
  }

  /// Gives the map `size` bytes, or twice what it has.
  func grow(to size: Int?, waitingAtMost limit: Duration?) throws(LMDBError) {
    try checkUsable(.grow)
    let deadline = limit.map { ContinuousClock.now + $0 } ?? deadline
    try acquireWriter(.grow, until: deadline)
    defer { writer.release() }
    try exchangeMap(until: deadline) { () throws(LMDBError) in
      let wanted = Self.rounded(size ?? mapSize * 2)
      if wanted <= mapSize { return nil }
      if mapSize >= options.maximumMapSize { throw LMDBError(.mapAtMaximum, in: .grow) }
      return min(wanted, Self.rounded(options.maximumMapSize))
    }
  }

  /// Doubles the map when the file fills three quarters of it and nobody is in the way.
  ///
  /// Called with the writer's lock held, before a transaction begins. Failing is no error: the
  /// transaction may fit, and the map is full only when it says so.
  func growAhead() {
    guard neededSize > mapSize / 4 * 3, mapSize < options.maximumMapSize else { return }
    try? exchangeMap(until: .now) { nextSize }
  }

  /// Follows another process that grew the file past this process's map.
  func adoptMapSize(until deadline: ContinuousClock.Instant) throws(LMDBError) {
    try acquireWriter(.setMapSize, until: deadline)
    defer { writer.release() }
    try exchangeMap(until: deadline, adoptedSize)
  }

  /// The size to adopt, or nil when the map suffices by now.
  func adoptedSize() -> Int? { neededSize <= mapSize ? nil : nextSize }

  /// Exchanges the map for one of the size that `choose` answers, if any, while no transaction of
  /// this process reads it.
  ///
  /// Called with the writer's lock held. Addresses are tried for first: the engine gives up the old
  /// map before it asks for the new one, and without a map there is no environment.
  func exchangeMap(
    until deadline: ContinuousClock.Instant, _ choose: () throws(LMDBError) -> Int?
  ) throws(LMDBError) {
    let (shut, state) = gate.compareExchange(
      expected: Gate.open, desired: Gate.exclusive, ordering: .sequentiallyConsistent)
    guard shut else {
      throw LMDBError(state == Gate.broken ? .panic : .closed, in: .setMapSize)
    }
    var outcome = Gate.open
    defer { gate.store(outcome, ordering: .sequentiallyConsistent) }
    while hasReaders {
      if ContinuousClock.now >= deadline {
        throw LMDBError(.transactionsRunning, in: .setMapSize)
      }
      Platform.pause(microseconds: 20)
    }
    guard let chosen = try choose() else { return }
    let size = max(chosen, neededSize)
    guard Platform.hasAddresses(for: size) else {
      throw LMDBError(.outOfMemory, in: .setMapSize)
    }
    do throws(LMDBError) {
      try environment.setMapSize(size)
    } catch {
      outcome = Gate.broken
      throw error
    }
  }
}
