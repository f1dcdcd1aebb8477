import BatonPlan
import Synchronization
internal import LMDB

/// One launch of the image: from the first opening of its file in this process to the last close.
///
/// All `Image`s over the file share it. It has a generation, a number one above the launch before,
/// which it takes with the first transaction that writes.
final class Launch: Sendable {
  /// Tells which file it is of.
  private let environment: Environment
  let uses = UseStamps()
  private let state = Mutex(State())
  private let hubs = Mutex<[WeakHub]>([])
  private let isEvicting = Atomic<Bool>(false)
  private let commits = Atomic<Int>(0)

  private struct State {
    var generation: UInt32?
    var droppedPayloads = false
    /// The newest launch of any process when stamps were written last.
    var newest: UInt32 = 0
    /// Fetch times that no transaction took to the disk yet, by the operation's text.
    var fetches: [OperationText: Int64] = [:]
    /// The same of list lookups, by record or by the text of an id: many, so that they are written in
    /// batches.
    var lists = FetchTable()
    /// Those of list lookups that a transaction is writing.
    var writing: FetchTable?
    var frame: ListFetchFrame?
    /// The index of the frame's operation in `lists`; nil before it has one.
    var frameIndex: UInt32?
    var listsWritten = ContinuousClock.now
    var sweep = Sweep()
  }

  private struct WeakHub {
    weak var hub: ChangeHub?
  }

  /// How far this launch is with giving up what the launch before did not read.
  struct Sweep {
    /// The record that is looked at next.
    var next: UInt32 = 0
    var isDone = false
  }

  private init(_ environment: Environment) {
    self.environment = environment
  }

  // MARK: One a file

  private struct WeakLaunch {
    weak var launch: Launch?
  }

  private static let open = Mutex<[WeakLaunch]>([])

  /// The launch that an open file belongs to.
  static func of(_ environment: Environment) -> Launch {
    open.withLock { open in
      open.removeAll { $0.launch == nil }
      for entry in open {
        if let launch = entry.launch, launch.environment.sharesFile(with: environment) {
          return launch
        }
      }
      let launch = Launch(environment)
      open.append(WeakLaunch(launch: launch))
      return launch
    }
  }

  // MARK: Observers

  func add(_ hub: ChangeHub) {
    hubs.withLock { hubs in
      hubs.removeAll { $0.hub == nil }
      hubs.append(WeakHub(hub: hub))
    }
  }

  private var allHubs: [ChangeHub] { hubs.withLock { $0.compactMap(\.hub) } }

  /// Tells the observers in this process that a transaction was committed.
  func noteCommit() {
    for hub in allHubs { hub.wake() }
  }

  /// The records that observers in this process show.
  func observedRecords() -> Set<UInt32> {
    allHubs.reduce(into: []) { $0.formUnion($1.observedRecords()) }
  }

  // MARK: Fetch times

  func note(fetch text: OperationText, at time: Int64) {
    state.withLock { $0.fetches[text] = time }
  }

  /// Notes the answer of a list lookup, by the records that its ids lead to; how many times wait to
  /// be written now.
  func note(
    _ plan: Plan, _ lookup: ListLookup, _ variables: Variables, _ answer: ListAnswer,
    at time: Int64
  ) -> Int {
    state.withLock { state in
      let frame: ListFetchFrame
      if let known = state.frame, known.isOf(plan, lookup, variables) {
        frame = known
      } else {
        frame = ListFetchFrame(plan, lookup, variables)
        state.frame = frame
        state.frameIndex = nil
      }
      let index = state.frameIndex ?? state.lists.records.index(of: frame.texts.operation)
      state.frameIndex = index
      state.lists.note(answer, frame.texts, operation: index, at: time)
      return state.lists.count
    }
  }

  func fetchTime(of text: OperationText) -> Int64? {
    state.withLock { state in
      state.fetches[text] ?? state.lists.texts.time(of: text) ?? state.writing?.texts.time(of: text)
    }
  }

  /// When a list lookup last answered a record; nil when no time of it waits.
  func fetchTime(of operation: OperationText, record: UInt32) -> Int64? {
    state.withLock { state in
      state.lists.records.time(of: operation, record: record)
        ?? state.writing?.records.time(of: operation, record: record)
    }
  }

  func forgetFetch(of text: OperationText) {
    state.withLock { state in
      state.fetches[text] = nil
      state.lists.texts.forget(text)
    }
  }

  func forgetFetches(of operation: OperationText, _ records: [UInt32]) {
    state.withLock { state in
      for record in records { state.lists.records.forget(operation, record: record) }
    }
  }

  func forgetFetches() {
    state.withLock { state in
      state.fetches.removeAll()
      state.lists = FetchTable()
      state.frameIndex = nil
    }
  }

  /// All that wait to be written by text.
  var fetches: [OperationText: Int64] {
    state.withLock { state in
      var all = state.fetches
      for table in [state.writing, state.lists] {
        // The body doesn't throw.
        try? table?.texts.forEach { (_, text, time) in all[OperationText(text.copy())] = time }
      }
      return all
    }
  }

  /// Those of a list lookup that wait to be written by record.
  func fetches(of operation: OperationText) -> [UInt32: Int64] {
    state.withLock { state in
      let older = state.writing?.records.times(of: operation) ?? [:]
      return older.merging(state.lists.records.times(of: operation)) { $1 }
    }
  }

  /// Those that a transaction is to write, without those of list lookups.
  var fetchesDue: [OperationText: Int64] { state.withLock { $0.fetches } }

  /// Takes the times of list lookups for a transaction to write: all, or those that have waited as
  /// long as uses of records do. `finish` or `undo` follows.
  func takeLists(all: Bool) -> FetchTable? {
    state.withLock { state in
      guard state.writing == nil, !state.lists.isEmpty,
        all || ContinuousClock.now - state.listsWritten >= UseStamps.delay
      else { return nil }
      state.writing = state.lists
      state.lists = FetchTable()
      state.frameIndex = nil
      return state.writing
    }
  }

  /// Whether something gathered in memory waits to be written.
  var hasPending: Bool {
    uses.hasPending || state.withLock { !$0.fetches.isEmpty || !$0.lists.isEmpty }
  }

  /// Forgets fetch times that are on the disk now.
  private func forget(_ written: [OperationText: Int64]) {
    state.withLock { state in
      for (text, time) in written {
        if state.fetches[text] == time { state.fetches[text] = nil }
      }
    }
  }

  /// Forgets what was gathered of records that are gone.
  func forgetAll() {
    forgetFetches()
    uses.reset()
  }

  // MARK: The generation

  /// The launch's own number; nil before its first transaction that wrote.
  var generation: UInt32? { state.withLock { $0.generation } }

  /// Whether the payloads of former launches are still to be dropped.
  var hasFormerPayloads: Bool { state.withLock { !$0.droppedPayloads } }

  var sweep: Sweep {
    get { state.withLock { $0.sweep } }
    set { state.withLock { $0.sweep = newValue } }
  }

  /// Counts a commit of this process, from 0.
  func countCommit() -> Int { commits.wrappingAdd(1, ordering: .relaxed).oldValue }

  /// Whether nobody gives records up now; the caller does from now on.
  func beginEvicting() -> Bool {
    !isEvicting.exchange(true, ordering: .acquiringAndReleasing)
  }

  func endEvicting() { isEvicting.store(false, ordering: .releasing) }

  /// Takes over what a transaction that was committed wrote of the launch.
  func finish(_ step: LaunchStep) {
    forget(step.fetches)
    if let lists = step.lists { end(lists) { $0.listsWritten = ContinuousClock.now } }
    let isLater = state.withLock { state in
      if state.generation == nil { state.generation = step.generation }
      if step.droppedPayloads { state.droppedPayloads = true }
      defer { state.newest = step.generation }
      return state.newest != 0 && state.newest != step.generation
    }
    // Another launch began meanwhile: what is used from now on is used in that one.
    if isLater { uses.reset() }
    uses.noteWritten(step.created)
  }

  /// Takes back what a transaction that failed was to write.
  func undo(_ step: LaunchStep) {
    uses.restore(step.stamps)
    if let lists = step.lists { end(lists) { $0.lists.addMissing(from: lists) } }
  }

  /// Ends the writing of times that were taken for it.
  private func end(_ lists: FetchTable, _ body: (inout State) -> Void) {
    state.withLock { state in
      if state.writing === lists { state.writing = nil }
      body(&state)
    }
  }
}

/// What a transaction writes of the launch it belongs to.
struct LaunchStep {
  /// The newest launch.
  var generation: UInt32 = 0
  var droppedPayloads = false
  var fetches: [OperationText: Int64] = [:]
  /// Fetch times of list lookups that were taken to be written.
  var lists: FetchTable?
  /// Uses that were taken to be written.
  var stamps: [UInt32] = []
  /// The records the transaction made.
  var created: Range<UInt32> = 0..<0
}
