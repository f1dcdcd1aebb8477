internal import LMDB

extension Image {
  /// What follows a commit, with no lock held: observers are told, and records give their fields up
  /// where that is due. The commit stands whatever comes of it.
  func settle() {
    life.noteCommit()
    guard Evictor.isDue(self), life.launch.beginEvicting() else { return }
    defer { life.launch.endEvicting() }
    var evictor = Evictor(self)
    try? evictor.run()
    try? boundGrowth()
    for event in evictor.events { life.tell(event) }
  }
}

/// Gives records' fields up until the image is as it should be, in small transactions: pages that one
/// frees serve the one after next, so that making room takes little.
struct Evictor {
  private let image: Image
  private let observed: Set<UInt32>
  private var count = 0
  private(set) var events: [ImageEvent] = []

  /// How many records one transaction gives up.
  private static let batch = 64
  /// How many are looked for at once.
  private static let reach = 4096
  /// How many a commit gives up of those that were not used in the launch before.
  private static let unusedBatches = 16
  /// How many fetch times and misses there may be beyond the number of records.
  private static let spareTimes = 1024

  init(_ image: Image) {
    self.image = image
    observed = image.life.launch.observedRecords()
  }

  /// Whether a commit may have to be followed by evictions.
  static func isDue(_ image: Image) -> Bool {
    let options = image.options
    return options.sizeLimit != nil || (options.evictsUnused && !image.life.launch.sweep.isDone)
      || image.life.launch.countCommit() % 64 == 0
  }

  /// Does what is due after a commit.
  mutating func run() throws(ImageError) {
    try dropOldTimes()
    guard image.options.sizeLimit != nil || image.options.evictsUnused else { return }
    let before = try usedBytes()
    if image.options.evictsUnused { try evictUnused() }
    if let limit = image.options.sizeLimit, try usedBytes() > Self.upper(limit) {
      try makeRoom(under: limit)
    }
    guard count > 0 else { return }
    try dropDeadRoots()
    events.insert(.evicted(records: count, bytes: max(0, before - (try usedBytes()))), at: 0)
  }

  // MARK: Levels

  /// What the image's pages may take of a limit: transactions need room for copies of what they
  /// change.
  private static func upper(_ limit: Int) -> Int { limit / 4 * 3 }
  /// What eviction goes down to.
  private static func lower(_ limit: Int) -> Int { limit / 8 * 5 }

  /// The bytes of the pages that hold something.
  private func usedBytes() throws(ImageError) -> Int {
    try engine { () throws(LMDBError) in
      let reader = try image.environment.read()
      return try reader.pagesInUse(of: image.tables.handles)
        * Int(image.header.pageSize)
    }
  }

  private func bytes(of tables: [ImageTable]) throws(ImageError) -> Int {
    try engine { () throws(LMDBError) in
      let reader = try image.environment.read()
      var pages = 0
      for table in tables {
        let statistics = try reader.statistics(of: image.tables[table])
        pages += statistics.branchPages + statistics.leafPages + statistics.overflowPages
      }
      return pages * Int(image.header.pageSize)
    }
  }

  // MARK: Steps

  /// Drops the older half of the journal, again while it takes more than an eighth of the limit.
  private func cutJournal(_ limit: Int) throws(ImageError) {
    while try bytes(of: [.journal]) > limit / 8 {
      let counters = try image.snapshot().counters()
      let count = counters.oldestJournal == 0 ? 0 : counters.commit - counters.oldestJournal + 1
      guard count > 1 else { return }
      for _ in 0...(count / 2 / 256) {
        try image.quietly { (session) throws(ImageError) in
          try session.dropJournal(keeping: count - count / 2, limit: 256)
          try session.writeCounters()
        }
      }
    }
  }

  /// Drops the names that nothing uses, a batch in a transaction.
  private func dropNames() throws(ImageError) {
    while true {
      var rest = 0
      try image.quietly { (session) throws(ImageError) in
        let unused = try session.unusedNames()
        rest = unused.count - Self.reach
        try session.drop(names: unused.prefix(Self.reach))
      }
      if rest <= 0 { return }
    }
  }

  private mutating func evictUnused() throws(ImageError) {
    let launch = image.life.launch
    var sweep = launch.sweep
    guard !sweep.isDone, let generation = launch.generation, generation > 2 else { return }
    for _ in 0..<Self.unusedBatches where !sweep.isDone {
      let numbers = try image.snapshot().records(
        stamped: 1...generation - 2, from: sweep.next, limit: Self.batch)
      try evict(numbers[...], sparingUsed: true)
      if let last = numbers.last, last < .max {
        sweep.next = last + 1
      } else {
        sweep.isDone = true
      }
    }
    launch.sweep = sweep
  }

  private mutating func makeRoom(under limit: Int) throws(ImageError) {
    try cutJournal(limit)
    if try usedBytes() <= Self.lower(limit) { return }
    let current = try image.snapshot().counters().generation
    for generation in try image.snapshot().stampedGenerations() where generation < current {
      let isEnough = try evictAll(until: Self.lower(limit), sparingUsed: true) {
        (snapshot, first) throws(ImageError) in
        try snapshot.records(
          stamped: generation...generation, from: first, limit: Self.reach)
      }
      if isEnough { return }
    }
    let isEnough = try evictAll(until: Self.lower(limit), sparingUsed: true) {
      (snapshot, first) throws(ImageError) in
      try snapshot.unstampedRecords(from: first, limit: Self.reach)
    }
    if isEnough { return }
    // Names that nothing uses once records went: keys with arguments that were asked for once.
    if try bytes(of: [.names, .nameids]) > limit / 8 {
      try dropDeadRoots()
      try dropNames()
      if try usedBytes() <= Self.upper(limit) { return }
    }
    try evictCurrent(current, limit)
  }

  /// Gives up what the launch used itself: the records changed longest ago first, and those of the
  /// last commit only where it alone doesn't fit.
  private mutating func evictCurrent(
    _ generation: UInt32, _ limit: Int
  ) throws(ImageError) {
    // What was used is stamped only from time to time.
    try image.flush(afterClosing: false)
    let snapshot = try image.snapshot()
    let last = try snapshot.counters().commit
    let records = try snapshot.recordsByChange(stamped: generation)
    // Evictions have numbers too: the last commit with records is the one that is kept.
    let newest = records.last?.commit ?? last
    for isLast in [false, true] {
      let numbers = records.filter { ($0.commit == newest) == isLast }.map(\.number)
      if isLast {
        let used = try usedBytes()
        guard used > limit else { return }
        events.append(.wiped(bytes: used, limit: limit))
      }
      var index = 0
      while index < numbers.count {
        let end = min(index + Self.batch, numbers.count)
        try evict(numbers[index..<end], sparingUsed: false)
        index = end
        if !isLast, try usedBytes() <= Self.upper(limit) { return }
      }
    }
  }

  /// Gives up records until few enough bytes are used; whether they are.
  private mutating func evictAll(
    until bytes: Int, sparingUsed: Bool,
    _ find: (borrowing Snapshot, _ first: UInt32) throws(ImageError) -> [UInt32]
  ) throws(ImageError) -> Bool {
    var first: UInt32 = 0
    while true {
      let numbers = try find(image.snapshot(), first)
      guard let last = numbers.last else { return false }
      var index = 0
      while index < numbers.count {
        let end = min(index + Self.batch, numbers.count)
        try evict(numbers[index..<end], sparingUsed: sparingUsed)
        index = end
        if try usedBytes() <= bytes { return true }
      }
      guard last < .max else { return false }
      first = last + 1
    }
  }

  private mutating func evict(
    _ numbers: ArraySlice<UInt32>, sparingUsed: Bool
  ) throws(ImageError) {
    guard !numbers.isEmpty else { return }
    let uses = image.life.launch.uses
    var eviction = Eviction()
    let outcome = try image.transactAlone { (_, session, _) throws(ImageError) in
      eviction = try session.evict(numbers) { number in
        observed.contains(number) || (sparingUsed && uses.contains(number))
      }
      return ""
    }
    count += eviction.count
    try image.noteEvictionWritten(pages: outcome.pagesWritten)
    if outcome.pagesWritten > 0 { image.life.launch.noteCommit() }
  }

  private func dropDeadRoots() throws(ImageError) {
    let outcome = try image.transactAlone { (_, session, _) throws(ImageError) in
      try session.dropDeadRoots(limit: 1024)
      return ""
    }
    if outcome.pagesWritten > 0 { image.life.launch.noteCommit() }
  }

  /// Drops the oldest fetch times and misses where they outnumber the records: a batch of ids that is
  /// never asked for again leaves its time behind.
  private func dropOldTimes() throws(ImageError) {
    let (records, times) = try engine { () throws(LMDBError) in
      let reader = try image.environment.read()
      let tables = image.tables
      return (
        try reader.statistics(of: tables[.records]).entries,
        max(
          try reader.statistics(of: tables[.operations]).entries,
          try reader.statistics(of: tables[.misses]).entries,
          try reader.statistics(of: tables[.fetches]).entries)
      )
    }
    let most = records + Self.spareTimes
    guard times > most + most / 8 else { return }
    try image.quietly { (session) throws(ImageError) in
      try session.dropOldTimes(beyond: most, limit: 1024)
    }
  }
}
