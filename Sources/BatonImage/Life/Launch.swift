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
    /// The same of list lookups, by the text of each id: many, so that they are written in batches.
    var listFetches: [OperationText: Int64] = [:]
    /// Answers of list lookups whose texts nobody has asked for yet, the newest last.
    var listAnswers: [ListAnswer] = []
    /// How many ids `listAnswers` are of.
    var unsettled = 0
    var listsWritten = ContinuousClock.now
    var sweep = Sweep()

    /// Sees to it that `listFetches` has every answer: making fifty texts is left out of the commit.
    mutating func settleLists() {
      for answer in listAnswers {
        for text in answer.texts { listFetches[text] = answer.time }
      }
      listAnswers.removeAll()
      unsettled = 0
    }
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

  /// Notes the answer of a list lookup; about how many times wait to be written. They are counted
  /// once they may be more than `limit`.
  func note(_ answer: ListAnswer, limit: Int) -> Int {
    state.withLock { state in
      state.listAnswers.append(answer)
      state.unsettled += answer.ids.count
      if state.listFetches.count + state.unsettled > limit { state.settleLists() }
      return state.listFetches.count + state.unsettled
    }
  }

  func fetchTime(of text: OperationText) -> Int64? {
    state.withLock { state in
      if let time = state.fetches[text] { return time }
      state.settleLists()
      return state.listFetches[text]
    }
  }

  func forgetFetch(of text: OperationText) {
    state.withLock { state in
      state.settleLists()
      state.fetches[text] = nil
      state.listFetches[text] = nil
    }
  }

  func forgetFetches() {
    state.withLock { state in
      state.fetches.removeAll()
      state.listAnswers.removeAll()
      state.unsettled = 0
      state.listFetches.removeAll()
    }
  }

  /// All that wait to be written.
  var fetches: [OperationText: Int64] {
    state.withLock { state in
      state.settleLists()
      return state.fetches.merging(state.listFetches) { $1 }
    }
  }

  /// Those that a transaction is to write: all, or without those of list lookups until they have
  /// waited as long as uses of records do.
  func fetchesDue(all: Bool) -> [OperationText: Int64] {
    state.withLock { state in
      guard all || ContinuousClock.now - state.listsWritten >= UseStamps.delay else {
        return state.fetches
      }
      state.settleLists()
      return state.fetches.merging(state.listFetches) { $1 }
    }
  }

  /// Whether something gathered in memory waits to be written.
  var hasPending: Bool {
    uses.hasPending
      || state.withLock {
        !$0.fetches.isEmpty || !$0.listFetches.isEmpty || !$0.listAnswers.isEmpty
      }
  }

  /// Forgets fetch times that are on the disk now.
  fileprivate func forget(_ written: [OperationText: Int64]) {
    state.withLock { state in
      for (text, time) in written {
        if state.fetches[text] == time { state.fetches[text] = nil }
        guard state.listFetches[text] == time else { continue }
        state.listFetches[text] = nil
        state.listsWritten = ContinuousClock.now
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
  }
}

/// What a transaction writes of the launch it belongs to.
struct LaunchStep {
  /// The newest launch.
  var generation: UInt32 = 0
  var droppedPayloads = false
  var fetches: [OperationText: Int64] = [:]
  /// Uses that were taken to be written.
  var stamps: [UInt32] = []
  /// The records the transaction made.
  var created: Range<UInt32> = 0..<0
}
