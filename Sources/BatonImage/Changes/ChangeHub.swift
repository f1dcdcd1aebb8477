import Dispatch
import Synchronization
internal import LMDB

/// Looks for new commits once for everybody who follows an image's changes, and hands them on.
///
/// It is woken directly after commits of this process, and by the system after those of others
/// (`FileWatch`); where the system can't tell, it looks at the engine's mapped counter every 25
/// milliseconds. A transaction is held while it looks, never between two looks.
final class ChangeHub: @unchecked Sendable {
  // SAFETY (Sendable): what is not constant or atomic is touched on the queue alone.
  private weak var image: Image?
  private let path: String
  private let journalLimit: UInt64
  let queue = DispatchQueue(label: "baton-image.changes", qos: .userInitiated)
  private let isWoken = Atomic<Bool>(false)

  /// The last commit that was handed on.
  private var seen: UInt64 = 0
  /// The engine's newest transaction at the last look.
  private var transaction = -1
  private var isStarted = false
  private var isEnded = false
  private var feeds: [ObjectIdentifier: FeedFollower] = [:]
  private var observers = ObserverIndex()
  private var watch: FileWatch?
  /// The looks still to come after the last write, in milliseconds from one to the next.
  private var laterLooks: [Int] = []
  private var timer: Pace?

  /// How often the counter is looked at where the system tells nothing, in milliseconds.
  static let pace = 25
  private static let laterLooks = [1, 4, 15]
  /// How many entries of the journal are held at once.
  private static let batch = 256

  init(_ image: Image, path: String) {
    self.image = image
    self.path = path
    journalLimit = UInt64(image.options.journalLimit)
  }

  /// The records that observers show.
  func observedRecords() -> Set<UInt32> { observers.records.withLock { Set($0.keys) } }

  // MARK: Waking

  /// Has the hub look for new commits soon. Called on any thread.
  func wake() {
    guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    queue.async { [weak self] in
      guard let self else { return }
      isWoken.store(false, ordering: .releasing)
      lookIfOpen()
    }
  }

  /// Ends everybody's waiting, for good. Called on any thread but the queue's.
  func end() { queue.sync { endAll() } }

  private func endAll() {
    isEnded = true
    for feed in feeds.values { feed.end() }
    for observer in observers.all { observer.end() }
    feeds = [:]
    observers.removeAll()
    stop()
  }

  /// Runs `body` unless the image is closed; what makes reading impossible ends all followers.
  private func whileOpen(_ body: (Image) throws(ImageError) -> Void) {
    guard !isEnded else { return }
    guard let image else { return endAll() }
    do throws(ImageError) {
      try body(image)
    } catch .busy {
      transaction = -1
      queue.asyncAfter(deadline: .now() + .milliseconds(Self.pace)) { [weak self] in
        self?.wake()
      }
    } catch {
      endAll()
    }
  }

  // MARK: Followers

  func add(_ feed: FeedFollower) {
    queue.async { [self] in
      guard !isEnded else { return feed.end() }
      feeds[ObjectIdentifier(feed)] = feed
      whileOpen { (image) throws(ImageError) in try start(image) }
    }
  }

  func add(_ observer: any ObserverFollower) {
    queue.async { [self] in
      guard !isEnded else { return observer.end() }
      observers.insert(observer)
      whileOpen { (image) throws(ImageError) in
        try start(image)
        try observer.begin(image)
        observers.index(observer)
      }
    }
  }

  func remove(_ follower: any Follower) {
    queue.async { [self] in
      follower.end()
      feeds[ObjectIdentifier(follower)] = nil
      observers.remove(ObjectIdentifier(follower))
      if feeds.isEmpty, observers.isEmpty { stop() }
    }
  }

  /// Answers a follower that began to wait on the queue.
  func serve(_ follower: any Follower) {
    whileOpen { (image) throws(ImageError) in
      try look(image)
      let snapshot = try image.snapshot()
      try answer(follower, in: snapshot, of: image)
    }
  }

  // MARK: Looking

  /// Begins to be woken, once there is a follower.
  private func start(_ image: Image) throws(ImageError) {
    guard !isStarted else { return }
    watch = watch ?? FileWatch(path: path, on: queue) { [weak self] in self?.noteWrite() }
    if watch == nil {
      timer = Pace(milliseconds: Self.pace, on: queue) { [weak self] in self?.lookIfOpen() }
    }
    let snapshot = try image.snapshot()
    transaction = snapshot.transaction
    seen = try snapshot.counters().commit
    isStarted = true
  }

  /// Looks after somebody wrote to the file, and again a little later: the engine writes the last page
  /// of a commit, which wakes us, a moment before it lets readers see it.
  private func noteWrite() {
    lookIfOpen()
    let isLooking = !laterLooks.isEmpty
    laterLooks = Self.laterLooks
    if !isLooking { lookLater() }
  }

  private func lookLater() {
    guard !laterLooks.isEmpty else { return }
    let delay = laterLooks.removeFirst()
    queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
      guard let self else { return }
      lookIfOpen()
      lookLater()
    }
  }

  private func lookIfOpen() {
    whileOpen { (image) throws(ImageError) in try look(image) }
  }

  private func stop() {
    isStarted = false
    watch = nil
    timer = nil
  }

  /// Hands on what was committed since the last look, if anything was.
  private func look(_ image: Image) throws(ImageError) {
    guard !feeds.isEmpty || !observers.isEmpty else { return }
    try start(image)
    let newest = try engine { () throws(LMDBError) in
      try image.environment.statistics().lastTransaction
    }
    guard newest != transaction else { return }
    let snapshot = try image.snapshot()
    let counters = try snapshot.counters()
    if counters.commit != seen { try handOn(counters, in: snapshot) }
    transaction = snapshot.transaction
    for feed in feeds.values { try answer(feed, in: snapshot, of: image) }
    for observer in observers.all { try answer(observer, in: snapshot, of: image) }
  }

  private func handOn(
    _ counters: ImageCounters, in snapshot: borrowing Snapshot
  ) throws(ImageError) {
    var position = seen
    while position != counters.commit {
      let part = try snapshot.journal(since: position, limit: Self.batch)
      guard !part.isCut, position < counters.commit, let last = part.entries.last else {
        for feed in feeds.values { feed.takeUnknown(counters) }
        for observer in observers.all { observer.takeUnknown(counters) }
        break
      }
      for entry in part.entries {
        for feed in feeds.values { try feed.take(entry, in: snapshot) }
        for observer in observers.concerned(by: entry) { try observer.take(entry, in: snapshot) }
      }
      position = last.commit
    }
    seen = counters.commit
    for feed in feeds.values { try feed.fold(upTo: seen, limit: journalLimit, in: snapshot) }
  }

  private func answer(
    _ follower: any Follower, in snapshot: borrowing Snapshot, of image: Image
  ) throws(ImageError) {
    try follower.answer(in: snapshot, of: image)
    if let observer = follower as? any ObserverFollower { observers.index(observer) }
  }
}

/// The observers of an image, by the records they show.
struct ObserverIndex {
  private var observers: [ObjectIdentifier: any ObserverFollower] = [:]
  private var byRecord: [UInt32: Set<ObjectIdentifier>] = [:]
  /// The records each observer is listed under.
  private var listed: [ObjectIdentifier: Set<UInt32>] = [:]
  /// Those that any commit may concern.
  private var open: Set<ObjectIdentifier> = []
  /// The records shown, with the number of observers, for other threads.
  let records = SharedCounts()

  var isEmpty: Bool { observers.isEmpty }
  var all: [any ObserverFollower] { Array(observers.values) }

  mutating func insert(_ observer: any ObserverFollower) {
    observers[ObjectIdentifier(observer)] = observer
  }

  /// Lists an observer under what it read last.
  mutating func index(_ observer: any ObserverFollower) {
    let id = ObjectIdentifier(observer)
    guard observers[id] != nil, let trace = observer.takeTrace() else { return }
    let old = listed[id] ?? []
    for record in old.subtracting(trace.records) { unlist(id, record) }
    let added = trace.records.subtracting(old)
    for record in added { byRecord[record, default: []].insert(id) }
    records.withLock { records in
      for record in added { records[record, default: 0] += 1 }
    }
    listed[id] = trace.records
    if trace.isOpen { open.insert(id) } else { open.remove(id) }
  }

  private mutating func unlist(_ id: ObjectIdentifier, _ record: UInt32) {
    byRecord[record]?.remove(id)
    if byRecord[record]?.isEmpty == true { byRecord[record] = nil }
    records.withLock { records in
      let count = (records[record] ?? 1) - 1
      records[record] = count > 0 ? count : nil
    }
  }

  mutating func remove(_ id: ObjectIdentifier) {
    guard observers.removeValue(forKey: id) != nil else { return }
    for record in listed.removeValue(forKey: id) ?? [] { unlist(id, record) }
    open.remove(id)
  }

  mutating func removeAll() {
    for id in observers.keys { remove(id) }
  }

  /// The observers that a commit may concern.
  func concerned(by entry: JournalEntry) -> [any ObserverFollower] {
    if entry.changes.contains(where: { $0.what == .cleared }) { return all }
    var ids = open
    for change in entry.changes {
      if let found = byRecord[change.record] { ids.formUnion(found) }
    }
    return ids.compactMap { observers[$0] }
  }
}

/// Counts by record that one thread keeps and others read.
final class SharedCounts: Sendable {
  private let counts = Mutex<[UInt32: Int]>([:])

  func withLock<Result: Sendable>(
    _ body: (inout [UInt32: Int]) -> Result
  ) -> Result {
    counts.withLock { body(&$0) }
  }
}
