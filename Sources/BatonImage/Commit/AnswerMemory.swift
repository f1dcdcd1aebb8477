import BatonPlan

/// The answers committed last by this process, so that an answer that comes once more, byte for
/// byte, costs a hash and a look at its records' rows.
///
/// Only an answer that a second commit would leave without effect is remembered, and it is taken
/// for known only while no row it came to has changed since, in whichever process.
struct AnswerMemory {
  /// Which answer it is: to which question, and with which bytes.
  struct Key {
    private let plan: Plan
    private let question: UInt64
    fileprivate let response: UInt64
    private let count: Int

    /// The digests' seed is the process's own, so that nobody outside can make two answers of one.
    private static let seed = UInt64.random(in: .min ... .max)

    /// - Parameter variables: with defaults applied.
    init(_ response: Span<UInt8>, _ plan: Plan, _ variables: Variables) {
      self.plan = plan
      question = QuestionDigest(of: variables, seed: Self.seed).value
      self.response = hash(response, seed: Self.seed)
      count = response.count
    }

    fileprivate static func == (left: Key, right: Key) -> Bool {
      left.response == right.response && left.count == right.count && left.plan === right.plan
        && left.question == right.question
    }
  }

  struct Answer {
    fileprivate let key: Key
    fileprivate let effect: AnswerEffect
    /// What a commit of it comes to, but for the ids of an echo; its commit is the last that was when
    /// it was in the image.
    fileprivate let outcome: CommitOutcome
    /// Whether each id was answered with itself: they needn't be kept beside the question.
    fileprivate let isEcho: Bool

    var records: [UInt32] { effect.records }
    var answered: AnsweredRecords { effect.answered }
    fileprivate var commit: UInt64 { outcome.commit }
    /// The list lookup of the plan.
    var lookup: ListLookup? { effect.lookup }

    /// What a commit of it comes to, for the question it answers.
    func outcome(of variables: Variables) -> CommitOutcome {
      guard isEcho, let lookup else { return outcome }
      var whole = outcome
      whole.ids = lookup.ids(in: variables).map { IdOutcome(asked: $0, id: $0, status: .ok) }
      return whole
    }
  }

  /// How many answers are remembered, of how many records in all.
  private static let maximumCount = 64
  private static let maximumRecords = 1 << 16

  /// Answers in places that are taken in turn; nil in a free one.
  private var answers: [Answer?] = []
  /// What to know an answer by at a glance: its digest, by place.
  private var digests: [UInt64] = []
  /// The place that is taken next: that of the answer remembered longest ago.
  private var next = 0
  private var records = 0

  subscript(key: Key) -> Answer? { place(of: key).flatMap { answers[$0] } }

  private func place(of key: Key) -> Int? {
    for place in digests.indices where digests[place] == key.response {
      if let answer = answers[place], answer.key == key { return place }
    }
    return nil
  }

  /// Remembers an answer that was committed or found unchanged.
  mutating func remember(
    _ key: Key, _ effect: AnswerEffect, _ outcome: CommitOutcome, of variables: Variables
  ) {
    if let place = place(of: key) { forget(place) }
    guard effect.records.count <= Self.maximumRecords else { return }
    var known = outcome
    known.recordsUnchanged += known.recordsCreated + known.recordsChanged
    (known.recordsCreated, known.recordsChanged, known.fieldsChanged) = (0, 0, 0)
    known.pagesWritten = 0
    let isEcho = outcome.ids != nil && effect.isEcho(to: variables)
    if isEcho { known.ids = nil }
    if answers.count < Self.maximumCount {
      next = answers.count
      answers.append(nil)
      digests.append(0)
    }
    forget(next)
    records += effect.records.count
    answers[next] = Answer(key: key, effect: effect, outcome: known, isEcho: isEcho)
    digests[next] = key.response
    next = (next + 1) % Self.maximumCount
    var oldest = next
    while records > Self.maximumRecords {
      if oldest < answers.count { forget(oldest) }
      oldest = (oldest + 1) % Self.maximumCount
    }
  }

  private mutating func forget(_ place: Int) {
    guard let answer = answers[place] else { return }
    records -= answer.records.count
    answers[place] = nil
    digests[place] = 0
  }
}

/// What there is to look at before an answer that comes again is taken for known.
struct AnswerEffect {
  /// The plan's list lookup, if it has the one.
  let lookup: ListLookup?
  /// The records it came to, roots included, in order.
  var records: [UInt32]
  /// Hashes of the ids it answered, whose misses it ended.
  var asked: [UInt64]
  /// The records that its list lookup answered.
  var answered = AnsweredRecords()

  /// Whether each id asked was answered with itself.
  private let repeatsIds: Bool

  init(_ lookup: ListLookup?, records: [UInt32], _ findings: ResponseFindings) {
    self.lookup = lookup
    self.records = records
    asked = findings.asked.indices.map { findings.hash(ofAsked: $0) }
    repeatsIds = findings.asked.allSatisfy { $0.isKey && $0.key == nil }
  }

  /// Whether the ids of the outcome are those that variables ask for, once.
  func isEcho(to variables: Variables) -> Bool {
    guard repeatsIds, let lookup, case .list(let ids)? = variables[lookup.variable] else {
      return false
    }
    return ids.count == asked.count
  }
}

extension CommitSession {
  /// Whether a commit of a remembered answer would write nothing.
  borrowing func holds(_ answer: AnswerMemory.Answer) throws(ImageError) -> Bool {
    let commit = answer.commit
    guard commit <= state.commit else { return false }
    if commit == state.commit { return true }
    if hasMisses {
      for hash in answer.effect.asked where try value(.misses, hash) != nil { return false }
    }
    for number in answer.effect.records {
      guard let row = try row(number), row.commit <= commit,
        row.flags.isDisjoint(with: [.deleted, .evicted, .moved])
      else { return false }
    }
    return true
  }
}
